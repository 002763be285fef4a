/**
 * What the engine's clock shows, by the times that it writes on what it stores. The clocks of hosts may be wrong by
 * hours; the age of a bag is told by the clock that stamped it.
 */
import type { Clock } from "../ports/clock.ts";

export class EngineTime {
  readonly #clock: Clock;
  /** How far the engine is ahead of our monotonic clock. */
  #aheadMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The engine's clock shows this now. */
  is(engineMs: number): void {
    this.#aheadMs = engineMs - this.#clock.monotonic();
  }

  /** It showed this at some moment: now it cannot be earlier. */
  isPast(engineMs: number): void {
    const aheadMs = engineMs - this.#clock.monotonic();
    if (this.#aheadMs === undefined || aheadMs > this.#aheadMs) this.#aheadMs = aheadMs;
  }

  /** How long ago this was, for the engine. Never negative: its servers' clocks differ a little. */
  ageMs(engineMs: number): number {
    if (this.#aheadMs === undefined) return 0;
    return Math.max(0, Math.round(this.#clock.monotonic() + this.#aheadMs - engineMs));
  }
}
