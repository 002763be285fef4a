import { renameSync, statSync } from "node:fs";
import pino from "pino";
import type { Log } from "../ports/log.ts";
import { appendingTo, LogLines } from "./log-lines.ts";

const LARGEST_LOG_BYTES = 20 * 1024 * 1024;

/** One JSON line per change of state. At start, a large file is renamed to be the previous log. */
export function logFile(path: string): { readonly log: Log; flush(): void } {
  try {
    if (statSync(path).size > LARGEST_LOG_BYTES) renameSync(path, `${path}.1`);
  } catch {
    // The file does not exist yet.
  }
  const lines = new LogLines(appendingTo(path));
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "event" }, lines);
  return {
    log: {
      info: (event, fields) => logger.info(fields ?? {}, event),
      warn: (event, fields) => logger.warn(fields ?? {}, event),
      error: (event, fields) => logger.error(fields ?? {}, event),
    },
    flush: () => lines.flush(),
  };
}
