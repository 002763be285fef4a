#!/usr/bin/env node
"use strict";
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const dist = join(__dirname, "..", "dist");
const runner = join(dist, "run-compiled.cjs");

if (!existsSync(runner) || !require(runner).runCompiled(join(dist, "bellhop.cjs"))) {
  process.stderr.write('bellhop: it is not built yet.\n  Run "npm run build" in its folder.\n');
  process.exitCode = 1;
}
