#!/usr/bin/env node
"use strict";
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const folder = join(__dirname, "..", "dist");
const bundle = join(folder, "bellhop.cjs");

/** From V8's own compiled form, which the build leaves beside the bundle; a Node of another version compiles it anew. */
function run(source, cachedData) {
  const Module = require("node:module");
  const { Script } = require("node:vm");
  const main = new Module(bundle, module);
  main.filename = bundle;
  main.paths = module.paths;
  // The other parts of the bundle ask for this one, and must get the one that runs.
  require.cache[bundle] = main;
  const body = new Script(Module.wrap(source), { filename: bundle, cachedData }).runInThisContext();
  body.call(main.exports, main.exports, (id) => main.require(id), main, bundle, folder);
  main.loaded = true;
}

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

const source = read(bundle);
const compiled = read(join(folder, "bellhop.compiled"));
if (source === undefined) {
  process.stderr.write('bellhop: it is not built yet.\n  Run "npm run build" in its folder.\n');
  process.exitCode = 1;
} else if (compiled === undefined) require(bundle);
else run(source.toString("utf8"), compiled);
