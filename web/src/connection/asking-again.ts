/** For what changes often: asks, and asks once more if something changed meanwhile, with a pause between. Never by itself. */
interface AskingParts {
  ask(): Promise<void>;
  readonly pauseMs: number;
  /** Returns how to cancel it. */
  after(ms: number, act: () => void): () => void;
}

/**
 *   resting ─▶ asking ─▶ pausing ─▶ resting
 *                 └─ (changed) ─▶ asks again after the pause
 */
export class AskingAgain {
  readonly #parts: AskingParts;
  #state: "resting" | "busy" | "changed" | "ended" = "resting";
  #cancel: () => void = () => {};

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** Something may be different now. */
  changed(): void {
    if (this.#state === "busy") this.#state = "changed";
    else if (this.#state === "resting") void this.#ask();
  }

  end(): void {
    this.#state = "ended";
    this.#cancel();
  }

  async #ask(): Promise<void> {
    this.#state = "busy";
    await this.#parts.ask();
    if (this.#hasEnded()) return;
    this.#cancel = this.#parts.after(this.#parts.pauseMs, () => {
      const isChanged = this.#state === "changed";
      this.#state = "resting";
      if (isChanged) void this.#ask();
    });
  }

  #hasEnded(): boolean {
    return this.#state === "ended";
  }
}
