// npm test: installs what is missing, builds, then runs every suite. The suites with real agent programs run in a network
// namespace that has nothing but loopback. A run that is stopped leaves no process behind.
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { noLoopbackNamespace, onStop, spawnContained } from "./contain.mjs";
import { build, ensureCommands, ensureNode, ensurePackages, root, run } from "./ensure.mjs";
import { outdatedPage } from "./programs-table.mjs";

ensureNode();
ensurePackages();
ensureCommands({
  tmux: "tmux",
  curl: "curl",
  git: "git",
  unshare: "util-linux",
  nsenter: "util-linux",
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
  "nats-server": "nats-server",
  openssl: "openssl",
  chromium: "chromium",
});

const only = process.argv.slice(2);
const bin = (name) => join(root, "node_modules", ".bin", name);
/**
 * Name, the real agent programs that run in it, as `install-programs.mjs` takes them, and how many of its files run at
 * once, as in `vitest.config.ts`. The unit tests come first; the others start in this order, as far as there is room:
 * those with real programs take their share of it from the beginning to the end.
 */
const CORES = availableParallelism();
/** Three hosts and three servers in one file are as much work as several files. */
const HARD = 3;
const SUITES = [
  ["unit", [], CORES],
  // Before the others, beside which it would never find its room.
  ["hardship", [], HARD],
  ["e2e", ["claude", "codex", "opencode", "gemini", "pi", "qwen"], 2],
  ["versions", ["claude@all", "codex@all", "opencode@all", "gemini@all"], 2],
  ["crash", [], 1],
  ["races", [], 1],
  ["contract", [], CORES + 1],
  ["laws", [], CORES],
];
/** Besides those with real programs: these lay out networks of their own. */
const IN_NAMESPACE = ["hardship"];
/** In a whole run these come in parts of one file at once, so that they take each place that gets free. */
const PARTS = { e2e: 4 * CORES, contract: 2 * (CORES + 1), versions: 2 * CORES };
/**
 * How many files run at once, over all suites, and of those how many with real agent programs. They wait for a program, a
 * screen or a clock about half of their time; with more at once nothing is over earlier, and each waits long for its
 * share of the machine. A program that gets no share takes typing for a paste, or loses keys. Once nothing else is left,
 * those with real programs may take all of the room.
 */
const ROOM = CORES * 2 + 1;
const ROOM_FOR_PROGRAMS = CORES + 1;

/** How many files may need a second look, and the suites whose tests depend on nothing but themselves: they get none. */
const MOST_UNSTEADY = 5;
const STEADY = ["unit", "laws"];

const unknown = only.find((name) => !SUITES.some(([suite]) => suite === name));
if (unknown !== undefined) {
  console.error(`There is no suite "${unknown}". There are ${SUITES.map(([name]) => name).join(", ")}.`);
  process.exit(2);
}
const wanted = SUITES.filter(([name]) => only.length === 0 || only.includes(name));
if (only.length === 0 && !run(process.execPath, [join(root, "scripts", "check.mjs"), "--without-tests"]))
  process.exit(1);
const programs = [...new Set(wanted.flatMap(([, needed]) => needed))];
const obstacle = wanted.some(isInNamespace) ? noLoopbackNamespace() : undefined;
if (obstacle !== undefined) stop(obstacle);
build();

const reports = mkdtempSync(join(tmpdir(), "bellhop-test-"));
const running = new Map();

function isInNamespace([name, needed]) {
  return needed.length > 0 || IN_NAMESPACE.includes(name);
}

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

function nameOf([suite, , , shard]) {
  return shard === undefined ? suite : `${suite}-${shard.part}`;
}

function reportOf(name) {
  return JSON.parse(readFileSync(join(reports, `${name}.json`), "utf8"));
}

function firstLine(text) {
  return text.trim().split("\n", 1)[0].slice(0, 300);
}

/**
 * `shown` is live; `kept` is printed at its end, so that the output of one suite stays together. `again` is one file of the
 * suite, by itself.
 */
function runSuite(part, output, again) {
  const [suite, , workers, shard] = part;
  const name = again?.name ?? nameOf(part);
  const vitest = [
    bin("vitest"),
    "run",
    "--project",
    suite,
    ...(shard === undefined ? [] : [`--shard=${shard.part}/${shard.of}`]),
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${join(reports, `${name}.json`)}`,
    ...(again === undefined ? [] : [again.file]),
  ];
  const start = performance.now();
  const log = join(reports, `${name}.log`);
  const out = output === "shown" ? "inherit" : openSync(log, "w");
  const loopbackOnly = isInNamespace(part);
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
        suite,
        ok,
        seconds: ((performance.now() - start) / 1000).toFixed(0),
        printed: out === "inherit" ? "" : readFileSync(log, "utf8"),
      });
    };
    contained.child.on("error", () => ended(false));
    contained.child.on("exit", (code) => ended(code === 0));
  });
}

/** What the newest report says of each file, with its suite. */
const files = new Map();
/** A suite that ended badly without a file that failed, or without a report. */
let broken = false;

function tell({ name, ok, seconds, printed }) {
  process.stdout.write(printed);
  console.log(`suite ${name}: ${ok ? "ok" : "FAILED"} (${seconds} s)`);
}

function count({ name, suite, ok }) {
  try {
    const said = reportOf(name).testResults.map((file) => ({ ...ofFile(file), suite }));
    for (const file of said) files.set(file.where, file);
    broken ||= !ok && said.every(({ fallen }) => fallen.length === 0);
  } catch {
    broken = true;
  }
}

function ofFile({ name, status, message, assertionResults }) {
  const where = relative(root, name);
  const having = (...wanted) => assertionResults.filter((test) => wanted.includes(test.status));
  const failed = having("failed");
  const fallen = failed.map((test) => `${test.fullName}: ${firstLine(test.failureMessages.join("\n"))}`);
  // Its tests may have passed, and something around them failed.
  if (status === "failed" && failed.length === 0) fallen.push(firstLine(message));
  return {
    where,
    fallen,
    passed: having("passed").length,
    failed: failed.length,
    skipped: having("skipped", "pending", "todo", "disabled").length,
  };
}

const sum = (what) => [...files.values()].reduce((total, file) => total + file[what], 0);

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
const room = { all: ROOM, programs: ROOM_FOR_PROGRAMS };

function take([, programs, workers], sign) {
  room.all -= sign * workers;
  if (programs.length > 0) room.programs -= sign * workers;
}

function fits([, programs, workers]) {
  const isLimited = programs.length > 0 && waiting.some(([, others]) => others.length === 0);
  return workers <= room.all && (!isLimited || workers <= room.programs);
}

function begin(suite) {
  take(suite, 1);
  const ended = runSuite(suite, others.length > 1 ? "kept" : "shown").then((result) => {
    count(result);
    if (result.ok) tell(result);
    else failures.push(result);
    take(suite, -1);
    underWay.delete(ended);
  });
  underWay.add(ended);
}

while (waiting.length + underWay.size > 0) {
  const next = waiting.findIndex((suite) => fits(suite) || underWay.size === 0);
  if (next === -1) await Promise.race(underWay);
  else begin(waiting.splice(next, 1)[0]);
}
// Last, because readers of a long log look there first.
for (const result of failures) tell(result);

/**
 * Two processors, dozens of programs: what fails in a whole run is looked at once more, one file at a time, with nothing
 * beside it. What passes then is told as unsteady, and is a fault to be mended; if more than a few are, the run fails.
 */
const suspects = [...files.values()].filter(({ fallen }) => fallen.length > 0);
const unsteady = [];
if (!broken && suspects.length <= MOST_UNSTEADY && suspects.every(({ suite }) => !STEADY.includes(suite))) {
  for (const [at, before] of suspects.entries()) {
    console.log(`once more, alone: ${before.where}`);
    const suite = SUITES.find(([name]) => name === before.suite);
    const again = { name: `${before.suite}-again-${at + 1}`, file: before.where };
    const result = await runSuite(suite, "shown", again);
    tell(result);
    count(result);
    if (files.get(before.where).fallen.length === 0) unsteady.push(before);
  }
}

const e2e = others.some(([name]) => name === "e2e");
if (!broken && e2e) {
  const reported = readdirSync(reports).filter((name) => /^e2e.*\.json$/.test(name));
  const sentence = outdatedPage(reported.map((name) => reportOf(name.replace(/\.json$/, ""))));
  if (sentence !== undefined) {
    console.log(sentence);
    broken = true;
  }
}
rmSync(reports, { recursive: true, force: true });
for (const { where, fallen } of unsteady)
  for (const line of fallen) console.log(`unsteady, passed alone: ${where}: ${line}`);
for (const { where, fallen } of files.values())
  for (const line of fallen) console.log(`failed: ${where}: ${line}`);
const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
console.log(
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped: a test runs or goes` : ""}`,
);
const ok = !broken && [...files.values()].every(({ fallen }) => fallen.length === 0);
process.exitCode = ok && skipped === 0 ? 0 : 1;
