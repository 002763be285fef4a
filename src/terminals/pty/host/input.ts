/**
 * The only way into the program. A person's bytes and our own go through the same queue, each as one piece, so neither
 * can land inside the other. Only this file knows, to the millisecond, when a person last typed.
 */
import type { ProgramPipe } from "./pipe.ts";

/** A key that changes nothing on the screen counts as pending no longer than this. */
const UNANSWERED_MS = 10_000;

/** Whether the line goes to the program. */
export type LineOutcome = "said" | "refused";

/** What people type while a line of the bar is partly entered; it follows that line, in order. */
type Act =
  | { readonly kind: "keys"; readonly bytes: Buffer }
  | {
      readonly kind: "line";
      readonly text: string;
      pause(): Promise<void>;
      done(said: LineOutcome): void;
      failed(error: unknown): void;
    };

const ENTER = Buffer.from("\r");
const MOST_ACTS = 1_000;

export class ProgramInput {
  readonly #pty: Pick<ProgramPipe, "write" | "isEmpty">;
  readonly #monotonic: () => number;
  #lastHumanAt = Number.NEGATIVE_INFINITY;
  /** Whether the program has drawn anything since a person's last byte: until then the screen does not show it. */
  #lastKey: "unanswered" | "answered" = "answered";
  readonly #acts: Act[] = [];
  #line: "none" | "half-in" = "none";

  constructor(pty: Pick<ProgramPipe, "write" | "isEmpty">, monotonic: () => number) {
    this.#pty = pty;
    this.#monotonic = monotonic;
  }

  /** A line of the bar waits for its Enter, or the program has not yet read all its input. */
  get isUnfinished(): boolean {
    return this.#line === "half-in" || !this.#pty.isEmpty;
  }

  /** Time since a person last typed; zero while a key of theirs may not be on the screen yet. */
  get quietMs(): number {
    if (this.isUnfinished) return 0;
    const quiet = this.#monotonic() - this.#lastHumanAt;
    return this.#lastKey === "answered" || quiet >= UNANSWERED_MS ? quiet : 0;
  }

  /** The program has drawn something. */
  answered(): void {
    this.#lastKey = "answered";
  }

  human(bytes: Buffer): LineOutcome {
    if (this.#line === "none") return this.#type(bytes);
    if (this.#acts.length >= MOST_ACTS) return "refused";
    this.#acts.push({ kind: "keys", bytes });
    return "said";
  }

  inject(bytes: Buffer): LineOutcome {
    return this.#pty.write(bytes) === "written" ? "said" : "refused";
  }

  /** Most programs treat text and Enter in one write as one paste and do not submit it, so there is a pause between. */
  submit(text: string, pause: () => Promise<void>): Promise<LineOutcome> {
    if (this.#acts.length >= MOST_ACTS) return Promise.resolve("refused");
    return new Promise((done, failed) => {
      this.#acts.push({ kind: "line", text, pause, done, failed });
      if (this.#line === "none") void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#line = "half-in";
    for (let act = this.#acts.shift(); act !== undefined; act = this.#acts.shift()) {
      if (act.kind === "keys") {
        this.#type(act.bytes);
        continue;
      }
      const { done, failed } = act;
      const tell = await this.#say(act).then(
        (said) => () => done(said),
        (error: unknown) => () => failed(error),
      );
      // People may continue once told that their line is in; keys that they pressed earlier must come first.
      this.#typeKeysBehind();
      if (this.#acts.length === 0) this.#line = "none";
      tell();
    }
    this.#line = "none";
  }

  #typeKeysBehind(): void {
    for (let [next] = this.#acts; next?.kind === "keys"; [next] = this.#acts) {
      this.#acts.shift();
      this.#type(next.bytes);
    }
  }

  async #say({ text, pause }: Extract<Act, { kind: "line" }>): Promise<LineOutcome> {
    if (this.#type(Buffer.from(text, "utf8")) === "refused") return "refused";
    await pause();
    return this.#type(ENTER);
  }

  #type(bytes: Buffer): LineOutcome {
    this.#lastHumanAt = this.#monotonic();
    this.#lastKey = "unanswered";
    return this.#pty.write(bytes) === "written" ? "said" : "refused";
  }
}
