/**
 * The files of the daemon's sockets, put back where somebody has removed them: without them it would run on, and nobody
 * could reach it. The system's watch is a hint, a look every two seconds the truth.
 */
import { type FSWatcher, watch } from "node:fs";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

const LOOK_EVERY_MS = 2_000;
/** Whoever removes the folder must not find a new file in it halfway. */
const SETTLES_MS = 150;

export interface KeptSocketsOptions {
  /** Where the files are. */
  readonly folder: string;
  /** Sees to it that they are there. */
  putBack(): Promise<"were-there" | "put-back">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Nothing is put back any more once `close` has resolved. */
export function keepSockets(options: KeptSocketsOptions): { close(): Promise<void> } {
  const { folder, clock, log } = options;
  let closed = false;
  let cancelPoll = () => {};
  let cancelSoon: (() => void) | undefined;
  let looking = Promise.resolve();
  let complaint: string | undefined;

  const soon = (): void => {
    if (closed) return;
    cancelSoon ??= clock.after(SETTLES_MS, () => {
      cancelSoon = undefined;
      looking = looking.then(look);
    });
  };
  const poll = (): void => {
    looking = looking.then(look).then(() => {
      if (!closed) cancelPoll = clock.after(LOOK_EVERY_MS, poll);
    });
  };
  async function look(): Promise<void> {
    if (closed) return;
    try {
      if ((await options.putBack()) === "put-back") {
        log.info("sockets.put_back", { folder });
        // It may be another folder of that name.
        watcher?.close();
        watcher = watched(folder, soon);
      }
      complaint = undefined;
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      if (message !== complaint) log.error("sockets.missing", { cause: message });
      complaint = message;
    }
  }

  let watcher = watched(folder, soon);
  poll();
  return {
    async close() {
      closed = true;
      cancelPoll();
      cancelSoon?.();
      await looking;
      watcher?.close();
    },
  };
}

function watched(folder: string, onHint: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onHint);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    // No watch to be had (limits, network file systems): to look now and then will do.
    return undefined;
  }
}
