/** What is started as the daemon; its code is in the bundle beside it. */
import { join } from "node:path";
import runner from "./run-compiled.cjs";

runner.runCompiled(join(import.meta.dirname, "daemon.cjs"), { parts: "held" });
