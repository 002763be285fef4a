/**
 * The sequence that a program has begun to write and not finished. A copy that is drawn in between must be sent it, or it
 * prints the rest as text. Pure but for what it remembers.
 */

const ESCAPE = 0x1b;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
const BELL = 0x07;
/** Of a title or the like, which has no end until it comes: beyond this only its beginning is remembered. */
const MOST_BYTES = 4 * 1024;
const STRING_BEGINS = new Set([..."]PX^_"].map((sign) => sign.charCodeAt(0)));
const CONTROL_BEGINS = "[".charCodeAt(0);

export class UnfinishedSequence {
  #state: "plain" | "escape" | "control" | "string" = "plain";
  #bytes: number[] = [];

  /** Whole characters. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#state === "plain") {
        at = bytes.indexOf(ESCAPE, at);
        if (at === -1) return;
      }
      this.#take(bytes[at] as number);
    }
  }

  get text(): string {
    return Buffer.from(this.#bytes).toString("utf8");
  }

  #take(byte: number): void {
    if (byte === ESCAPE) {
      this.#state = "escape";
      this.#bytes = [byte];
    } else if (byte === CANCEL || byte === SUBSTITUTE) this.#end();
    else if (this.#state === "string") this.#takeInString(byte);
    // What is no part of the sequence is done at once, and shows already.
    else if (byte >= 0x20) this.#takeSign(byte);
  }

  #takeInString(byte: number): void {
    if (byte === BELL) this.#end();
    else if (this.#bytes.length < MOST_BYTES) this.#bytes.push(byte);
    else this.#bytes.length = 2;
  }

  #takeSign(byte: number): void {
    this.#bytes.push(byte);
    if (byte > 0x7e) this.#end();
    else if (this.#state === "control") {
      if (byte >= 0x40) this.#end();
    } else if (byte === CONTROL_BEGINS && this.#bytes.length === 2) this.#state = "control";
    else if (STRING_BEGINS.has(byte) && this.#bytes.length === 2) this.#state = "string";
    else if (byte >= 0x30) this.#end();
  }

  #end(): void {
    this.#state = "plain";
    this.#bytes = [];
  }
}
