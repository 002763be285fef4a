import { execFileSync } from "node:child_process";
import { constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { createInterface } from "node:readline";

const DEADLINE_MS = 30_000;

/** The agents' log as a pipe: a line arrives as soon as it is written. */
export class PromptPipe {
  readonly path: string;
  readonly #socket: Socket;
  readonly #waiting = new Map<string, (at: number) => void>();
  readonly #starting: ((at: number) => void)[] = [];

  constructor(path: string) {
    this.path = path;
    execFileSync("mkfifo", [path], { timeout: 5_000 });
    // For reading and writing: without our own writer the pipe would end whenever the last agent closes it.
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    this.#socket = new Socket({ fd, readable: true, writable: false });
    createInterface({ input: this.#socket }).on("line", (line) => {
      const at = performance.now();
      if (line.includes('"started"')) this.#starting.shift()?.(at);
      const mark = /bench \d+ /.exec(line)?.[0];
      if (mark === undefined) return;
      this.#waiting.get(mark)?.(at);
      this.#waiting.delete(mark);
    });
  }

  next(mark: string): Promise<number> {
    return soon(`"${mark}" was never read`, (resolve) => this.#waiting.set(mark, resolve));
  }

  /** When the next agent has started; one at a time. */
  nextStart(): Promise<number> {
    return soon("no agent started", (resolve) => this.#starting.push(resolve));
  }

  close(): void {
    this.#socket.destroy();
  }
}

function soon(failure: string, ask: (resolve: (at: number) => void) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(failure)), DEADLINE_MS);
    ask((at) => {
      clearTimeout(timer);
      resolve(at);
    });
  });
}
