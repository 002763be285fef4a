/**
 * Runs the bundle's `send` once and keeps what V8 compiled for it: `node compile-bundle.cjs BUNDLE COMPILED`.
 * Compiling takes a tenth of the start of `bellhop send`; bin/bellhop.cjs reads this instead.
 */
"use strict";
const { readFileSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname } = require("node:path");
const { Script } = require("node:vm");

const [, , bundle, compiled] = process.argv;
const script = new Script(Module.wrap(readFileSync(bundle, "utf8")), { filename: bundle });
const main = new Module(bundle, module);
main.filename = bundle;
main.paths = module.paths;
process.argv = [process.argv[0], bundle, "send", "coder", "hello"];
script
  .runInThisContext()
  .call(main.exports, main.exports, (id) => main.require(id), main, bundle, dirname(bundle));
process.on("exit", (status) => {
  if (status === 0) writeFileSync(compiled, script.createCachedData());
});
