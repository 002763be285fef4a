import type { Clock } from "../../../ports/clock.ts";

/**
 * One attach at a time, in a quiet moment.
 *
 * tmux before 3.7 crashes when it notifies its control clients while one of them introduces itself. Notices are held
 * back meanwhile (`held-notices.ts`); where that fails, it helps that attaches never overlap and never follow a notice
 * closely.
 */
export class AttachTurn {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #last: Promise<unknown> = Promise.resolve();
  #noticeAt = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** tmux has just notified its control clients, and often does so several times in a row. */
  noticed(): void {
    this.#noticeAt = this.#clock.monotonic();
  }

  /** Nobody gets a turn any more; who waits for one is told at once. */
  stop(): void {
    this.#stopped = true;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Runs the task alone, after `quietMs` without a notice; undefined when that did not come within `patienceMs`. */
  async take<T>(
    wait: { readonly quietMs: number; readonly patienceMs: number },
    task: () => Promise<T>,
  ): Promise<T | undefined> {
    const giveUpAt = this.#clock.monotonic() + wait.patienceMs;
    while (await this.#quiet(wait.quietMs, giveUpAt)) {
      // Who went before may have caused a notice.
      const turn = this.#last.then(async () => (this.#missingMs(wait.quietMs) > 0 ? RESTLESS : task()));
      this.#last = turn.catch(() => undefined);
      const outcome = await turn;
      if (outcome !== RESTLESS) return outcome as T;
    }
    return undefined;
  }

  async #quiet(quietMs: number, giveUpAt: number): Promise<boolean> {
    for (;;) {
      if (this.#stopped) return false;
      const missingMs = this.#missingMs(quietMs);
      if (missingMs <= 0) return true;
      if (this.#clock.monotonic() + missingMs > giveUpAt) return false;
      await this.#sleep(missingMs);
    }
  }

  #missingMs(quietMs: number): number {
    return this.#noticeAt + quietMs - this.#clock.monotonic();
  }

  #sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        cancel();
        this.#waiting.delete(wake);
        resolve();
      };
      const cancel = this.#clock.after(delayMs, () => wake());
      this.#waiting.add(wake);
    });
  }
}

const RESTLESS = Symbol("restless");
