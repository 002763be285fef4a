/** Times as people read them, in their own zone. */
import { formatDuration } from "../core/duration.ts";
import type { Instant } from "../core/message.ts";

export function clockTime(at: Instant): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
}

export function dateAndTime(at: Instant): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clockTime(at)}`;
}

export function age(at: Instant, now: Instant): string {
  return formatDuration(Math.max(0, Math.floor((now - at) / 1_000) * 1_000));
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
