/** What a daemon closes when it stops: newest first, each within the time that is left. */
import type { Log } from "../ports/log.ts";

const STOP_DEADLINE_MS = 5_000;

export class Closers {
  readonly #closers: { readonly what: string; readonly close: () => unknown }[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** `what`: as the log names it. */
  add(what: string, close: () => unknown): void {
    this.#closers.push({ what, close });
  }

  /** One that hangs does not keep the others from closing. */
  async closeAll(): Promise<void> {
    this.#log.info("daemon.stopping");
    for (const { what, close } of this.#closers.toReversed()) await this.#close(what, close);
    this.#log.info("daemon.stopped");
  }

  async #close(what: string, close: () => unknown): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        // Whatever it still does finds closed what it needs.
        this.#log.warn("daemon.close_late", { what });
        resolve();
      }, STOP_DEADLINE_MS / 2);
    });
    try {
      await Promise.race([close(), late]);
    } catch (cause) {
      this.#log.error("daemon.close_failed", { what, cause: String(cause) });
    } finally {
      clearTimeout(timer);
    }
  }
}
