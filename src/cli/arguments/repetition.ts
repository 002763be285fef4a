import { sanitiseLine } from "../../core/text/sanitise.ts";
import { formatExactly } from "../../core/time/duration.ts";
import type { ShownReminder } from "../../wire/shapes/reminders.ts";

/** How a reminder comes again: `every 30m`, `by cron 0 9 * * 1-5`, or nothing. */
export function repetition({ everyMs, cron }: ShownReminder): string {
  if (cron !== undefined) return `by cron ${sanitiseLine(cron)}`;
  return everyMs === undefined ? "" : `every ${formatExactly(everyMs)}`;
}
