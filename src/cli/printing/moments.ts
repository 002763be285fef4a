/** Times in readable form, in the person's zone. */

import type { Instant } from "../../core/message.ts";
import { formatDuration } from "../../core/time/duration.ts";

export function clockTime(at: Instant): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
}

export function dateAndTime(at: Instant): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clockTime(at)}`;
}

export function dateAndMinute(at: Instant): string {
  return dateAndTime(at).slice(0, -":00".length);
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
/** Within this, a weekday is unambiguous. */
const WEEK_MS = 6 * 86_400_000;

/** A time in the future: `Mon 17:30 (in 4h 2m)`, with its date if the weekday is ambiguous. */
export function coming(at: Instant, now: Instant): string {
  const date = new Date(at);
  const near = Math.abs(at - now) < WEEK_MS;
  const shown = near
    ? `${WEEKDAYS[date.getDay()]} ${two(date.getHours())}:${two(date.getMinutes())}`
    : dateAndMinute(at);
  return `${shown} (${until(at, now)})`;
}

/** Rounded up: what was set for five minutes ahead a moment ago still shows five minutes. */
export function until(at: Instant, now: Instant): string {
  const seconds = Math.ceil((at - now) / 1_000);
  return seconds <= 0 ? "now" : `in ${formatDuration(seconds * 1_000)}`;
}

export function age(at: Instant, now: Instant): string {
  return formatDuration(Math.max(0, Math.floor((now - at) / 1_000) * 1_000));
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
