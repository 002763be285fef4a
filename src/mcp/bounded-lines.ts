/** A stream of complete lines up to a maximum length; of a longer one only its `id` is kept. */
import { Transform, type TransformCallback } from "node:stream";

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);
/** Longer than any key we look for, or any id worth an answer. */
const LONGEST = 128;

export class BoundedLines extends Transform {
  readonly #most: number;
  readonly #tooLong: (id: string | number | undefined) => void;
  #parts: Buffer[] = [];
  #size = 0;
  #passing: TopLevelId | undefined;

  /** `tooLong` is called at the end of each line that was left out. */
  constructor(most: number, tooLong: (id: string | number | undefined) => void) {
    super();
    this.#most = most;
    this.#tooLong = tooLong;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#take(chunk.subarray(from, at + 1));
      this.#end();
      from = at + 1;
    }
    if (from < chunk.length) this.#take(chunk.subarray(from));
    done();
  }

  #take(part: Buffer): void {
    this.#size += part.length;
    if (this.#passing === undefined && this.#size > this.#most) {
      this.#passing = new TopLevelId();
      for (const kept of this.#parts.splice(0)) this.#passing.push(kept);
    }
    if (this.#passing === undefined) this.#parts.push(part);
    else this.#passing.push(part);
  }

  #end(): void {
    const passed = this.#passing;
    const line = passed === undefined ? Buffer.concat(this.#parts) : undefined;
    this.#parts = [];
    this.#size = 0;
    this.#passing = undefined;
    if (line !== undefined) this.push(line);
    else this.#tooLong(passed?.found);
  }
}

/**
 * Finds the `id` of a JSON-RPC message that is too long to keep, while it streams by. Clients write it first or last;
 * an `id` within its parameters does not count.
 */
class TopLevelId {
  #depth = 0;
  #at: "outside" | "in-string" | "behind-backslash" = "outside";
  /** What was read since the last comma or colon at the top level. */
  #word: number[] = [];
  #key = "";
  #found: string | number | undefined;

  get found(): string | number | undefined {
    return this.#found;
  }

  push(bytes: Buffer): void {
    for (const byte of bytes) this.#take(byte);
  }

  #take(byte: number): void {
    if (this.#at === "behind-backslash") this.#at = "in-string";
    else if (this.#at === "in-string") {
      if (byte === BACKSLASH) this.#at = "behind-backslash";
      else if (byte === QUOTE) this.#at = "outside";
    } else if (byte === QUOTE) this.#at = "in-string";
    else if (this.#structure(byte)) return;
    if (this.#depth === 1 && this.#word.length <= LONGEST) this.#word.push(byte);
  }

  #structure(byte: number): boolean {
    if (OPEN.has(byte)) this.#depth += 1;
    else if (CLOSE.has(byte)) {
      if (this.#depth === 1) this.#end();
      this.#depth -= 1;
    } else if (this.#depth !== 1) return false;
    else if (byte === COMMA) this.#end();
    else if (byte === COLON) this.#key = this.#takeWord();
    else return false;
    return true;
  }

  #end(): void {
    const value = this.#takeWord();
    if (this.#key === '"id"') this.#found ??= idOf(value);
    this.#key = "";
  }

  #takeWord(): string {
    const word = this.#word.length > LONGEST ? "" : Buffer.from(this.#word).toString("utf8").trim();
    this.#word = [];
    return word;
  }
}

function idOf(text: string): string | number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" || typeof value === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}
