/**
 * Restores the daemon's socket files if they are removed: without them it would keep running unreachable. The file
 * watcher is only a hint; a check every two seconds is authoritative.
 */
import { type FSWatcher, watch } from "node:fs";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

const LOOK_EVERY_MS = 2_000;
/** While someone removes the folder, no new file must appear in it. */
const SETTLES_MS = 150;

export interface KeptSocketsOptions {
  /** The folder of the socket files. */
  readonly folder: string;
  /** Makes sure that the files are there. */
  putBack(): Promise<"were-there" | "put-back">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Nothing is put back once `close` has resolved. */
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
        // The folder may have been replaced by another of the same name.
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
    // No watcher available (limits, network file systems): polling is enough.
    return undefined;
  }
}
