/**
 * What may go in the answer to a program's own hook. The program waits for that answer at a moment that it names
 * itself, so the queue need not guess from the screen.
 */
import { isAtLeast } from "./evidence.ts";
import type { Evidence, Priority, Release } from "./message.ts";
import type { Readiness } from "./readiness/readiness.ts";
import type { WaysIn } from "./rights/ways-in.ts";

/** `tool-result`: in the middle of a turn. `turn-end`: text starts the next one. */
export type HookMoment = "tool-result" | "turn-end";

/** The strongest proof that follows such an answer: the program's session file shows it. */
export const BEST_OF_HOOK: Evidence = "transcript";

/** What the choice needs to know of a queued delivery. */
export interface HookCandidate {
  readonly priority: Priority;
  readonly raw: boolean;
  readonly ways: WaysIn;
  readonly release: Release;
  readonly require?: Evidence;
}

/** An interrupt goes its own way, and what must be typed waits for the composer. */
export function mayTakeHook(delivery: HookCandidate, moment: HookMoment): boolean {
  const { raw, priority, ways, require } = delivery;
  if (raw || priority === "interrupt" || ways === "typed-only") return false;
  // It can be typed in a moment.
  if (ways === "typed-first" && moment === "turn-end") return false;
  return require === undefined || isAtLeast(BEST_OF_HOOK, require);
}

/** While one waits that a person has not held back, nothing else is handed over. */
export function isAnInterruptWaiting(all: readonly HookCandidate[]): boolean {
  return all.some(({ priority, raw, release }) => priority === "interrupt" && !raw && release !== "withheld");
}

/**
 * The readiness that counts while the program waits for the answer. `settled`: as it will be once the turn that has
 * just ended is settled. A program whose tool has just ended is in a turn, whatever its screen shows, unless that is
 * a dialog.
 */
export function readinessAtHook(moment: HookMoment, settled: Readiness): Readiness {
  if (settled.kind === "exited" || settled.kind === "blocked") return settled;
  return moment === "turn-end" ? settled : openAt(moment);
}

/** The readiness if nothing else is known than that its hook waits. */
export function openAt(moment: HookMoment): Readiness {
  return moment === "turn-end"
    ? { kind: "idle", because: "its turn has ended" }
    : { kind: "busy", because: "a tool has just ended" };
}

/**
 * How often in a row the program went on because of an answer at the end of a turn, whoever gave it: the person's own
 * hooks count for the program too. Before the first end of a turn that was not such a one, nobody knows.
 */
export function continuedInARow(before: number, end: "continued" | "other"): number {
  return end === "continued" ? before + 1 : 0;
}

export const NOBODY_KNOWS_HOW_OFTEN = Number.POSITIVE_INFINITY;
