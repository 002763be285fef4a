import type { Instant } from "../core/message.ts";

export interface Clock {
  /** Wall time, for records. */
  now(): Instant;
  /** Milliseconds that never jump, for waiting. */
  monotonic(): number;
  /** Calls back once; returns the cancel. Delays past 24 days work. */
  after(delayMs: number, call: () => void): () => void;
}
