import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { present } from "../core/present.ts";
import { type Job, type Jobs, standingOf } from "../core/readiness/standing.ts";
import type { Processes, ProcessIdentity, ProcessInfo, StandingNow } from "../ports/processes.ts";
import { isInUse } from "./in-use.ts";
import { aliveBy, isForeground, isStopped, type ProcStat, parseProcStat } from "./proc-stat.ts";

const MAX_TREE = 2_048;
/** Boot id and clock ticks since boot. */
const START_FORM = /^[^:]{8}:\d+$/;
const MAX_LINEAGE = 256;
/** One for an agent, for each process between it and its terminal, and for each of its children. */
const MOST_HELD = 32;

/** Includes the boot, because ticks since boot repeat after a reboot. */
type StartOf = (stat: ProcStat) => string;

/** Synchronous: the host calls it in the same event-loop turn in which it sends keys. */
export function linuxStanding(root = "/proc", read: ReadShort = readShort): StandingNow {
  const startOf = startsOf(root);
  const of = (pid: number): Job | undefined => {
    const stat = statIn(root, pid, read);
    if (stat === "gone") return undefined;
    const { parentPid, group, foregroundGroup, terminal } = stat;
    return {
      startedAt: startOf(stat),
      parentPid,
      group,
      foregroundGroup,
      terminal: terminal === 0 ? undefined : String(terminal),
      reads: terminal === 0 ? inputOf(root, pid) : undefined,
      isStopped: isStopped(stat),
    };
  };
  // Only the first thread's children, where a wrapper starts its program: this runs around every key.
  const under = (pid: number): readonly Job[] =>
    childrenOfThread(root, pid, String(pid), read).flatMap((child) => {
      const job = of(child);
      if (job === undefined) return [];
      return job.isStopped ? [{ ...job, readsTerminal: readsTerminal(root, child) }] : [job];
    });
  return (agent, terminalPid) => {
    // The agent is often the very process that its terminal was opened with: it is read once.
    const known = new Map<number, Job | undefined>();
    const once = (pid: number): Job | undefined => {
      if (!known.has(pid)) known.set(pid, of(pid));
      return known.get(pid);
    };
    const jobs: Jobs = { of: once, under };
    try {
      return standingOf(agent, terminalPid, jobs);
    } catch {
      return "unknown";
    }
  };
}

/** The device number of its standard input, as `stat` reports a terminal. Hidden for another user's process. */
function inputOf(root: string, pid: number): string | undefined {
  try {
    return String(statSync(`${root}/${pid}/fd/0`).rdev);
  } catch {
    return undefined;
  }
}

function startsOf(root: string): StartOf {
  const bootId = readFileSync(join(root, "sys/kernel/random/boot_id"), "utf8").slice(0, 8);
  return (stat) => `${bootId}:${stat.startTicks}`;
}

function statIn(root: string, pid: number, read: ReadShort = readShort): ProcStat | "gone" {
  const line = read(`${root}/${pid}/stat`);
  if (line === "gone") return "gone";
  const stat = parseProcStat(line);
  if (stat === undefined) throw new Error(`${root}/${pid}/stat is in an unknown form`);
  return stat.state === "Z" || stat.state === "X" ? "gone" : stat;
}

/**
 * Processes read from `/proc`. The reads are synchronous: each takes microseconds, and a thread's round trip would
 * cost more than the read. Other work can run between two trees.
 */
export function linuxProcesses(root = "/proc", read: ReadShort = readShort): Processes {
  const startOf = startsOf(root);
  const standing = linuxStanding(root, read);
  const startIn = (pid: number, by?: ReadShort): string | "gone" => {
    const stat = statIn(root, pid, by);
    return stat === "gone" ? "gone" : startOf(stat);
  };
  // A kernel option; without it every process must be asked for its parent.
  const namesItsChildren = existsSync(join(root, "thread-self/children"));
  return {
    async tree(rootPid) {
      await setImmediate();
      const byParent = namesItsChildren ? undefined : childrenByParent(root);
      const childrenUnder = (pid: number): readonly number[] =>
        byParent === undefined ? childrenOf(root, pid) : (byParent.get(pid) ?? []);
      return statsUnder(root, rootPid, childrenUnder).map((stat) => describe(root, stat, startOf));
    },
    async identify(pid) {
      const startedAt = startIn(pid);
      return startedAt === "gone" ? "gone" : { pid, startedAt };
    },
    lineage: async (pid) => lineageOf(root, pid, startOf),
    alive: (pid, startedAt) => aliveBy(() => startIn(pid, read), startedAt, START_FORM),
    isInUse,
    standing: async (agent, terminalPid) => standing(agent, terminalPid),
    async workingFolder(pid) {
      try {
        return readlinkSync(join(root, String(pid), "cwd"));
      } catch {
        return undefined;
      }
    },
    async environment(pid, names) {
      const text = readOrGone(join(root, String(pid), "environ"));
      return text === "gone" ? {} : pickVariables(splitNul(text), names);
    },
  };
}

function statsUnder(
  root: string,
  rootPid: number,
  childrenUnder: (pid: number) => readonly number[],
): readonly ProcStat[] {
  const found: ProcStat[] = [];
  const waiting = [rootPid];
  for (let pid = waiting.shift(); pid !== undefined; pid = waiting.shift()) {
    const stat = statIn(root, pid);
    if (stat === "gone") continue;
    if (found.length >= MAX_TREE) throw new Error(`More than ${MAX_TREE} processes under ${rootPid}`);
    found.push(stat);
    waiting.push(...childrenUnder(pid));
  }
  return found;
}

function describe(root: string, stat: ProcStat, startOf: StartOf): ProcessInfo {
  const commandLine = readOrGone(join(root, String(stat.pid), "cmdline"));
  const foreground = isForeground(stat);
  return {
    pid: stat.pid,
    parentPid: stat.parentPid,
    startedAt: startOf(stat),
    argv: commandLine === "gone" ? [] : splitNul(commandLine),
    command: stat.command,
    group: stat.group,
    isStopped: isStopped(stat),
    ...present({ foreground }),
  };
}

function lineageOf(root: string, pid: number, startOf: StartOf): readonly ProcessIdentity[] {
  const found: ProcessIdentity[] = [];
  for (let at = pid; at > 0 && found.length < MAX_LINEAGE; ) {
    const stat = statIn(root, at);
    if (stat === "gone") break;
    found.push({ pid: at, startedAt: startOf(stat) });
    at = stat.parentPid;
  }
  return found;
}

function pickVariables(
  entries: readonly string[],
  names: readonly string[],
): Readonly<Record<string, string>> {
  const wanted = entries
    .map((entry): [string, string] => {
      const equals = entry.indexOf("=");
      return [entry.slice(0, equals), entry.slice(equals + 1)];
    })
    .filter(([name]) => names.includes(name));
  return Object.fromEntries(wanted);
}

function childrenOf(root: string, pid: number): readonly number[] {
  return namesIn(join(root, String(pid), "task")).flatMap((task) => childrenOfThread(root, pid, task));
}

function childrenOfThread(
  root: string,
  pid: number,
  thread: string,
  read: ReadShort = readShort,
): readonly number[] {
  const text = read(`${root}/${pid}/task/${thread}/children`);
  return text === "gone" || text === "" ? [] : (text.match(/\d+/g) ?? []).map(Number);
}

/** If this cannot be read, the process counts as a reader. */
function readsTerminal(root: string, pid: number): boolean {
  try {
    return /^\/dev\/(?:pts\/|tty)/.test(readlinkSync(join(root, String(pid), "fd/0")));
  } catch {
    return true;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function childrenByParent(root: string): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync(root)) {
    const stat = /^\d+$/.test(name) ? statIn(root, Number(name)) : "gone";
    if (stat === "gone") continue;
    children.set(stat.parentPid, [...(children.get(stat.parentPid) ?? []), stat.pid]);
  }
  return children;
}

type ReadShort = (path: string) => string | "gone";

const page = Buffer.allocUnsafe(4_096);

/**
 * For what nearly always fits into half a page: then one read brings all of it. `readFileSync` reads on until the end
 * and so makes the kernel put all of it together once more.
 */
function readShort(path: string): string | "gone" {
  return unlessGone(() => {
    const file = openSync(path, "r");
    try {
      const length = readSync(file, page);
      return length > page.length / 2 ? readFileSync(path, "utf8") : page.toString("utf8", 0, length);
    } finally {
      closeSync(file);
    }
  });
}

/**
 * Keeps open what it reads of processes themselves, for who asks about the same agent around every key: to open such a
 * file costs more than to read it. It belongs to the process that it was opened for and not to its number: the kernel
 * puts it together anew at every read, and refuses once that process has ended. A list of children is not like that: it
 * is empty then, as if the next process of that number had none.
 */
export function readingHeld(): ReadShort {
  const held = new Map<string, number>();
  const drop = (path: string, file: number): void => {
    held.delete(path);
    closeSync(file);
  };
  const textIn = (file: number): string | undefined => {
    const length = readSync(file, page, 0, page.length, 0);
    return length > page.length / 2 ? undefined : page.toString("utf8", 0, length);
  };
  return (path) => {
    if (!path.endsWith("/stat")) return readShort(path);
    const file = held.get(path);
    if (file !== undefined) {
      try {
        return textIn(file) ?? readShort(path);
      } catch {
        // Another process may have its number by now.
        drop(path, file);
      }
    }
    return unlessGone(() => {
      const opened = openSync(path, "r");
      for (const [oldest, itsFile] of held) if (held.size >= MOST_HELD) drop(oldest, itsFile);
      held.set(path, opened);
      return textIn(opened) ?? readShort(path);
    });
  };
}

function readOrGone(path: string): string | "gone" {
  return unlessGone(() => readFileSync(path, "utf8"));
}

function unlessGone(read: () => string): string | "gone" {
  try {
    return read();
  } catch (error) {
    if (isGone(error)) return "gone";
    throw error;
  }
}

/** ESRCH: the process ended between open and read. */
function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ESRCH" || code === "ENOTDIR";
}

function splitNul(text: string): readonly string[] {
  // A program that renames itself leaves trailing NULs.
  const trimmed = text.replace(/\0+$/, "");
  return trimmed === "" ? [] : trimmed.split("\0");
}
