import { Cron as Croner } from "croner";
import type { Instant } from "../core/message.ts";

/** Five fields, in this machine's time zone; undefined if it is not a cron line or never fires. */
export function nextByCron(line: string, after: Instant): Instant | undefined {
  if (line.trim().split(/\s+/u).length !== 5) return undefined;
  // An extension that no other cron has; for a line with it that never fires, the search takes half a second.
  if (line.includes("+")) return undefined;
  try {
    return new Croner(line, { paused: true }).nextRun(new Date(after))?.getTime();
  } catch {
    return undefined;
  }
}
