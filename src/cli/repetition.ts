import { formatExactly } from "../core/duration.ts";
import { sanitiseLine } from "../core/sanitise.ts";
import type { ShownReminder } from "../wire/shapes/reminders.ts";

/** How a reminder comes again: `every 30m`, `by cron 0 9 * * 1-5`, or nothing. */
export function repetition({ everyMs, cron }: ShownReminder): string {
  if (cron !== undefined) return `by cron ${sanitiseLine(cron)}`;
  return everyMs === undefined ? "" : `every ${formatExactly(everyMs)}`;
}
