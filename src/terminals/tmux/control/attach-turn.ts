import type { Clock } from "../../../ports/clock.ts";

/**
 * One attach at a time, in a quiet moment.
 *
 * tmux before 3.7 crashes when it notifies its control clients while one of them is still attaching. Notices are held
 * back during an attach (`held-notices.ts`); if that fails, it helps that attaches never overlap and never closely
 * follow a notice.
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

  /** tmux has just notified its control clients; it often does so several times in a row. */
  noticed(): void {
    this.#noticeAt = this.#clock.monotonic();
  }

  /** No further turns are given; those waiting for one are told at once. */
  stop(): void {
    this.#stopped = true;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Runs the task alone, after `quietMs` without a notice; undefined if no such moment came within `patienceMs`. */
  async take<T>(
    wait: { readonly quietMs: number; readonly patienceMs: number },
    task: () => Promise<T>,
  ): Promise<T | undefined> {
    const giveUpAt = this.#clock.monotonic() + wait.patienceMs;
    while (await this.#quiet(wait.quietMs, giveUpAt)) {
      // The previous attach may have caused a notice.
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
