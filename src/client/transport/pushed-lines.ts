/** The pushes of one chunk, as the daemon writes them: each is parsed when it is taken. */
import type { Fields, Pushes } from "./connection.ts";

const BEGINNING = '{"type":"push",';

/** Whether the line there is a push, by how each daemon begins one; a push written otherwise is read as it comes. */
export function beginsWithPush(text: string, at: number): boolean {
  return text.startsWith(BEGINNING, at);
}

export class PushedLines implements Pushes {
  /** Where the first line begins that is no push. */
  readonly end: number;
  readonly #text: string;
  #at: number;
  #left = 0;

  /** All pushes from there on. Each line of the text ends with a newline. */
  constructor(text: string, from: number) {
    this.#text = text;
    this.#at = from;
    let end = from;
    for (; beginsWithPush(text, end); end = text.indexOf("\n", end) + 1) this.#left += 1;
    this.end = end;
  }

  get size(): number {
    return this.#left;
  }

  take(): Fields {
    const end = this.#text.indexOf("\n", this.#at);
    const line = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    this.#left -= 1;
    return JSON.parse(line) as Fields;
  }
}
