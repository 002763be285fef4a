#!/usr/bin/env node
"use strict";
try {
  require("../dist/bellhop.cjs");
} catch (error) {
  if (error.code !== "MODULE_NOT_FOUND" || require("node:fs").existsSync(`${__dirname}/../dist/bellhop.cjs`))
    throw error;
  process.stderr.write('bellhop: it is not built yet.\n  Run "npm run build" in its folder.\n');
  process.exitCode = 1;
}
