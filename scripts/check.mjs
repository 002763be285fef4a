// npm run check: format, lint, types, import direction, unused code, that every group of the bench and the growth of a
// cluster run, unit tests and laws.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ensureNode, ensurePackages, root, run } from "./ensure.mjs";

ensureNode();
ensurePackages();

const bin = (name) => join(root, "node_modules", ".bin", name);
/** Two at a time: the bench mostly waits, and unused code is looked for on one core. */
const lanes = [
  [
    ["types", bin("tsc"), ["-p", "."]],
    ["types of the page", bin("tsc"), ["-p", "web"]],
    ["bench, every group once", process.execPath, [join(root, "scripts", "bench.mjs"), "--smoke"]],
    ["growth, the least size", process.execPath, [join(root, "scripts", "growth.mjs"), "--smoke"]],
  ],
  [
    ["format and lint", bin("biome"), ["ci", "--error-on-warnings", "."]],
    ["import direction", process.execPath, [join(root, "scripts", "check-imports.mjs")]],
    ["unused code", bin("knip"), ["--no-progress"]],
  ],
];
const colours = process.stdout.isTTY && process.env.NO_COLOR === undefined ? { FORCE_COLOR: "1" } : {};

/** Printed at its end, so that the output of one step stays together. */
function quietly(command, args) {
  return new Promise((resolve) => {
    const printed = [];
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...colours },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => printed.push(bytes));
    const ended = (ok) => {
      process.stdout.write(Buffer.concat(printed));
      resolve(ok);
    };
    child.on("error", ({ message }) => {
      printed.push(Buffer.from(`${message}\n`));
      ended(false);
    });
    child.on("close", (code) => ended(code === 0));
  });
}

function tell(name, ok, start) {
  if (ok) console.log(`check: ${name} ok (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  else console.error(`check: ${name} failed.`);
}

let failed = false;
await Promise.all(
  lanes.map(async (steps) => {
    for (const [name, command, args] of steps) {
      if (failed) return;
      const start = performance.now();
      const ok = await quietly(command, args);
      failed ||= !ok;
      tell(name, ok, start);
    }
  }),
);
if (!failed && !process.argv.includes("--without-tests")) {
  const start = performance.now();
  failed = !run(bin("vitest"), ["run", "--project", "unit", "--project", "laws", "--reporter=dot"]);
  tell("unit tests and laws", !failed, start);
}
process.exitCode = failed ? 1 : 0;
