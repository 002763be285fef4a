// npm test: installs what is missing, builds, then every suite. The suites with real agent programs run in a network
// namespace that has nothing but loopback.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
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
const reports = mkdtempSync(join(tmpdir(), "bellhop-test-"));

/** Name, and whether real agent programs run in it. */
const SUITES = [
  ["unit", false],
  ["contract", false],
  ["crash", false],
  ["races", false],
  ["e2e", true],
];

const wanted = SUITES.filter(([name]) => only.length === 0 || only.includes(name));
if (only.length === 0 && !run(process.execPath, [join(root, "scripts", "check.mjs"), "--without-tests"]))
  process.exit(1);
build();
if (wanted.some(([, agents]) => agents)) {
  if (!run(process.execPath, [join(root, "tests", "rig", "install-programs.mjs")])) process.exit(1);
}

let passed = 0;
let failed = 0;
let broken = false;
for (const [name, agents] of wanted) {
  const report = join(reports, `${name}.json`);
  const vitest = [
    bin("vitest"),
    "run",
    "--project",
    name,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  const command = agents
    ? [process.execPath, join(root, "tests", "rig", "in-namespace.mjs"), "--", ...vitest]
    : vitest;
  const start = performance.now();
  const ok = run(command[0], command.slice(1));
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
    passed += numPassedTests;
    failed += numFailedTests;
  } catch {
    broken = true;
  }
  broken ||= !ok;
  console.log(
    `suite ${name}: ${ok ? "ok" : "FAILED"} (${((performance.now() - start) / 1000).toFixed(0)} s)`,
  );
}
rmSync(reports, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = broken || failed > 0 ? 1 : 0;
