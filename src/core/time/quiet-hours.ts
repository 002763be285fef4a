/** When the person wants to be left alone, by the clock on their wall. Pure: the caller supplies the time zone. */
import type { AttentionKind } from "../attention.ts";
import type { Instant } from "../message.ts";
import type { OffsetAt } from "./when.ts";

/** In minutes since midnight. If it ends earlier than it begins, it goes over midnight. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

export interface Quiet {
  /** Undefined: never. */
  readonly hours: QuietHours | undefined;
  /** What may come nevertheless. */
  readonly except: readonly AttentionKind[];
}

export const NEVER_QUIET: Quiet = { hours: undefined, except: [] };

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** A day on which the clock is set back is longer than others. */
const LONGEST_MINUTES = 2 * DAY_MINUTES;
const HOURS = /^([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)$/;

/** `22:00-07:00`; undefined if it is something else, or no time at all. */
export function parseQuietHours(text: string): QuietHours | undefined {
  const [, ...parts] = HOURS.exec(text.trim()) ?? [];
  const [fromHour, fromMinute, toHour, toMinute] = parts.map(Number);
  if (fromHour === undefined || fromMinute === undefined || toHour === undefined || toMinute === undefined)
    return undefined;
  const hours = { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute };
  return hours.from === hours.to ? undefined : hours;
}

export function quietHoursInWords({ from, to }: QuietHours): string {
  const clock = (minutes: number) =>
    [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return `${clock(from)}-${clock(to)}`;
}

/** What to write in its place; undefined if it is right, or empty. */
export function insteadOfQuietHours(text: string): string | undefined {
  if (text === "" || parseQuietHours(text) !== undefined) return undefined;
  return 'two different times, such as "22:00-07:00"';
}

export function isQuiet({ from, to }: QuietHours, at: Instant, offsetAt: OffsetAt): boolean {
  const shown = Math.floor((at + offsetAt(at)) / MINUTE_MS);
  const minute = ((shown % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** How long the person is not told of this kind of thing; 0: they are told now. */
export function quietForMs(
  { hours, except }: Quiet,
  kind: AttentionKind,
  now: Instant,
  offsetAt: OffsetAt,
): number {
  if (hours === undefined || except.includes(kind) || !isQuiet(hours, now, offsetAt)) return 0;
  // Minute by minute: where the clock is set forward or back, no calculation is simpler.
  let at = now - (now % MINUTE_MS) + MINUTE_MS;
  for (let minutes = 0; minutes < LONGEST_MINUTES && isQuiet(hours, at, offsetAt); minutes += 1)
    at += MINUTE_MS;
  return at - now;
}
