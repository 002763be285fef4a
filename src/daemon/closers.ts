/** What a daemon closes when it stops: newest first, each within the time that is left. */
import type { Log } from "../ports/log.ts";

const STOP_DEADLINE_MS = 5_000;

export class Closers {
  readonly #closers: (() => unknown)[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** One that hangs does not keep the others from closing. */
  async closeAll(): Promise<void> {
    this.#log.info("daemon.stopping");
    for (const close of this.#closers.toReversed()) await this.#close(close);
    this.#log.info("daemon.stopped");
  }

  async #close(close: () => unknown): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_DEADLINE_MS / 2);
    });
    try {
      await Promise.race([close(), late]);
    } catch (cause) {
      this.#log.error("daemon.close_failed", { cause: String(cause) });
    } finally {
      clearTimeout(timer);
    }
  }
}
