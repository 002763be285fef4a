/** The first line that each side of a hosted terminal sends; frames may follow in the same bytes. */
const NEWLINE = 0x0a;

export type FirstLineSoFar =
  | { readonly kind: "partial" }
  | { readonly kind: "whole"; readonly line: Buffer; readonly rest: Buffer }
  | { readonly kind: "too-long" };

export class FirstLine {
  readonly #mostBytes: number;
  #head: Buffer = Buffer.alloc(0);

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  push(chunk: Buffer): FirstLineSoFar {
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(NEWLINE);
    const bytes = end === -1 ? this.#head.length : end;
    if (bytes > this.#mostBytes) return { kind: "too-long" };
    if (end === -1) return { kind: "partial" };
    return { kind: "whole", line: this.#head.subarray(0, end), rest: this.#head.subarray(end + 1) };
  }
}
