/**
 * A program's output on its way to the screen model. A program that writes faster than the model draws is made to
 * wait, as at any terminal; otherwise its screen would fall further and further behind. Once it is asked to end it no
 * longer waits, because a program stuck in a write cannot clean up; output that cannot be drawn in time is then left
 * out, except for the last of it.
 */
import type { ScreenModel } from "./screen-model.ts";

/** Read but not yet drawn. */
const MOST_UNDRAWN_BYTES = 16 * 1024;
/** How much of the latest output is kept: more than a screen. */
const LAST_WORDS_BYTES = 8 * 1024;

type Model = Pick<ScreenModel, "write" | "drawn" | "undrawnBytes">;

export class OutputPace {
  readonly #model: Model;
  readonly #source: { pause(): void; resume(): void };
  #state: "reading" | "held" | "hurrying" = "reading";
  #lastWords: Buffer = Buffer.alloc(0);
  #drawing: Promise<void> | undefined;

  constructor(model: Model, source: { pause(): void; resume(): void }) {
    this.#model = model;
    this.#source = source;
  }

  take(bytes: Buffer): void {
    const isBehind = this.#model.undrawnBytes > MOST_UNDRAWN_BYTES;
    if (this.#state === "hurrying" && (isBehind || this.hasLeftOut)) {
      const all = Buffer.concat([this.#lastWords, bytes]);
      this.#lastWords = all.subarray(Math.max(0, all.length - LAST_WORDS_BYTES));
      this.#drawing ??= this.#drawLastWords();
      return;
    }
    this.#model.write(bytes);
    if (this.#state === "reading" && this.#model.undrawnBytes > MOST_UNDRAWN_BYTES) void this.#hold();
  }

  /** The program is asked to end: from now on it never has to wait. */
  hurry(): void {
    const wasHeld = this.#state === "held";
    this.#state = "hurrying";
    if (wasHeld) this.#source.resume();
  }

  /** Some output was left out, so the screen does not match what the program wrote. */
  get hasLeftOut(): boolean {
    return this.#lastWords.length > 0;
  }

  /** Resolves when all output is drawn or left out for good. */
  async drawn(): Promise<void> {
    do await this.#model.drawn();
    while (this.hasLeftOut || this.#model.undrawnBytes > 0);
  }

  async #hold(): Promise<void> {
    this.#state = "held";
    this.#source.pause();
    await this.#model.drawn();
    if (this.#state !== "held") return;
    this.#state = "reading";
    this.#source.resume();
  }

  async #drawLastWords(): Promise<void> {
    await this.#model.drawn();
    const bytes = this.#lastWords;
    this.#lastWords = Buffer.alloc(0);
    this.#drawing = undefined;
    this.#model.write(bytes);
  }
}
