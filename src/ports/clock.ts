import type { Instant } from "../core/message.ts";

export interface Clock {
  /** Wall time, for records. */
  now(): Instant;
  /** Milliseconds that never jump, for waiting. */
  monotonic(): number;
  /** Calls back once; returns a function that cancels it. Delays over 24 days work. */
  after(delayMs: number, call: () => void): () => void;
}

/** For deadlines that must survive the machine's sleep and changes of its clock. */
export interface OfficeClock extends Clock {
  /** Milliseconds since some moment, including time asleep. Coarse; not affected by setting the clock. */
  elapsed(): number;
  /** How far the clock on the wall here is ahead of UTC at a moment, in milliseconds. */
  offsetAt(at: Instant): number;
}
