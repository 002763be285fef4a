import type { OfficeClock } from "../../src/ports/clock.ts";

/** Work in progress outside the fake clock: a commit, a file. Nothing is settled while any of it is open. */
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

  /** Waits for two turns of the event loop in a row that begin no work and leave none open. */
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
/** More calls than this at one instant mean an endless loop without waiting. */
const MOST_AT_ONE_INSTANT = 500;

/** Time moves only when a test says so: due timers run in order, and the effects of each settle before the next runs. */
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

  offsetAt(): number {
    return 0;
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

  /** How many timers wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Sets the wall clock; waiting timers do not notice. */
  setWallClock(byMs: number): void {
    this.#offset += byMs;
  }

  /** The machine sleeps: time passes, but waiting timers do not advance. */
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
