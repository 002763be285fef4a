// npm test: installs what is missing, builds, then every suite. The suites with real agent programs run in a network
// namespace that has nothing but loopback.
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, ensureCommands, ensureNode, ensurePackages, root, run } from "./ensure.mjs";

ensureNode();
ensurePackages();
ensureCommands({
  tmux: "tmux",
  curl: "curl",
  git: "git",
  unshare: "util-linux",
  ip: "iproute2",
  bash: "bash",
  faketime: "faketime",
  vim: "vim",
  less: "less",
  htop: "htop",
});

const only = process.argv.slice(2);
const bin = (name) => join(root, "node_modules", ".bin", name);
/**
 * Name, and whether real agent programs run in it. All but the unit tests mostly wait, for a program, a screen or a
 * clock: they run side by side once the unit tests are through.
 */
const SUITES = [
  ["unit", false],
  ["contract", false],
  ["crash", false],
  ["races", false],
  ["e2e", true],
];

const unknown = only.find((name) => !SUITES.some(([suite]) => suite === name));
if (unknown !== undefined) {
  console.error(`There is no suite "${unknown}". There are ${SUITES.map(([name]) => name).join(", ")}.`);
  process.exit(2);
}
const wanted = SUITES.filter(([name]) => only.length === 0 || only.includes(name));
if (only.length === 0 && !run(process.execPath, [join(root, "scripts", "check.mjs"), "--without-tests"]))
  process.exit(1);
build();
if (wanted.some(([, agents]) => agents)) {
  if (!run(process.execPath, [join(root, "tests", "rig", "install-programs.mjs")])) process.exit(1);
}

const reports = mkdtempSync(join(tmpdir(), "bellhop-test-"));
const running = new Map();

// Whoever is tired of waiting sees how far each has come.
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const [name, { child, log }] of running) {
      child.kill(signal);
      process.stdout.write(
        `suite ${name}: not at its end\n${existsSync(log) ? readFileSync(log, "utf8") : ""}`,
      );
    }
    process.exit(1);
  });
}

function commandOf([name, agents]) {
  const vitest = [
    bin("vitest"),
    "run",
    "--project",
    name,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${join(reports, `${name}.json`)}`,
  ];
  return agents
    ? [process.execPath, join(root, "tests", "rig", "in-namespace.mjs"), "--", ...vitest]
    : vitest;
}

/** `shown` is live; `kept` is for its end, so that what one suite prints stands together. */
function runSuite(suite, output) {
  const [name] = suite;
  const [command, ...args] = commandOf(suite);
  const start = performance.now();
  const log = join(reports, `${name}.log`);
  const out = output === "shown" ? "inherit" : openSync(log, "w");
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", out, out] });
  if (out !== "inherit") closeSync(out);
  running.set(name, { child, log });
  return new Promise((resolve) => {
    const ended = (ok) => {
      running.delete(name);
      resolve({
        name,
        ok,
        seconds: ((performance.now() - start) / 1000).toFixed(0),
        printed: out === "inherit" ? "" : readFileSync(log, "utf8"),
      });
    };
    child.on("error", () => ended(false));
    child.on("exit", (code) => ended(code === 0));
  });
}

let passed = 0;
let failed = 0;
let broken = false;

function tell({ name, ok, seconds, printed }) {
  process.stdout.write(printed);
  console.log(`suite ${name}: ${ok ? "ok" : "FAILED"} (${seconds} s)`);
}

function count({ name, ok }) {
  try {
    const report = JSON.parse(readFileSync(join(reports, `${name}.json`), "utf8"));
    passed += report.numPassedTests;
    failed += report.numFailedTests;
  } catch {
    broken = true;
  }
  broken ||= !ok;
}

const unit = wanted.filter(([name]) => name === "unit");
const others = wanted.filter(([name]) => name !== "unit");
for (const suite of unit) {
  const result = await runSuite(suite, "shown");
  tell(result);
  count(result);
}
if (others.length > 1) {
  console.log(`Side by side, each shown at its end: ${others.map(([name]) => name).join(", ")}…`);
}
const failures = [];
await Promise.all(
  others.map(async (suite) => {
    const result = await runSuite(suite, others.length > 1 ? "kept" : "shown");
    count(result);
    if (result.ok) tell(result);
    else failures.push(result);
  }),
);
// Last, where the reader of a long log looks first.
for (const result of failures) tell(result);

rmSync(reports, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = broken || failed > 0 ? 1 : 0;
