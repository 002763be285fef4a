/**
 * The time for deadlines. They are stored as wall time, so that they survive a restart; while the daemon runs, a delay
 * counts elapsed time, including sleep. If the clock is set, the delays of this run move with it.
 * Asked by accept, notices and timers; it fires nothing itself.
 */
import type { Instant } from "../../core/message.ts";
import type { OfficeClock } from "../../ports/clock.ts";
import type { DeadlineMark } from "../../ports/store.ts";
import type { OfficeContext } from "../base/context.ts";

/** Larger than the coarsest resolution of elapsed time (a second), smaller than any deadline that matters. */
export const JUMP_MS = 2_000;

/** Elapsed time is counted in hundredths of a second. */
const TOGETHER_MS = 10;
const MOST_LOOKS = 5;

interface Clocks {
  readonly wall: Instant;
  readonly elapsed: number;
}

export class Timekeeper {
  readonly #context: OfficeContext;
  /** Deadlines of an earlier run stay in wall time: the two runs share no other clock. */
  readonly #since: DeadlineMark;
  #anchor: Clocks;
  #jumpedMs = 0;
  #moving: Promise<void> = Promise.resolve();

  constructor(context: OfficeContext) {
    this.#context = context;
    this.#since = context.store.read.deadlineMark();
    this.#anchor = both(context.clock);
  }

  /** Call before the change that stores it: a jump noticed here is written first. */
  deadlineIn(delayMs: number): Instant {
    return this.#look() + delayMs;
  }

  /** The wall clock, once every deadline agrees with it. Rejects while that cannot be written. */
  async now(): Promise<Instant> {
    const wall = this.#look();
    await this.#moving;
    return wall;
  }

  #look(): Instant {
    const { clock, log } = this.#context;
    const { wall, elapsed } = both(clock);
    const jump = wall - this.#anchor.wall - (elapsed - this.#anchor.elapsed);
    this.#anchor = { wall, elapsed };
    if (Math.abs(jump) >= JUMP_MS) {
      this.#jumpedMs += jump;
      log.warn("clock.jumped", { byMs: Math.round(jump) });
    }
    if (this.#jumpedMs !== 0) this.#move();
    return wall;
  }

  #move(): void {
    const byMs = Math.round(this.#jumpedMs);
    this.#jumpedMs = 0;
    this.#moving = this.#context.store
      .write((tx) => tx.shiftDeadlines(byMs, this.#since))
      .catch((cause: unknown) => {
        this.#jumpedMs += byMs;
        throw cause;
      });
    // Callers of `now` get the error; without any, it must not be unhandled.
    this.#moving.catch(() => {});
  }
}

/** At the same moment: a process that waits for a processor between two looks would see a jump that never was. */
function both(clock: Pick<OfficeClock, "now" | "elapsed">): Clocks {
  for (let look = 1; ; look += 1) {
    const before = clock.elapsed();
    const wall = clock.now();
    const elapsed = clock.elapsed();
    if (elapsed - before <= TOGETHER_MS || look === MOST_LOOKS) return { wall, elapsed };
  }
}
