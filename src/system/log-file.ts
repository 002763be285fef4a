import { renameSync, statSync } from "node:fs";
import type { Log } from "../ports/log.ts";
import { appendingTo, LogLines } from "./log-lines.ts";

const LARGEST_LOG_BYTES = 20 * 1024 * 1024;

/** The numbers that readers of such logs know. */
const LEVELS = { info: 30, warn: 40, error: 50 } as const;

/** One JSON line per change of state. At start, a large file is renamed to be the previous log. */
export function logFile(path: string): { readonly log: Log; flush(): void } {
  try {
    if (statSync(path).size > LARGEST_LOG_BYTES) renameSync(path, `${path}.1`);
  } catch {
    // The file does not exist yet.
  }
  const lines = new LogLines(appendingTo(path));
  const writing =
    (level: keyof typeof LEVELS): Log[typeof level] =>
    (event, fields) =>
      lines.write(lineOf(LEVELS[level], new Date(), event, fields));
  return {
    log: { info: writing("info"), warn: writing("warn"), error: writing("error") },
    flush: () => lines.flush(),
  };
}

function lineOf(level: number, at: Date, event: string, fields: Parameters<Log["info"]>[1]): string {
  const head = { level, time: at.toISOString() };
  try {
    return `${JSON.stringify({ ...head, ...fields, event })}\n`;
  } catch (cause) {
    // What cannot be written must not keep the rest from the log, nor end the daemon.
    return `${JSON.stringify({ ...head, unwritable: String(cause), event })}\n`;
  }
}
