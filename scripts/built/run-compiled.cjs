/**
 * Runs a bundle from V8's own compiled form, which the build leaves beside it; a Node of another version compiles it
 * anew. It lies in dist/, beside them.
 */
"use strict";
const { readFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname } = require("node:path");
const { Script } = require("node:vm");

/** Answers whether there is such a bundle. `keep` gets what V8 has compiled by the time the process ends well. */
exports.runCompiled = (bundle, { compiled = read(bundle.replace(/\.cjs$/, ".compiled")), keep } = {}) => {
  const source = read(bundle);
  if (source === undefined) return false;
  const main = new Module(bundle, module);
  main.filename = bundle;
  main.paths = module.paths;
  // The other parts of the bundle ask for this one, and must get the one that runs.
  require.cache[bundle] = main;
  const script = new Script(Module.wrap(source.toString("utf8")), { filename: bundle, cachedData: compiled });
  if (keep !== undefined) {
    process.on("exit", (status) => {
      if (status === 0) keep(script.createCachedData());
    });
  }
  const body = script.runInThisContext();
  body.call(main.exports, main.exports, (id) => main.require(id), main, bundle, dirname(bundle));
  main.loaded = true;
  return true;
};

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
