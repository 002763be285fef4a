import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { insteadOfQuietHours, isQuiet, parseQuietHours, type QuietHours, quietForMs } from "./quiet-hours.ts";
import type { OffsetAt } from "./when.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const utc: OffsetAt = () => 0;
/** As in Berlin: forward on 29 March 2026, back on 25 October, both at 01:00 UTC. */
const SUMMER = { from: Date.UTC(2026, 2, 29, 1), to: Date.UTC(2026, 9, 25, 1) };
const berlin: OffsetAt = (at) => (at >= SUMMER.from && at < SUMMER.to ? 2 * HOUR : HOUR);

const NIGHT: QuietHours = { from: 22 * 60, to: 7 * 60 };
const night = (at: number, offsetAt = utc) =>
  quietForMs({ hours: NIGHT, except: [] }, "question", at, offsetAt);
const at = (...parts: [number, number, number, number?]) => Date.UTC(2026, ...parts);

const minuteOfDay = fc.integer({ min: 0, max: 1_439 });
const anyHours = fc.record({ from: minuteOfDay, to: minuteOfDay }).filter(({ from, to }) => from !== to);
const anyTime = fc.integer({ min: SUMMER.from - 40 * 24 * HOUR, max: SUMMER.to + 40 * 24 * HOUR });
const anyZone = fc.oneof(
  fc.constant(berlin),
  fc.integer({ min: -12 * 4, max: 14 * 4 }).map(
    (quarters): OffsetAt =>
      () =>
        quarters * 15 * MINUTE,
  ),
);

describe("quiet hours", () => {
  it.each([
    ["22:00-07:00", { from: 1_320, to: 420 }],
    [" 9:30 - 17:00 ", { from: 570, to: 1_020 }],
    ["00:00-23:59", { from: 0, to: 1_439 }],
  ])("%j can be read", (text, hours) => {
    expect(parseQuietHours(text)).toEqual(hours);
    expect(insteadOfQuietHours(text)).toBeUndefined();
  });

  it.each(["22-7", "24:00-07:00", "22:60-07:00", "22:00", "always", "07:00-07:00", "22:00-07:00-08:00"])(
    "%j cannot",
    (text) => {
      expect(insteadOfQuietHours(text)).toContain("22:00-07:00");
    },
  );

  it("go over midnight, and end on the minute", () => {
    expect(night(at(0, 5, 21, 59))).toBe(0);
    expect(night(at(0, 5, 22))).toBe(9 * HOUR);
    expect(night(at(0, 6, 0, 30))).toBe(6.5 * HOUR);
    expect(night(at(0, 6, 6, 59) + 59_999)).toBe(1);
    expect(night(at(0, 6, 7))).toBe(0);
  });

  it("are by the clock on the wall: a night in spring is an hour shorter, one in autumn an hour longer", () => {
    expect(night(at(2, 28, 21), berlin)).toBe(8 * HOUR);
    expect(night(at(9, 24, 20), berlin)).toBe(10 * HOUR);
  });

  it("end at once if the clock skips their end", () => {
    const hours = { from: 60, to: 150 };
    // From 01:30, the clock goes to 02:00, which is 03:00.
    expect(quietForMs({ hours, except: [] }, "question", at(2, 29, 0, 30), berlin)).toBe(HOUR / 2);
  });

  it("leave out what the person wants to hear of anyway", () => {
    const quiet = { hours: NIGHT, except: ["permission"] as const };
    expect(quietForMs(quiet, "permission", at(0, 5, 23), utc)).toBe(0);
    expect(quietForMs(quiet, "turn-end", at(0, 5, 23), utc)).toBe(8 * HOUR);
    expect(quietForMs({ hours: undefined, except: [] }, "turn-end", at(0, 5, 23), utc)).toBe(0);
  });

  it("whatever they are, and wherever: they end at the first minute that is not quiet", () => {
    fc.assert(
      fc.property(anyHours, anyTime, anyZone, (hours, now, offsetAt) => {
        const waitMs = quietForMs({ hours, except: [] }, "question", now, offsetAt);
        expect(waitMs > 0).toBe(isQuiet(hours, now, offsetAt));
        expect(isQuiet(hours, now + waitMs, offsetAt)).toBe(false);
        for (let then = now; then < now + waitMs; then += MINUTE)
          expect(isQuiet(hours, then, offsetAt)).toBe(true);
      }),
    );
  });

  it("cover as many minutes of an ordinary day as they say", () => {
    fc.assert(
      fc.property(anyHours, (hours) => {
        const minutes = Array.from({ length: 1_440 }, (_, minute) => at(0, 5, 0) + minute * MINUTE);
        const quiet = minutes.filter((minute) => isQuiet(hours, minute, utc)).length;
        expect(quiet).toBe((hours.to - hours.from + 1_440) % 1_440);
      }),
    );
  });
});
