// npm test: installs what is missing, builds, then runs every suite. The suites with real agent programs run in a network
// namespace that has nothing but loopback. A run that is stopped leaves no process behind.
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { noLoopbackNamespace, onStop, spawnContained } from "./contain.mjs";
import { build, ensureCommands, ensureNode, ensurePackages, root, run } from "./ensure.mjs";

ensureNode();
ensurePackages();
ensureCommands({
  tmux: "tmux",
  curl: "curl",
  git: "git",
  unshare: "util-linux",
  setpriv: "util-linux",
  prlimit: "util-linux",
  ip: "iproute2",
  ps: "procps",
  tar: "tar",
  bash: "bash",
  dash: "dash",
  zsh: "zsh",
  fish: "fish",
  faketime: "faketime",
  vim: "vim",
  less: "less",
  htop: "htop",
  dovecot: "dovecot-imapd",
  openssl: "openssl",
  chromium: "chromium",
});

const only = process.argv.slice(2);
const bin = (name) => join(root, "node_modules", ".bin", name);
/**
 * Name, the real agent programs that run in it, as `install-programs.mjs` takes them, and how many of its files run at
 * once, as in `vitest.config.ts`. The unit tests come first; the others start in this order, the longest first.
 */
const CORES = availableParallelism();
const SUITES = [
  ["unit", [], CORES],
  ["e2e", ["claude", "codex", "opencode"], 2],
  ["crash", [], 1],
  ["races", [], 1],
  ["contract", [], CORES + 1],
  ["versions", ["claude@all", "codex@all"], 2],
  ["laws", [], CORES],
];
/** In a whole run the contract suite comes in parts of one file at once, so that it takes each place that gets free. */
const PARTS = { contract: 2 * (CORES + 1) };
/**
 * How many files run at once, over all suites: the four longest. They wait for a program, a screen or a clock about half
 * of their time; with more at once nothing is over earlier, and each waits long for its share of the machine.
 */
const ROOM = CORES * 3 + 1;

const unknown = only.find((name) => !SUITES.some(([suite]) => suite === name));
if (unknown !== undefined) {
  console.error(`There is no suite "${unknown}". There are ${SUITES.map(([name]) => name).join(", ")}.`);
  process.exit(2);
}
const wanted = SUITES.filter(([name]) => only.length === 0 || only.includes(name));
if (only.length === 0 && !run(process.execPath, [join(root, "scripts", "check.mjs"), "--without-tests"]))
  process.exit(1);
const programs = [...new Set(wanted.flatMap(([, needed]) => needed))];
const obstacle = programs.length > 0 ? noLoopbackNamespace() : undefined;
if (obstacle !== undefined) stop(obstacle);
build();

const reports = mkdtempSync(join(tmpdir(), "bellhop-test-"));
const running = new Map();

function stop(line) {
  console.error(line);
  process.exit(1);
}

function endAll() {
  for (const { stop: end } of running.values()) end();
  rmSync(reports, { recursive: true, force: true });
}

// A run that is stopped shows how far each suite has come.
onStop(() => {
  for (const [name, { log }] of running) {
    process.stdout.write(
      `suite ${name}: not at its end\n${existsSync(log) ? readFileSync(log, "utf8") : ""}`,
    );
  }
  endAll();
  process.exit(1);
});

/** During the unit tests, which need none. If a program cannot be installed, everything ends at once, with one line. */
function installPrograms() {
  if (programs.length === 0) return Promise.resolve();
  const installer = [process.execPath, join(root, "tests", "rig", "install-programs.mjs"), ...programs];
  const contained = spawnContained(installer, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  running.set("the real programs", { ...contained, log: "" });
  return new Promise((resolve) => {
    contained.child.on("exit", (code) => {
      running.delete("the real programs");
      if (code === 0) return resolve();
      endAll();
      process.exit(1);
    });
  });
}

function inParts(suite) {
  const [name, needed] = suite;
  const count = only.length === 0 ? (PARTS[name] ?? 1) : 1;
  if (count === 1) return [suite];
  return Array.from({ length: count }, (_, index) => [name, needed, 1, { part: index + 1, of: count }]);
}

/** `shown` is live; `kept` is printed at its end, so that the output of one suite stays together. */
function runSuite([suite, needed, workers, shard], output) {
  const name = shard === undefined ? suite : `${suite}-${shard.part}`;
  const vitest = [
    bin("vitest"),
    "run",
    "--project",
    suite,
    ...(shard === undefined ? [] : [`--shard=${shard.part}/${shard.of}`]),
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${join(reports, `${name}.json`)}`,
  ];
  const start = performance.now();
  const log = join(reports, `${name}.log`);
  const out = output === "shown" ? "inherit" : openSync(log, "w");
  const loopbackOnly = needed.length > 0;
  const env = {
    ...process.env,
    ...(loopbackOnly && { BELLHOP_RIG_NAMESPACE: "1" }),
    ...(shard !== undefined && { BELLHOP_FILES_AT_ONCE: String(workers) }),
  };
  const contained = spawnContained(vitest, { loopbackOnly, cwd: root, env, stdio: ["ignore", out, out] });
  if (out !== "inherit") closeSync(out);
  running.set(name, { ...contained, log });
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
    contained.child.on("error", () => ended(false));
    contained.child.on("exit", (code) => ended(code === 0));
  });
}

let passed = 0;
let failed = 0;
let skipped = 0;
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
    skipped += report.numPendingTests + report.numTodoTests;
  } catch {
    broken = true;
  }
  broken ||= !ok;
}

const installed = installPrograms();
const unit = wanted.filter(([name]) => name === "unit");
const others = wanted.filter(([name]) => name !== "unit").flatMap((suite) => inParts(suite));
for (const suite of unit) {
  const result = await runSuite(suite, "shown");
  tell(result);
  count(result);
}
await installed;
if (others.length > 1) {
  console.log(
    `Several at once, each shown at its end: ${[...new Set(others.map(([name]) => name))].join(", ")}…`,
  );
}
const failures = [];
const waiting = [...others];
const underWay = new Set();
let room = ROOM;

function begin(suite) {
  const [, , workers] = suite;
  room -= workers;
  const ended = runSuite(suite, others.length > 1 ? "kept" : "shown").then((result) => {
    count(result);
    if (result.ok) tell(result);
    else failures.push(result);
    room += workers;
    underWay.delete(ended);
  });
  underWay.add(ended);
}

while (waiting.length + underWay.size > 0) {
  const next = waiting.findIndex(([, , workers]) => workers <= room || underWay.size === 0);
  if (next === -1) await Promise.race(underWay);
  else begin(waiting.splice(next, 1)[0]);
}
// Last, because readers of a long log look there first.
for (const result of failures) tell(result);

rmSync(reports, { recursive: true, force: true });
console.log(
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped: a test runs or goes` : ""}`,
);
process.exitCode = broken || failed + skipped > 0 ? 1 : 0;
