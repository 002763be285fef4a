/**
 * Bytes to the program, as fast as it reads them. The rest waits here and is retried, while the program's output
 * continues to be read: a program that waits for us to read would never read the rest.
 */

/** The most that is kept for a program that does not read. */
export const MOST_WAITING = 4 * 1024 * 1024;
const PIECE = 4 * 1024;
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 32;

export interface PipeEnd {
  /** How many bytes it accepted now; `full`: none; `closed`: it accepts no more. */
  take(bytes: Buffer): number | "full" | "closed";
  after(ms: number, call: () => void): void;
}

export class ProgramPipe {
  readonly #end: PipeEnd;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #waitMs = FIRST_WAIT_MS;
  #state: "open" | "trying-later" | "closed" = "open";

  constructor(end: PipeEnd) {
    this.#end = end;
  }

  /** The program has received everything that was written. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** All or nothing: half a line would be a different line. */
  write(bytes: Buffer): "written" | "refused" {
    if (this.#state === "closed" || this.#waitingBytes + bytes.length > MOST_WAITING) return "refused";
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#state === "open") this.#push();
    return "written";
  }

  #push(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const took = this.#end.take(first.length > PIECE ? first.subarray(0, PIECE) : first);
      if (took === "closed") {
        this.#close();
        return;
      }
      if (took === "full") {
        this.#later();
        return;
      }
      this.#waitMs = FIRST_WAIT_MS;
      this.#waitingBytes -= took;
      if (took === first.length) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(took);
    }
  }

  #later(): void {
    this.#state = "trying-later";
    this.#end.after(this.#waitMs, () => {
      if (this.#state !== "trying-later") return;
      this.#state = "open";
      this.#push();
    });
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
  }

  #close(): void {
    this.#state = "closed";
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
  }
}
