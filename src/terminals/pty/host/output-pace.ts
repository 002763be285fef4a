/**
 * What a program writes, on its way to the screen model. One that writes faster than that can draw waits, as at any
 * terminal: else its screen would be ever older. Once it is asked to end it waits no more, for one that is stuck in a
 * write cannot put its things away; then what there is no time to draw is left out, and its last words are kept.
 */
import type { ScreenModel } from "./screen-model.ts";

/** Read, and not drawn yet. */
const MOST_UNDRAWN_BYTES = 16 * 1024;
/** Of what was written last: more than a screen. */
const LAST_WORDS_BYTES = 8 * 1024;

type Model = Pick<ScreenModel, "write" | "settled" | "undrawnBytes">;

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

  /** The program is to end: from now on it is never kept waiting. */
  hurry(): void {
    const wasHeld = this.#state === "held";
    this.#state = "hurrying";
    if (wasHeld) this.#source.resume();
  }

  /** The screen is not what the program has written. */
  get hasLeftOut(): boolean {
    return this.#lastWords.length > 0;
  }

  /** All is drawn, or left out for good. */
  async drawn(): Promise<void> {
    do await this.#model.settled();
    while (this.hasLeftOut || this.#model.undrawnBytes > 0);
  }

  async #hold(): Promise<void> {
    this.#state = "held";
    this.#source.pause();
    await this.#model.settled();
    if (this.#state !== "held") return;
    this.#state = "reading";
    this.#source.resume();
  }

  async #drawLastWords(): Promise<void> {
    await this.#model.settled();
    const bytes = this.#lastWords;
    this.#lastWords = Buffer.alloc(0);
    this.#drawing = undefined;
    this.#model.write(bytes);
  }
}
