/** Whoever waits for a session's screen to change. Told by its terminal, with a slow poll behind it. */
import type { Clock } from "../../ports/clock.ts";
import type { Observation } from "./observation.ts";

const POLL_BEHIND_PUSH_MS = 150;
const SETTLE_OUTPUT_MS = 15;

export class OutputWatch {
  readonly #clock: Clock;
  readonly #watchers = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The terminal has reported a change. */
  told(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** Calls `listener` at every change of the screen; returns how to stop. */
  onOutput(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  /** Until what `observe` sees satisfies the question or the time is up. */
  async until(
    observe: () => Promise<Observation>,
    satisfied: (observation: Observation) => boolean,
    timeoutMs: number,
  ): Promise<Observation | undefined> {
    const deadline = this.#clock.monotonic() + timeoutMs;
    for (;;) {
      let changed = false;
      let wake = (): void => {
        changed = true;
      };
      const stop = this.onOutput(() => wake());
      try {
        const observation = await observe();
        if (satisfied(observation)) return observation;
        const left = deadline - this.#clock.monotonic();
        if (left <= 0) return undefined;
        if (!changed) {
          await new Promise<void>((resolve) => {
            const cancel = this.#clock.after(Math.min(left, POLL_BEHIND_PUSH_MS), resolve);
            wake = () => {
              cancel();
              // A burst of output is read once it is complete, not at its first byte.
              this.#clock.after(SETTLE_OUTPUT_MS, resolve);
              wake = () => {};
            };
          });
        }
      } finally {
        stop();
      }
    }
  }

  close(): void {
    this.#watchers.clear();
  }
}
