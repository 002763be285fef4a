import { renameSync, statSync } from "node:fs";
import pino from "pino";
import type { Log } from "../ports/log.ts";

const LARGEST_LOG_BYTES = 20 * 1024 * 1024;

/** One JSON line per change of state. At start a large file becomes the one before it. */
export function logFile(path: string): { readonly log: Log; flush(): void } {
  try {
    if (statSync(path).size > LARGEST_LOG_BYTES) renameSync(path, `${path}.1`);
  } catch {
    // Not there yet.
  }
  const destination = pino.destination({ dest: path, mkdir: true, sync: false, mode: 0o600 });
  // A full disk must cost log lines, not the daemon: without a listener the error would end it, and a flush after
  // an error never returns.
  let writable = true;
  destination.on("error", () => {
    writable = false;
  });
  const logger = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "event" },
    destination,
  );
  return {
    log: {
      info: (event, fields) => logger.info(fields ?? {}, event),
      warn: (event, fields) => logger.warn(fields ?? {}, event),
      error: (event, fields) => logger.error(fields ?? {}, event),
    },
    flush: () => {
      if (!writable) return;
      try {
        destination.flushSync();
      } catch {
        // Not open yet: nothing was written.
      }
    },
  };
}
