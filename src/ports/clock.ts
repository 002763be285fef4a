import type { Instant } from "../core/message.ts";

export interface Clock {
  /** Wall time, for records. */
  now(): Instant;
  /** Milliseconds that never jump, for waiting. */
  monotonic(): number;
  /** Calls back once; returns the cancel. Delays past 24 days work. */
  after(delayMs: number, call: () => void): () => void;
}

/** For deadlines that must survive a night's sleep and a clock that is set. */
export interface OfficeClock extends Clock {
  /** Milliseconds that passed since some moment, also while the machine slept. Coarse; never set by anybody. */
  elapsed(): number;
}
