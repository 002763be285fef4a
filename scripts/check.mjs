// npm run check: format, lint, types, import direction, unused code, that every group of the bench runs, unit tests.
import { join } from "node:path";
import { ensureNode, ensurePackages, root, run } from "./ensure.mjs";

ensureNode();
ensurePackages();

const bin = (name) => join(root, "node_modules", ".bin", name);
const steps = [
  ["format and lint", bin("biome"), ["ci", "--error-on-warnings", "."]],
  ["types", bin("tsc"), ["-p", "."]],
  ["import direction", process.execPath, [join(root, "scripts", "check-imports.mjs")]],
  ["unused code", bin("knip"), ["--no-progress"]],
  ["bench, every group once", process.execPath, [join(root, "scripts", "bench.mjs"), "--smoke"]],
  ["unit tests", bin("vitest"), ["run", "--project", "unit", "--reporter=dot"]],
].filter(([name]) => name !== "unit tests" || !process.argv.includes("--without-tests"));

for (const [name, command, args] of steps) {
  const start = performance.now();
  if (!run(command, args)) {
    console.error(`check: ${name} failed.`);
    process.exit(1);
  }
  console.log(`check: ${name} ok (${((performance.now() - start) / 1000).toFixed(1)} s)`);
}
