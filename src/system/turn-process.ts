/**
 * Runs one program in a process group of its own, which never outlives us: whatever is left of the group is killed when
 * our end of a pipe closes, by us or by our death. The program is not run before `released` has resolved.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Duplex, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../ports/clock.ts";
import { BoundedLines, type LineLimits } from "./bounded-lines.ts";
import { type Started, startProgram } from "./starting.ts";

/** The limits are those of its standard output. */
export interface TurnProcess extends LineLimits {
  readonly words: readonly string[];
  readonly stdin: string;
  readonly folder: string;
  /** With its mark. */
  readonly environment: Readonly<Record<string, string>> & { readonly [TURN_MARK]: string };
  readonly deadlineMs: number;
  readonly clock: Pick<Clock, "after">;
  readonly signal: AbortSignal;
  released(pid: number): Promise<void>;
  line(text: string): void;
}

export type TurnProcessOutcome =
  | { readonly kind: "ended"; readonly code: number | null; readonly stderr: string }
  | { readonly kind: "not-started"; readonly why: string }
  | { readonly kind: "late" }
  | { readonly kind: "too-long" }
  | { readonly kind: "stopped" };

/** Between being asked to end and being ended. */
export const GRACE_MS = 3_000;
/** For the watcher to kill what is left, and for output that is still in the pipe. */
const SETTLING_MS = 2_000;
const MOST_ERROR_CHARACTERS = 2_000;
/** The variable by which everything that a turn starts is recognised: each turn has its own value. */
export const TURN_MARK = "BELLHOP_TURN";
/** Said to the watcher when the program has ended by itself: what it left running elsewhere, it meant to. */
const ALL_DONE = "done";
/** With these words, and only with them, the guard says that nothing was run: a program may end with any status. */
const NOT_FOUND = "not found: ";

/**
 * Programs run their commands in groups of their own, which would outlive a program that is killed. Everything that a
 * turn started carries its mark in its environment, so what has left the group is found by that, where there is /proc.
 * What is forked meanwhile is found by another look. The group itself, to which the watcher belongs, comes last.
 */
const KILL_MARKED = `
for look in 1 2 3 4 5; do
  found=
  for file in $(grep -lsF "${TURN_MARK}=$${TURN_MARK}" /proc/[0-9]*/environ); do
    pid=\${file%/environ}
    pid=\${pid#/proc/}
    read -r stat <"/proc/$pid/stat" || continue
    set -- \${stat##*) }
    [ "$3" = "$$" ] || { kill -KILL "$pid" && found=yes; }
  done
  [ "$found" = yes ] || break
done`;

/** Waits for the word, leaves a watcher that ends the group when the pipe closes, and becomes the program. */
const GUARD = [
  "read -r go <&3 || exit 125",
  `command -v "$1" >/dev/null || { echo "${NOT_FOUND}$1" >&2; exit 127; }`,
  // Before there is a watcher: it must not be ended by a signal that is there before its first command.
  "trap '' TERM INT HUP",
  `( read -r word <&3; [ "$word" = ${ALL_DONE} ] || {`,
  KILL_MARKED,
  "}; kill -KILL 0 ) </dev/null >/dev/null 2>&1 &",
  `trap - TERM INT HUP; exec 3<&-; exec "$@"`,
].join("\n");

/** Never throws: what cannot be started has an outcome too. */
export async function runTurnProcess(turn: TurnProcess): Promise<TurnProcessOutcome> {
  try {
    return await watched(turn, started(turn));
  } catch (cause) {
    return { kind: "not-started", why: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Throws if the words cannot be a command line, such as with a NUL, or too long ones. */
function started({ words, folder, environment }: TurnProcess): Started {
  return startProgram("/bin/sh", ["-c", GUARD, "sh", ...words], {
    cwd: folder,
    env: { ...environment },
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    detached: true,
  });
}

async function watched(
  turn: TurnProcess,
  { child, stdin, stdout, stderr }: Started,
): Promise<TurnProcessOutcome> {
  const { pid } = child;
  const leash = child.stdio?.[3] as Duplex | null | undefined;
  // It may end without reading what it was given.
  for (const pipe of [stdin, leash]) pipe?.on("error", () => {});
  const said = lastWords(stderr);
  const end = watchForEnd(turn, child);
  const allRead = readLines(stdout, turn, () => {
    end.with({ kind: "too-long" });
    // Also if it was asked to end before: whoever floods us gets no time for it.
    leash?.end();
  });
  try {
    if (pid === undefined || !leash) return await end.outcome;
    await turn.released(pid);
    if (!end.isKnown()) {
      leash.write("go\n");
      stdin.end(turn.stdin);
    }
    const outcome = await end.outcome;
    if (outcome.kind !== "ended") {
      if (outcome.kind !== "not-started")
        await endIt(pid, child, leash, outcome.kind === "too-long" ? 0 : GRACE_MS);
      return outcome;
    }
    leash.write(`${ALL_DONE}\n`);
    await letGo(leash);
    await Promise.race([allRead, sleep(SETTLING_MS, undefined, { ref: false })]);
    return explained(turn, outcome.code, said().trim());
  } finally {
    end.stopWatching();
    if (leash) await letGo(leash);
    // What has left the group may hold them open for ever.
    for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
  }
}

/** The first reason to end it, whichever that is. */
function watchForEnd({ deadlineMs, clock, signal }: TurnProcess, child: ChildProcess) {
  const { promise: outcome, resolve } = promised<TurnProcessOutcome>();
  let isKnown = false;
  const end = (found: TurnProcessOutcome): void => {
    isKnown = true;
    resolve(found);
  };
  const stopped = (): void => end({ kind: "stopped" });
  const cancelDeadline = clock.after(deadlineMs, () => end({ kind: "late" }));
  signal.addEventListener("abort", stopped, { once: true });
  if (signal.aborted) stopped();
  child.on("error", (cause) => end({ kind: "not-started", why: cause.message }));
  // Not "close": the watcher holds a pipe open until we let go.
  child.on("exit", (code) => end({ kind: "ended", code, stderr: "" }));
  return {
    outcome,
    with: end,
    isKnown: () => isKnown,
    stopWatching: () => {
      cancelDeadline();
      signal.removeEventListener("abort", stopped);
    },
  };
}

/** Resolves when the output has ended. */
function readLines(stdout: Readable, turn: TurnProcess, tooMuch: () => void): Promise<void> {
  const lines = new BoundedLines(turn, (text) => turn.line(text), tooMuch);
  stdout.on("data", (chunk: Buffer) => lines.take(chunk));
  return new Promise((resolve) =>
    stdout.once("end", () => {
      lines.ended();
      resolve();
    }),
  );
}

function lastWords(stderr: Readable): () => string {
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-MOST_ERROR_CHARACTERS);
  });
  return () => said;
}

function explained({ words }: TurnProcess, code: number | null, stderr: string): TurnProcessOutcome {
  if (code === 127 && stderr === `${NOT_FOUND}${words[0]}`) return { kind: "not-started", why: stderr };
  return { kind: "ended", code, stderr };
}

/** The watcher kills what does not end. We do so only if it fails: it dies with the group, and what has left would stay. */
async function endIt(pid: number, child: ChildProcess, leash: Duplex, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  signalGroup(pid, "SIGTERM");
  const timers = [
    setTimeout(() => leash.end(), graceMs),
    setTimeout(() => signalGroup(pid, "SIGKILL"), graceMs + SETTLING_MS),
  ];
  await exited;
  for (const timer of timers) clearTimeout(timer);
}

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** The watcher kills the group with itself, and so lets go of the pipe. */
async function letGo(leash: Duplex): Promise<void> {
  if (leash.destroyed) return;
  const closed = once(leash, "close");
  leash.resume().end();
  await Promise.race([closed, sleep(SETTLING_MS, undefined, { ref: false })]);
  leash.destroy();
}

function promised<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
