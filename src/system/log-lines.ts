import { openSync, writeSync } from "node:fs";

/** Returns how many bytes were written: zero if there was no room. */
export type Append = (bytes: Buffer) => number;

const NEWLINE = Buffer.from("\n");

/**
 * Lines on their way to a file: all lines of one event-loop tick go in one write, and `flush` writes the last ones. A
 * full disk costs lines, but not the daemon: nothing is retried.
 */
export class LogLines {
  readonly #append: Append;
  #waiting: Buffer[] = [];
  #torn = false;

  constructor(append: Append) {
    this.#append = append;
  }

  write(line: string): void {
    if (this.#waiting.length === 0) setImmediate(() => this.flush());
    this.#waiting.push(Buffer.from(line));
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    // A line that was cut off must not run into the next one.
    const bytes = Buffer.concat(this.#torn ? [NEWLINE, ...this.#waiting] : this.#waiting);
    this.#waiting = [];
    const written = this.#append(bytes);
    if (written > 0) this.#torn = written < bytes.length;
  }
}

export function appendingTo(path: string): Append {
  const file = openSync(path, "a", 0o600);
  return (bytes) => {
    try {
      return writeSync(file, bytes);
    } catch {
      return 0;
    }
  };
}
