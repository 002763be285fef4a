/** What is started as the daemon; its code is in the bundle beside it. Not ESM, whose loader costs a start a tenth. */
"use strict";
const { join } = require("node:path");

require("./run-compiled.cjs").runCompiled(join(__dirname, "daemon.cjs"), { parts: "held" });
