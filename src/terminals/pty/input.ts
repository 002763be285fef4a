/**
 * The one way into the program. A person's bytes and our own go through the same queue, each as one piece, so
 * neither can land inside the other; when a person typed last is known to the millisecond, here and nowhere else.
 */

/** A key that changes nothing on the screen is forgotten after this long. */
const UNANSWERED_MS = 10_000;

export interface PtyWriter {
  write(bytes: Buffer): void;
}

export class ProgramInput {
  readonly #pty: PtyWriter;
  readonly #monotonic: () => number;
  #lastHumanAt = Number.NEGATIVE_INFINITY;
  /** Whether the program has drawn anything since a person's last byte: until then the screen does not show it. */
  #lastKey: "unanswered" | "answered" = "answered";
  #submitting: Promise<void> = Promise.resolve();
  /** While a line of the bar waits for its Enter, nothing may come between the two. */
  #held: (() => void)[] | undefined;

  constructor(pty: PtyWriter, monotonic: () => number) {
    this.#pty = pty;
    this.#monotonic = monotonic;
  }

  /** Since a person last typed. None while a key of his may not be on the screen yet. */
  get quietMs(): number {
    if (this.#held !== undefined) return 0;
    const quiet = this.#monotonic() - this.#lastHumanAt;
    return this.#lastKey === "answered" || quiet >= UNANSWERED_MS ? quiet : 0;
  }

  /** A line of the bar is half in. */
  get isSubmitting(): boolean {
    return this.#held !== undefined;
  }

  /** The program has drawn something. */
  answered(): void {
    this.#lastKey = "answered";
  }

  human(bytes: Buffer): void {
    this.#lastHumanAt = this.#monotonic();
    this.#lastKey = "unanswered";
    if (this.#held === undefined) this.#pty.write(bytes);
    else this.#held.push(() => this.human(bytes));
  }

  inject(bytes: Buffer): void {
    this.#pty.write(bytes);
  }

  /** Text and Enter in one write are one paste to most programs, and never submit: there is a moment between. */
  async submit(text: string, pause: () => Promise<void>): Promise<void> {
    const turn = this.#submitting.then(async () => {
      this.human(Buffer.from(text, "utf8"));
      this.#held = [];
      try {
        await pause();
        this.#lastHumanAt = this.#monotonic();
        this.#lastKey = "unanswered";
        this.#pty.write(Buffer.from("\r"));
      } finally {
        const held = this.#held;
        this.#held = undefined;
        for (const release of held) release();
      }
    });
    this.#submitting = turn.catch(() => {});
    await turn;
  }
}
