/**
 * Runs a bundle once and keeps what V8 compiled for it: `node compile-bundle.cjs BUNDLE [ARGUMENT…]`.
 * Compiling is a tenth of the start of `bellhop send`, and most of the start of the daemon.
 */
"use strict";
const { writeFileSync } = require("node:fs");
const { join, dirname } = require("node:path");

const [node, , bundle, ...args] = process.argv;
process.argv = [node, bundle, ...args];
require(join(dirname(bundle), "run-compiled.cjs")).runCompiled(bundle, {
  useCompiled: false,
  parts: "held",
  keep: writeFileSync,
});
