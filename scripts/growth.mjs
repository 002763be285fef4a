// npm run growth: how a cluster grows, with virtual hosts in one process. `npm run growth -- --help` lists the options.
import { join } from "node:path";
import { bundled } from "./bundle-bench.mjs";
import { ensureNode, ensurePackages } from "./ensure.mjs";

ensureNode();
ensurePackages();
const folder = await bundled({ growth: "bench/growth/main.ts" });
await import(join(folder, "growth.mjs"));
