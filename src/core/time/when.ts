/** A point in time as people write it. The caller supplies the clock and the time zone. */
import type { Instant } from "../message.ts";

/** How far the local clock is ahead of UTC at a moment, in milliseconds. */
export type OffsetAt = (at: Instant) => number;

export type When =
  | { readonly kind: "at"; readonly at: Instant }
  | { readonly kind: "unreadable" }
  /** It can be read, but no clock here will ever show it. */
  | { readonly kind: "impossible"; readonly why: string };

export interface Here {
  readonly now: Instant;
  readonly offsetAt: OffsetAt;
  /** For a time without a date: the next one, or the last one. */
  readonly toward: "ahead" | "back";
}

const DAY_MS = 86_400_000;
/** A time that the clock skips on one day occurs on the next. */
const DAYS_TO_LOOK_AT = 3;
const FARTHEST_ZONE_HOURS = 14;

const TIME = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?`;
const CLOCK = new RegExp(`^${TIME}$`);
const DATE = new RegExp(
  String.raw`^(\d{4})-(\d{2})-(\d{2})(?:(?:T| +)${TIME}(?: ?(Z|[+-]\d{2}(?::?\d{2})?))?)?$`,
  "i",
);

/** `17:30`, `2026-12-24`, `2026-12-24 09:00`, ISO 8601 with or without its zone. */
export function parseWhen(text: string, here: Here): When {
  const trimmed = text.trim();
  const clock = CLOCK.exec(trimmed);
  if (clock !== null) return onTheClock(clock.slice(1), here);
  const date = DATE.exec(trimmed);
  return date === null ? { kind: "unreadable" } : onTheCalendar(date.slice(1), here);
}

type Parts = readonly (string | undefined)[];

function onTheClock(parts: Parts, { now, offsetAt, toward }: Here): When {
  const sinceMidnight = timeOfDay(parts);
  if (sinceMidnight === undefined) return noSuchTime(parts);
  const shown = now + offsetAt(now);
  const today = shown - mod(shown, DAY_MS);
  const step = toward === "ahead" ? 1 : -1;
  // From the day before: a clock that is set back over midnight shows that day again.
  for (let day = -1; day <= DAYS_TO_LOOK_AT; day += 1) {
    const found = momentsShowing(today + step * day * DAY_MS + sinceMidnight, offsetAt);
    const at = toward === "ahead" ? found.find((each) => each > now) : found.findLast((each) => each <= now);
    if (at !== undefined) return { kind: "at", at };
  }
  return noSuchTime(parts);
}

function onTheCalendar([year, month, day, ...time]: Parts, { now, offsetAt }: Here): When {
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const date = `${year}-${month}-${day}`;
  if (new Date(midnight).toISOString().slice(0, 10) !== date)
    return { kind: "impossible", why: `There is no ${date}.` };
  const sinceMidnight = time[0] === undefined ? 0 : timeOfDay(time);
  if (sinceMidnight === undefined) return noSuchTime(time);
  const shown = midnight + sinceMidnight;
  const zone = time[4];
  if (zone !== undefined) {
    const offset = zoneOffset(zone);
    return offset === undefined
      ? { kind: "impossible", why: `There is no time zone ${zone}.` }
      : { kind: "at", at: shown - offset };
  }
  const found = momentsShowing(shown, offsetAt);
  const at = found.find((each) => each > now) ?? found[0];
  return at === undefined
    ? { kind: "impossible", why: `${spoken(time)} does not exist on ${date}: the clocks go forward.` }
    : { kind: "at", at };
}

/** None if the clock skips it, two if the clock repeats it; earliest first. */
function momentsShowing(shown: number, offsetAt: OffsetAt): readonly Instant[] {
  const offsets = new Set([offsetAt(shown - DAY_MS), offsetAt(shown + DAY_MS)]);
  return [...offsets]
    .map((offset) => shown - offset)
    .filter((at) => at + offsetAt(at) === shown)
    .sort((one, other) => one - other);
}

function timeOfDay([hours, minutes, seconds = "0", fraction = ""]: Parts): number | undefined {
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1_000 + Number(fraction.padEnd(3, "0").slice(0, 3));
}

function zoneOffset(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || "0");
  if (hours > FARTHEST_ZONE_HOURS || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function noSuchTime(parts: Parts): When {
  return { kind: "impossible", why: `There is no time ${spoken(parts)}.` };
}

function spoken([hours = "0", minutes = "00", seconds]: Parts): string {
  return [hours.padStart(2, "0"), minutes, ...(seconds === undefined ? [] : [seconds])].join(":");
}

function mod(number: number, by: number): number {
  return ((number % by) + by) % by;
}
