/** Starts the daemon in the background and waits until it answers. Loaded only when there is none. */
import type { ChildProcess } from "node:child_process";
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { BellhopError, diskFullError, type ErrorDetail, isErrorCode, isNoRoom } from "../core/errors.ts";
import type { Instant } from "../core/message.ts";
import { AGENT_VARIABLES } from "../core/rights/agent-programs.ts";
import type { Home } from "../home/home.ts";
import { isAlive, readHolder } from "../home/lock-holder.ts";
import { BEGAN_OPTION, isOverruled, overruledError } from "../home/stop-mark.ts";
import { startProgram } from "../system/starting.ts";
import { type Client, connectIfRunning } from "./connect.ts";
import { claimsFrom } from "./identity.ts";
import { errorFrom } from "./transport/failures.ts";

export const START_LIMITS = {
  /** A large store must be recovered before the first answer. */
  deadlineMs: 30_000,
  /** Another command may have started one at the same moment: we use that one. */
  otherStarterMs: 10_000,
  /** For a daemon without a socket: it restores the socket, or releases the lock. */
  holderMs: 1_000,
  /** The daemon we started notices by itself that it was overruled, and has this long to end. */
  overruledMs: 5_000,
  lookEveryMs: 25,
  lastWordsBytes: 64 * 1024,
  /** A daemon that cannot start writes the same output at every attempt. */
  outputBytes: 1024 * 1024,
} as const;

export interface DaemonStart {
  /** The daemon's own entry file. */
  readonly entry: string;
  readonly home: Pick<Home, "root" | "socket" | "lock" | "logs" | "stopMark">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** When the command that needs it began. */
  readonly began: Instant;
  now(): Instant;
}

/** Variables of the agent that happens to start the daemon must not become the daemon's. */
const SCRUBBED = ["BELLHOP_SESSION_ID", "BELLHOP_TURN", ...AGENT_VARIABLES, "TMUX_PANE"];

export async function startDaemon(start: DaemonStart): Promise<Client> {
  const holder = await fromHolder(start);
  if (holder !== undefined) return holder;
  const deadline = performance.now() + START_LIMITS.deadlineMs;
  for (;;) {
    const outcome = await startOne(start, deadline);
    if (outcome !== "nobody-holds-the-lock") return outcome;
  }
}

async function startOne(start: DaemonStart, deadline: number): Promise<Client | "nobody-holds-the-lock"> {
  refuseWhenOverruled(start);
  const output = openLastWords(join(start.home.logs, "daemon.out"));
  try {
    const from = fstatSync(output).size;
    const began = `${BEGAN_OPTION}${start.began}`;
    // Without options for Node: with any of V8's, V8 refuses all that was compiled before, Node's own modules too.
    const { child } = startProgram(process.execPath, [start.entry, began], {
      cwd: start.home.root,
      detached: true,
      env: scrubbed(start.env),
      stdio: ["ignore", output, output],
    });
    const ended = endOf(child);
    try {
      return await waitForAnswer(start, ended, deadline, (how) => failureOf(output, from, how));
    } finally {
      child.unref();
    }
  } finally {
    closeSync(output);
  }
}

/** A second daemon would only wait for the lock. */
async function fromHolder(start: DaemonStart): Promise<Client | undefined> {
  const until = performance.now() + START_LIMITS.holderMs;
  while (isHeld(start) && performance.now() <= until) {
    await pause(START_LIMITS.lookEveryMs);
    const client = await connectIfThere(start);
    if (client !== undefined) return client;
    refuseWhenOverruled(start);
  }
  return undefined;
}

interface Ending {
  how: string | undefined;
}

async function waitForAnswer(
  start: DaemonStart,
  ending: Ending,
  deadline: number,
  failure: (how: string) => BellhopError,
): Promise<Client | "nobody-holds-the-lock"> {
  const startedAt = performance.now();
  for (;;) {
    const client = await connectIfThere(start);
    if (client !== undefined) return client;
    const elapsedMs = performance.now() - startedAt;
    if (ending.how !== undefined) {
      refuseWhenOverruled(start);
      const why = failure(ending.how);
      if (why.code !== "daemon.already_running" || elapsedMs > START_LIMITS.otherStarterMs) throw why;
      // The holder has ended since, and perhaps no other daemon will start.
      if (!isHeld(start) && performance.now() < deadline) return "nobody-holds-the-lock";
    } else if (elapsedMs > START_LIMITS.overruledMs) refuseWhenOverruled(start);
    if (performance.now() > deadline) {
      throw new BellhopError("daemon.start_failed", {
        message: `The daemon did not answer within ${START_LIMITS.deadlineMs / 1_000} s.`,
        next: 'Look at "bellhop logs", or start it with "bellhop up --foreground" to see what it does.',
      });
    }
    await pause(START_LIMITS.lookEveryMs);
  }
}

function isHeld({ home }: DaemonStart): boolean {
  const holder = readHolder(home.lock);
  return holder !== undefined && isAlive(holder.pid);
}

function refuseWhenOverruled({ home, began, now }: DaemonStart): void {
  if (isOverruled(home.stopMark, { began, now: now() })) throw overruledError();
}

function connectIfThere({ home, env }: DaemonStart): Promise<Client | undefined> {
  return connectIfRunning(home.socket, claimsFrom(env, process.pid));
}

function endOf(child: ChildProcess): Ending {
  const ending: Ending = { how: undefined };
  child.once("error", (error) => {
    ending.how = error.message;
  });
  child.once("exit", (code, signal) => {
    ending.how = signal === null ? `exit status ${code}` : signal;
  });
  return ending;
}

/** On a full disk, the daemon's last output is the first thing that is lost. */
function failureOf(output: number, from: number, how: string): BellhopError {
  const failure = failureFrom(lastWords(output, from), how);
  if (failure.code !== "daemon.start_failed") return failure;
  try {
    writeSync(output, "\n");
    return failure;
  } catch (error) {
    return isNoRoom(error) ? diskFullError("the daemon could not start", error) : failure;
  }
}

/** The daemon's last line is an error in our own format, unless it crashed. */
export function failureFrom(output: string, how: string): BellhopError {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const detail = readDetail(lines.at(-1) ?? "");
  if (detail !== undefined) return detail;
  // Below a stack trace, the last line is Node's version.
  const last = lines.findLast((line) => /^\S*(?:Error|Exception)\b.*:/.test(line)) ?? lines.at(-1);
  return new BellhopError("daemon.start_failed", {
    message: `The daemon ended as soon as it was started (${how})${last === undefined ? "." : `: ${last.slice(0, 500)}`}`,
    next: 'Look at "bellhop logs", or start it with "bellhop up --foreground" to see what it does.',
  });
}

function readDetail(line: string): BellhopError | undefined {
  try {
    const { error } = JSON.parse(line) as { readonly error?: Partial<ErrorDetail> };
    if (error?.code === undefined || !isErrorCode(error.code) || error.message === undefined)
      return undefined;
    return errorFrom(error);
  } catch {
    return undefined;
  }
}

function lastWords(file: number, from: number): string {
  const length = Math.min(Math.max(0, fstatSync(file).size - from), START_LIMITS.lastWordsBytes);
  const bytes = Buffer.alloc(length);
  const read = readSync(file, bytes, 0, length, fstatSync(file).size - length);
  return bytes.subarray(0, read).toString("utf8");
}

function openLastWords(path: string): number {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  try {
    const file = openSync(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
    if (fstatSync(file).size > START_LIMITS.outputBytes) ftruncateSync(file);
    return file;
  } catch (error) {
    if (isNoRoom(error)) throw diskFullError(`${path} could not be opened`, error);
    throw new BellhopError("daemon.start_failed", {
      message: `Cannot write ${path} (${(error as NodeJS.ErrnoException).code}).`,
      next: "Check that the folder is yours and that the disk has room.",
      cause: error,
    });
  }
}

function scrubbed(env: DaemonStart["env"]): NodeJS.ProcessEnv {
  const kept = { ...env };
  for (const name of SCRUBBED) delete kept[name];
  return kept;
}
