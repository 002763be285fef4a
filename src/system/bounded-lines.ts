/**
 * Splits output into lines without ever keeping more than a line may have. Whoever prints too much is not heard any
 * more: what follows is dropped, so that it can be read on until its writer has ended.
 */
export interface LineLimits {
  readonly mostBytes: number;
  readonly mostLineBytes: number;
}

const NEWLINE = 0x0a;
const FIRST_ROOM = 4_096;

export class BoundedLines {
  readonly #limits: LineLimits;
  readonly #line: (text: string) => void;
  readonly #tooMuch: () => void;
  #bytes = 0;
  /** The begun line. It grows in one piece: many small pieces would take far more than their bytes. */
  #begun = Buffer.alloc(0);
  #begunBytes = 0;
  #isDeaf = false;

  constructor(limits: LineLimits, line: (text: string) => void, tooMuch: () => void) {
    this.#limits = limits;
    this.#line = line;
    this.#tooMuch = tooMuch;
  }

  take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.mostBytes) this.#stopListening();
    let from = 0;
    while (!this.#isDeaf && from < chunk.length) {
      const end = chunk.indexOf(NEWLINE, from);
      this.#keep(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) return;
      this.#endLine();
      from = end + 1;
    }
  }

  /** The last line may lack its end. */
  ended(): void {
    if (this.#begunBytes > 0) this.#endLine();
  }

  #keep(part: Buffer): void {
    const bytes = this.#begunBytes + part.length;
    if (bytes > this.#limits.mostLineBytes) {
      this.#stopListening();
      return;
    }
    if (bytes > this.#begun.length) {
      const room = Buffer.alloc(Math.max(bytes, 2 * this.#begun.length, FIRST_ROOM));
      this.#begun.copy(room, 0, 0, this.#begunBytes);
      this.#begun = room;
    }
    part.copy(this.#begun, this.#begunBytes);
    this.#begunBytes = bytes;
  }

  #endLine(): void {
    if (this.#isDeaf) return;
    const text = this.#begun.toString("utf8", 0, this.#begunBytes);
    this.#begunBytes = 0;
    if (this.#begun.length > FIRST_ROOM) this.#begun = Buffer.alloc(0);
    this.#line(text.endsWith("\r") ? text.slice(0, -1) : text);
  }

  #stopListening(): void {
    if (this.#isDeaf) return;
    this.#isDeaf = true;
    this.#begun = Buffer.alloc(0);
    this.#begunBytes = 0;
    this.#tooMuch();
  }
}
