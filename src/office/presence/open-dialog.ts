/**
 * The dialog that a program shows, and the code by which somebody on another host names it in the keys that answer it. The
 * code is made here and ends with the dialog: one that opens later and reads the same has another. It answers once: what
 * was pressed may take effect later than the next answer comes.
 */
import { inOneLine, isWhole } from "../../core/desk/dialog-answers.ts";
import { isCode, NO_DIALOG } from "../../core/desk/reply-text.ts";
import type { Reading } from "../../core/readiness/reading.ts";
import type { Observation } from "./observation.ts";

type Dialog = Extract<Reading, { kind: "dialog" }>;

/** What fits into the reason of a message that waits on another host. */
const LONGEST_SHOWN = 400;
/** One whose text keeps changing, such as a countdown, could not be answered from afar: it is not told anew each time. */
const STANDS_MS = 2_000;
/** If it cannot be read for longer, it may have closed and another that reads the same opened. */
const UNREAD_MS = 10_000;

export interface OfferedDialog {
  readonly code: string;
  readonly text: string;
}

export class OpenDialog {
  #dialog: Dialog | undefined;
  #isWhole = false;
  #code: string | undefined;
  /** The last code with which something was pressed, and whether that dialog was not seen to close since. */
  #used: string | undefined;
  #isPressed = false;
  #since = 0;
  #lastSeen = 0;
  #unreadSince: number | undefined;

  /** `at`: by the monotonic clock. */
  seen({ reading, screen }: Pick<Observation, "reading" | "screen">, at: number): void {
    if (reading.kind === "unknown" && reading.busy === undefined) {
      this.#unreadSince ??= at;
      if (at - this.#unreadSince > UNREAD_MS) this.#forgetCode(at);
      return;
    }
    this.#unreadSince = undefined;
    const dialog = reading.kind === "dialog" ? reading : undefined;
    if (dialog === undefined || dialog.fingerprint !== this.#dialog?.fingerprint) {
      this.#forgetCode(at);
      this.#isPressed = false;
    }
    this.#lastSeen = at;
    this.#dialog = dialog;
    this.#isWhole =
      dialog !== undefined &&
      screen !== undefined &&
      isWhole(
        dialog,
        screen.lines.map(({ text }) => text),
      );
  }

  /** Undefined if none is open, or it cannot be shown whole: nobody may answer what they cannot see. */
  offered(newCode: () => string): OfferedDialog | undefined {
    if (this.#dialog === undefined || !this.#isWhole || this.#isPressed) return undefined;
    if (this.#lastSeen - this.#since < STANDS_MS) return undefined;
    const text = inOneLine(this.#dialog, LONGEST_SHOWN);
    if (text === undefined) return undefined;
    while (this.#code === undefined) {
      const code = newCode();
      if (isCode(code)) this.#code = code;
    }
    return { code: this.#code, text };
  }

  /** By its fingerprint or its code, as of the last look. */
  is(dialog: string): boolean {
    if (dialog === NO_DIALOG) return false;
    return isCode(dialog) ? dialog === this.#code : dialog === this.#dialog?.fingerprint;
  }

  /** Keys are about to go into it: whatever becomes of them, its code is used up. */
  pressed(): void {
    this.#isPressed = true;
    if (this.#code !== undefined) this.#used = this.#code;
    this.#code = undefined;
  }

  /** They certainly did not go. */
  notPressed(): void {
    if (!this.#isPressed) return;
    this.#isPressed = false;
    this.#code ??= this.#used;
    this.#used = undefined;
  }

  wasUsed(code: string): boolean {
    return code === this.#used;
  }

  /** The program has gone on: if the same is shown, it may be asked anew. */
  wentOn(): void {
    this.#forgetCode(this.#lastSeen);
  }

  #forgetCode(at: number): void {
    this.#code = undefined;
    this.#since = at;
  }
}
