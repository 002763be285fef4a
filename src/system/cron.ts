import { Cron as Croner } from "croner";
import type { Instant } from "../core/message.ts";

/** Five fields, in this machine's time zone; undefined when it is no cron line or never comes. */
export function nextByCron(line: string, after: Instant): Instant | undefined {
  if (line.trim().split(/\s+/u).length !== 5) return undefined;
  // An extension that no other cron has; a line with it that never comes is searched for half a second.
  if (line.includes("+")) return undefined;
  try {
    return new Croner(line, { paused: true }).nextRun(new Date(after))?.getTime();
  } catch {
    return undefined;
  }
}
