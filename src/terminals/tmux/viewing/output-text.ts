/** What a pane writes, as a control client reports it, made into text for another terminal. */
import { isUtf8 } from "node:buffer";
import { wholeLength } from "../../../screens/whole-characters.ts";

const BACKSLASH = 0x5c;
const ESCAPE = 0x1b;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
const TITLE_BEGINS = 0x6b;
const ZERO = 0x30;

/** tmux writes control characters and the backslash as three octal digits. */
export function unescaped(data: Buffer): Buffer {
  let at = data.indexOf(BACKSLASH);
  if (at === -1) return data;
  const bytes = Buffer.allocUnsafe(data.length);
  let length = data.copy(bytes, 0, 0, at);
  while (at < data.length) {
    const byte = data[at] as number;
    if (byte === BACKSLASH && at + 3 < data.length && isOctal(data, at + 1)) {
      bytes[length] =
        (((data[at + 1] as number) - ZERO) << 6) |
        (((data[at + 2] as number) - ZERO) << 3) |
        ((data[at + 3] as number) - ZERO);
      at += 4;
    } else {
      bytes[length] = byte;
      at += 1;
    }
    length += 1;
  }
  return bytes.subarray(0, length);
}

function isOctal(data: Buffer, from: number): boolean {
  for (let at = from; at < from + 3; at += 1) {
    const byte = data[at] as number;
    if (byte < ZERO || byte > ZERO + 7) return false;
  }
  return true;
}

/**
 * Leaves out `ESC k title ESC \`, which names a window in tmux and screen: other terminals do not know it and would
 * print the title. As in tmux, it ends with any escape, or is cancelled.
 */
export class TitleFilter {
  #state: "plain" | "escape" | "title" = "plain";

  push(chunk: Buffer): Buffer {
    if (this.#state === "plain" && chunk.indexOf(ESCAPE) === -1) return chunk;
    const kept: Buffer[] = [];
    let at = 0;
    while (at < chunk.length) {
      switch (this.#state) {
        case "plain": {
          const next = chunk.indexOf(ESCAPE, at);
          const end = next === -1 ? chunk.length : next;
          kept.push(chunk.subarray(at, end));
          at = end + 1;
          if (next !== -1) this.#state = "escape";
          break;
        }
        case "escape":
          if (chunk[at] === TITLE_BEGINS) {
            this.#state = "title";
            at += 1;
          } else {
            kept.push(ESCAPE_BYTE);
            this.#state = "plain";
          }
          break;
        case "title": {
          const byte = chunk[at];
          if (byte === ESCAPE) this.#state = "escape";
          else if (byte === CANCEL || byte === SUBSTITUTE) this.#state = "plain";
          at += 1;
          break;
        }
      }
    }
    return Buffer.concat(kept);
  }
}

const ESCAPE_BYTE = Buffer.of(ESCAPE);

const NOTHING: Buffer = Buffer.alloc(0);

/** One pane's output, in order. Whole characters come out, whatever the pieces were. */
export class OutputText {
  #filter = new TitleFilter();
  /** The first bytes of a character. */
  #begun = NOTHING;
  /** Nothing is known of what came before the next piece. */
  #fresh = true;

  /** Undefined: it begins within a character whose start nobody has seen. */
  push(data: Buffer): string | undefined {
    const bytes = unescaped(data);
    const isTorn = this.#fresh && isContinuation(bytes[0]);
    if (bytes.length > 0) this.#fresh = false;
    return isTorn ? undefined : this.#decoded(this.#filter.push(bytes));
  }

  /** Something is missing. */
  gap(): void {
    this.#filter = new TitleFilter();
    this.#begun = NOTHING;
    this.#fresh = true;
  }

  /** The pane was captured now, within this unfinished sequence. Returns what a copy must be sent of it. */
  begunAt(unfinished: Buffer): string {
    this.#filter = new TitleFilter();
    // Outside a sequence, tmux keeps the first bytes of a character to itself, and so do we.
    if (unfinished.length === 0) return "";
    this.#begun = NOTHING;
    this.#fresh = false;
    return this.#decoded(this.#filter.push(unfinished));
  }

  #decoded(bytes: Buffer): string {
    const given = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    const whole = given.subarray(0, wholeLength(given));
    this.#begun = given.subarray(whole.length);
    const text = whole.toString("utf8");
    // tmux shows nothing for bytes that are not text.
    return isUtf8(whole) ? text : text.replaceAll("\ufffd", "");
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
