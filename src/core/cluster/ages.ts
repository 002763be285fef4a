/**
 * How old a letter is. Three clocks say it, and each may be wrong: the sender's, ours, and that of the engine, whose owner
 * may lie. The engine is believed as far as the two hosts agree with it.
 */
import type { Instant } from "../message.ts";

const DAY_MS = 86_400_000;

/** So long, at least, a host knows that it took or refused a letter. The engine keeps none for half as long. */
export const LETTERS_KNOWN_MS = 30 * DAY_MS;
/** What is older is not taken: soon it could not be told from one that never came. */
export const OLDEST_LETTER_DAYS = 25;
/** By so much the clocks of two hosts may differ before anything expires by it. */
export const CLOCKS_DIFFER_MS = 2 * 3_600_000;

export interface LetterTimes {
  /** How long the engine says that it had it. */
  readonly engineMs: number;
  /** By the sender's clock; sealed, so that the engine cannot change it. */
  readonly sentAt: Instant;
  readonly now: Instant;
}

export interface LetterAge {
  readonly ms: number;
  readonly isTooOld: boolean;
}

export function ageOf({ engineMs, sentAt, now }: LetterTimes): LetterAge {
  const byClocks = now - sentAt;
  const most = Math.max(0, byClocks + CLOCKS_DIFFER_MS);
  return {
    ms: Math.min(Math.max(engineMs, byClocks - CLOCKS_DIFFER_MS), most),
    isTooOld: byClocks > OLDEST_LETTER_DAYS * DAY_MS,
  };
}
