import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nextByCron } from "./cron.ts";

/** Node reads the zone whenever it is set; it is restored for the other test files of this process. */
const before = process.env.TZ;

function inZone(zone: string): void {
  process.env.TZ = zone;
}

/** Local time with its offset from UTC: `2030-03-10 03:00 -4`. */
function onTheWall(at: number | undefined): string | undefined {
  if (at === undefined) return undefined;
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())} ${-date.getTimezoneOffset() / 60}`;
}

function following(line: string, after: number, count: number): readonly (string | undefined)[] {
  const found: (string | undefined)[] = [];
  for (let at: number | undefined = after; at !== undefined && found.length < count; ) {
    at = nextByCron(line, at);
    found.push(onTheWall(at));
  }
  return found;
}

const MONDAY = Date.UTC(2030, 0, 7, 9);

beforeEach(() => inZone("UTC"));
afterEach(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

describe("the next time of a cron line", () => {
  it("comes after the moment that is asked about, never at it", () => {
    expect(nextByCron("0 9 * * *", MONDAY)).toBe(MONDAY + 86_400_000);
    expect(nextByCron("0 9 * * *", MONDAY - 1)).toBe(MONDAY);
    expect(nextByCron("* * * * *", MONDAY + 59_999)).toBe(MONDAY + 60_000);
  });

  it("takes names, lists, ranges and steps", () => {
    expect(following("0 9 * * mon-fri", Date.UTC(2030, 0, 11, 9), 1)).toEqual(["2030-01-14 09:00 0"]);
    expect(following("0 9 * FEB *", MONDAY, 1)).toEqual(["2030-02-01 09:00 0"]);
    expect(following("10,40 8-9 * * *", MONDAY, 3)).toEqual([
      "2030-01-07 09:10 0",
      "2030-01-07 09:40 0",
      "2030-01-08 08:10 0",
    ]);
    expect(following("*/20 * * * *", MONDAY, 3)).toEqual([
      "2030-01-07 09:20 0",
      "2030-01-07 09:40 0",
      "2030-01-07 10:00 0",
    ]);
  });

  it("counts Sunday as 0 and as 7, and takes blanks at the ends", () => {
    expect(following("  0 9  * *\t0 ", MONDAY, 1)).toEqual(["2030-01-13 09:00 0"]);
    expect(following("0 9 * * 7", MONDAY, 1)).toEqual(["2030-01-13 09:00 0"]);
  });

  it("takes a day of the month or a weekday, whichever comes first, where both are given", () => {
    expect(following("0 9 20 * 1", MONDAY, 3)).toEqual([
      "2030-01-14 09:00 0",
      "2030-01-20 09:00 0",
      "2030-01-21 09:00 0",
    ]);
  });

  it("waits for a leap year, and says of a day that no month has that it never comes", () => {
    expect(following("0 0 29 2 *", MONDAY, 1)).toEqual(["2032-02-29 00:00 0"]);
    for (const never of ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *"])
      expect(nextByCron(never, MONDAY)).toBeUndefined();
  });

  it.each([
    "* * * * * *",
    "0 0 9 * * 1",
    "0 9 * *",
    "",
    "   ",
    "@daily",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 8",
    "-1 * * * *",
    "5-1 * * * *",
    "*/0 * * * *",
    "1e1 * * * *",
    "0x5 * * * *",
    "mon * * * *",
    "* * * * someday",
    "2030-01-08T09:00:00 * * * *",
    "\0 * * * *",
    "🕘 9 * * *",
    "0 9 16 * +1",
  ])("is none for %j", (line) => {
    expect(nextByCron(line, MONDAY)).toBeUndefined();
  });
});

describe("where the clock is changed twice a year", () => {
  it("moves a time that does not exist to the end of the gap, once", () => {
    inZone("America/New_York");
    expect(following("30 2 * * *", Date.UTC(2030, 2, 9, 12), 2)).toEqual([
      "2030-03-10 03:00 -4",
      "2030-03-11 02:30 -4",
    ]);
  });

  it("takes a time that exists twice once", () => {
    inZone("America/New_York");
    expect(following("30 1 * * *", Date.UTC(2030, 10, 2, 12), 2)).toEqual([
      "2030-11-03 01:30 -4",
      "2030-11-04 01:30 -5",
    ]);
  });

  it("comes every hour in an hour that exists twice, and skips none in one that does not", () => {
    inZone("Europe/Berlin");
    expect(following("0 * * * *", Date.UTC(2030, 9, 26, 23, 30), 3)).toEqual([
      "2030-10-27 02:00 2",
      "2030-10-27 02:00 1",
      "2030-10-27 03:00 1",
    ]);
    expect(following("0 * * * *", Date.UTC(2030, 2, 30, 23, 30), 3)).toEqual([
      "2030-03-31 01:00 1",
      "2030-03-31 03:00 2",
      "2030-03-31 04:00 2",
    ]);
  });

  it("keeps nine o'clock at nine o'clock", () => {
    inZone("Europe/Berlin");
    expect(following("0 9 * * *", Date.UTC(2030, 2, 30, 6), 2)).toEqual([
      "2030-03-30 09:00 1",
      "2030-03-31 09:00 2",
    ]);
  });

  it("comes once although it was said late, inside the hour that exists twice", () => {
    inZone("America/New_York");
    const due = Date.UTC(2030, 10, 3, 5, 30);
    expect(onTheWall(due)).toBe("2030-11-03 01:30 -4");
    for (const lateMinutes of [1, 29, 40, 59])
      expect(onTheWall(nextByCron("30 1 * * *", due + lateMinutes * 60_000))).toBe("2030-11-04 01:30 -5");
  });
});

describe("any line at any time", () => {
  const field = (low: number, high: number): fc.Arbitrary<string> =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant("*") },
      { weight: 3, arbitrary: fc.integer({ min: low, max: high }).map(String) },
      fc.integer({ min: 1, max: high }).map((step) => `*/${step}`),
      fc
        .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high }))
        .map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`),
    );
  const line = fc
    .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7))
    .map((fields) => fields.join(" "));
  const zone = fc.constantFrom(
    "UTC",
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
  );
  /** Times near a clock change are as frequent as all others. */
  const moment = fc.oneof(
    fc.integer({ min: Date.UTC(2030, 0, 1), max: Date.UTC(2034, 0, 1) }),
    fc
      .tuple(
        fc.constantFrom(
          Date.UTC(2030, 2, 10, 7),
          Date.UTC(2030, 10, 3, 6),
          Date.UTC(2030, 9, 27, 1),
          Date.UTC(2030, 3, 6, 15),
        ),
        fc.integer({ min: -10_800_000, max: 10_800_000 }),
      )
      .map(([change, by]) => change + by),
  );

  it("gives a whole minute after it, or nothing", () => {
    fc.assert(
      fc.property(zone, line, moment, (where, what, when) => {
        inZone(where);
        const next = nextByCron(what, when);
        if (next === undefined) return;
        expect(next).toBeGreaterThan(when);
        expect(next % 60_000).toBe(0);
      }),
      { numRuns: 400 },
    );
  });

  it("never throws, whatever it is given", () => {
    const characters = fc.constantFrom(..."0123456789*/-,#LW?+ \tMONJANx@€".split(""));
    const hostile = fc.oneof(fc.string({ unit: characters, maxLength: 128 }), fc.string({ maxLength: 128 }));
    fc.assert(
      fc.property(hostile, (what) => {
        const next = nextByCron(what, MONDAY);
        expect(next === undefined || next > MONDAY).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});
