// Commands that leave no process behind. On Linux each runs in its own PID namespace: when its first process ends, for
// whatever reason, the kernel ends everything that was ever started in it, even processes that detached themselves. Uses
// only Node's own modules, because this runs before npm packages are installed.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const isRoot = process.getuid?.() === 0;
const OWN_PROCESSES = ["--pid", "--fork", "--kill-child", "--mount-proc"];
const LOOPBACK_ONLY = ["--net"];
const MS_BETWEEN_LOOKS = 500;

// The shell is the namespace's first process, and so the parent of every orphan: while it waits it reaps them all. With
// `exec` they would remain as zombies, which look alive.
const FIRST_PROCESS = '"$@"; exit $?';
const WITH_LOOPBACK = `ip link set lo up || exit 1; ${FIRST_PROCESS}`;

/** Root needs no mapping. Only root inside the namespace may bring loopback up. */
const mapped = (loopbackOnly) => {
  if (isRoot) return [];
  return [loopbackOnly ? "--map-root-user" : "--map-current-user"];
};

const works = (flags) => spawnSync("unshare", [...flags, "true"], { stdio: "ignore" }).status === 0;

/** Why a namespace with nothing but loopback cannot be created here, or undefined. */
export function noLoopbackNamespace() {
  if (process.platform !== "linux") {
    return `The rig needs Linux network namespaces; this is ${process.platform}. Run it in a Linux container or VM.`;
  }
  const flags = [...mapped(true), ...LOOPBACK_ONLY];
  const empty = spawnSync("unshare", [...flags, "true"], { encoding: "utf8" });
  if (empty.error) {
    return `The rig needs "unshare", which cannot be run here (${empty.error.code}). Install the package util-linux.`;
  }
  if (empty.status !== 0) {
    return `The rig may not create a network namespace here (${lastLine(empty.stderr)}). Run it as root, or allow unprivileged user namespaces.`;
  }
  const loopback = spawnSync("unshare", [...flags, "ip", "link", "set", "lo", "up"], { encoding: "utf8" });
  if (loopback.status === 0) return undefined;
  return `The rig cannot bring loopback up with "ip" (${lastLine(loopback.stderr)}). Install the package iproute2.`;
}

/**
 * Like `spawn`; with `loopbackOnly`, in a network that has nothing else. `stop()` ends it and all it started, and so does
 * the end of this process. Without PID namespaces (macOS, some containers) only its process group ends.
 */
export function spawnContained(command, { loopbackOnly = false, ...options } = {}) {
  const network = loopbackOnly ? LOOPBACK_ONLY : [];
  const whole = [...mapped(loopbackOnly), ...OWN_PROCESSES, ...network];
  const contained = process.platform === "linux" && works(whole);
  const flags = contained ? whole : [...mapped(loopbackOnly), ...network];
  const words =
    contained || loopbackOnly
      ? ["unshare", ...flags, "sh", "-c", loopbackOnly ? WITH_LOOPBACK : FIRST_PROCESS, "sh", ...command]
      : command;
  const [file, ...args] = contained ? ["setpriv", "--pdeathsig", "KILL", ...words] : words;
  const child = spawn(file, args, { ...options, detached: !contained });
  const stop = () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    if (contained) child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  };
  return { child, stop };
}

/** Calls `end` on Ctrl+C, on a signal to end, and when the process that started this one has gone without a signal. */
export function onStop(end) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => end(signal));
  const before = starters();
  const look = () => {
    if (starters() === before) return;
    clearInterval(watch);
    end("SIGHUP");
  };
  const watch = setInterval(look, MS_BETWEEN_LOOKS);
  watch.unref();
}

/** The processes that started this one; under npm these are a shell and npm itself. */
function starters() {
  if (process.platform !== "linux" || process.env.npm_lifecycle_event === undefined) return `${process.ppid}`;
  try {
    const status = readFileSync(`/proc/${process.ppid}/status`, "utf8");
    return `${process.ppid} ${/^PPid:\s+(\d+)$/mu.exec(status)?.[1]}`;
  } catch {
    return `${process.ppid} gone`;
  }
}

function lastLine(text) {
  return text.trim().split("\n").at(-1) || "no reason given";
}
