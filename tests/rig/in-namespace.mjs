// Runs a command in a network namespace that has nothing but loopback:
//   node tests/rig/in-namespace.mjs [--install claude,codex] -- CMD…
// The agents under test then cannot reach anything but the fake model. There is no fallback: a suite that
// ran outside would talk to the real services.
import { spawn, spawnSync } from "node:child_process";
import { constants } from "node:os";
import { installProgram } from "./install-programs.mjs";

const BRING_LOOPBACK_UP = 'ip link set lo up && exec "$@"';

const { programs, command } = readArguments(process.argv.slice(2));
const unshareFlag = process.getuid?.() === 0 ? "-n" : "-rn";

requireNamespaces();
installPrograms();
runInside();

function readArguments(given) {
  const separator = given.indexOf("--");
  const command = separator < 0 ? [] : given.slice(separator + 1);
  const options = separator < 0 ? given : given.slice(0, separator);
  const usage = "usage: node tests/rig/in-namespace.mjs [--install claude,codex] -- CMD…";
  if (command.length === 0) fail(usage, 2);
  if (options.length === 0) return { programs: [], command };
  if (options.length !== 2 || options[0] !== "--install") fail(usage, 2);
  return { programs: options[1].split(",").filter(Boolean), command };
}

function requireNamespaces() {
  if (process.platform !== "linux")
    fail(
      `The rig needs Linux network namespaces; this is ${process.platform}. Run it in a Linux container or VM.`,
    );
  const empty = spawnSync("unshare", [unshareFlag, "true"], { encoding: "utf8" });
  if (empty.error)
    fail(
      `The rig needs "unshare", which cannot be run here (${empty.error.code}). Install the package util-linux.`,
    );
  if (empty.status !== 0) {
    fail(
      `The rig may not create a network namespace here (${lastLine(empty.stderr)}). Run it as root, or allow unprivileged user namespaces.`,
    );
  }
  const loopback = spawnSync("unshare", [unshareFlag, "ip", "link", "set", "lo", "up"], { encoding: "utf8" });
  if (loopback.status !== 0) {
    fail(
      `The rig cannot bring loopback up with "ip" (${lastLine(loopback.stderr)}). Install the package iproute2.`,
    );
  }
}

function installPrograms() {
  try {
    for (const name of programs) installProgram(name);
  } catch (cause) {
    fail(cause.message);
  }
}

function runInside() {
  const child = spawn("unshare", [unshareFlag, "sh", "-c", BRING_LOOPBACK_UP, "sh", ...command], {
    stdio: "inherit",
    env: { ...process.env, BELLHOP_RIG_NAMESPACE: "1" },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (cause) => fail(`unshare did not start: ${cause.message}`));
  child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}

function lastLine(text) {
  return text.trim().split("\n").at(-1) || "no reason given";
}

function fail(line, status = 1) {
  console.error(line);
  process.exit(status);
}
