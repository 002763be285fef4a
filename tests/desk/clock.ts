import type { OfficeClock } from "../../src/ports/clock.ts";

/** What is under way outside the fake clock: a commit, a file. Nothing is settled while any of it is open. */
export class OpenWork {
  #open = 0;
  #begun = 0;

  follow<T>(work: Promise<T>): Promise<T> {
    this.#open += 1;
    this.#begun += 1;
    const done = () => {
      this.#open -= 1;
    };
    work.then(done, done);
    return work;
  }

  /** Until two turns of the event loop in a row began and left nothing. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      const before = this.#begun;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      quiet = this.#open === 0 && this.#begun === before ? quiet + 1 : 0;
    }
  }
}

interface Timer {
  readonly due: number;
  readonly call: () => void;
}

const START = Date.UTC(2030, 0, 7, 9);
/** More calls than this at one instant: something goes round without waiting. */
const MOST_AT_ONE_INSTANT = 500;

/** Time that moves when a test says so: due timers run in order, and all that follows from each settles before the next. */
export class FakeClock implements OfficeClock {
  readonly #work: OpenWork;
  readonly #timers = new Set<Timer>();
  #monotonic = 0;
  #slept = 0;
  #offset = START;

  constructor(work: OpenWork) {
    this.#work = work;
  }

  now(): number {
    return this.#offset + this.elapsed();
  }

  monotonic(): number {
    return this.#monotonic;
  }

  elapsed(): number {
    return this.#monotonic + this.#slept;
  }

  after(delayMs: number, call: () => void): () => void {
    const timer = { due: this.#monotonic + Math.max(0, delayMs), call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many wait for a time. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** The wall clock is set; nothing that waits notices. */
  setWallClock(byMs: number): void {
    this.#offset += byMs;
  }

  /** The machine sleeps: time passes, and nothing that waits comes any nearer to its end. */
  sleeps(ms: number): void {
    this.#slept += ms;
  }

  async advance(ms: number): Promise<void> {
    const target = this.#monotonic + ms;
    let atThisInstant = 0;
    await this.#work.settle();
    for (let next = this.#earliest(); next !== undefined && next.due <= target; next = this.#earliest()) {
      this.#timers.delete(next);
      atThisInstant = next.due > this.#monotonic ? 0 : atThisInstant + 1;
      if (atThisInstant > MOST_AT_ONE_INSTANT) throw new Error("time stands still: a loop that never waits");
      this.#monotonic = Math.max(this.#monotonic, next.due);
      next.call();
      await this.#work.settle();
    }
    this.#monotonic = target;
  }

  #earliest(): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers)
      if (earliest === undefined || timer.due < earliest.due) earliest = timer;
    return earliest;
  }
}
