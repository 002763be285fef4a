import { setTimeout as sleep } from "node:timers/promises";

/** One race at a time, a short while apart: deliveries that compete for two cores could not be aimed at. */
export class Turnstile {
  readonly #apartMs: number;
  #last: Promise<void> = Promise.resolve();

  constructor(apartMs: number) {
    this.#apartMs = apartMs;
  }

  pass(): Promise<void> {
    const before = this.#last;
    this.#last = before.then(() => sleep(this.#apartMs));
    return before;
  }
}
