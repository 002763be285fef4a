/** When a turn began, and whether its end is worth a message to someone who is away. */
import type { Instant } from "../message.ts";

const LONG_MS = 30_000;
const ENDS: readonly string[] = ["turn-ended", "turn-failed"];
const TURNS: readonly string[] = ["prompt-submitted", ...ENDS];

interface TurnReport {
  readonly event: string;
  readonly emittedAt: Instant;
  readonly subAgent?: string;
}

/** By what its hooks reported: the first prompt since the turn before. */
export function turnBegan(reports: readonly TurnReport[], at: Instant): Instant | undefined {
  const own = reports
    .filter(({ emittedAt, subAgent }) => emittedAt < at && subAgent === undefined)
    .toSorted((a, b) => a.emittedAt - b.emittedAt);
  const before = own.findLastIndex(({ event }) => ENDS.includes(event));
  return own.slice(before + 1).find(({ event }) => event === "prompt-submitted")?.emittedAt;
}

/** When its last turn ended; undefined if its hooks reported no end, or something of the next turn. */
export function lastTurnEnd(reports: readonly TurnReport[]): Instant | undefined {
  const last = reports
    .filter(({ event, subAgent }) => subAgent === undefined && TURNS.includes(event))
    .toSorted((a, b) => a.emittedAt - b.emittedAt)
    .at(-1);
  return last === undefined || !ENDS.includes(last.event) ? undefined : last.emittedAt;
}

export function isLong(began: Instant, ended: Instant): boolean {
  return ended - began >= LONG_MS;
}
