/** A stream of lines, each of them whole and none longer than allowed: of a longer one only its `id` is kept. */
import { Transform, type TransformCallback } from "node:stream";
import { TopLevelId } from "./top-level-id.ts";

const NEWLINE = 0x0a;

export class BoundedLines extends Transform {
  readonly #most: number;
  readonly #tooLong: (id: string | number | undefined) => void;
  #parts: Buffer[] = [];
  #size = 0;
  #passing: TopLevelId | undefined;

  /** `tooLong` is told at the end of each line that was left out. */
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
