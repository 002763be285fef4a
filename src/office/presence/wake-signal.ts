import type { Instant } from "../../core/message.ts";
import type { Clock } from "../../ports/clock.ts";

/** Wakes one sleeper. A ring before the sleep is not lost. */
export class WakeSignal {
  readonly #clock: Clock;
  #rung = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Until the next ring, or this instant, whichever comes first. */
  async sleep(until: Instant | "on-signal"): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const cancel =
          until === "on-signal"
            ? () => {}
            : this.#clock.after(Math.max(0, until - this.#clock.now()), () => this.#wake?.());
        this.#wake = () => {
          cancel();
          this.#wake = undefined;
          resolve();
        };
      });
    }
    this.#rung = false;
  }
}
