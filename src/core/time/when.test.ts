import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type OffsetAt, parseWhen } from "./when.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What the clocks of a real place show. */
function zone(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (at) => {
    const parts = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    ) as Record<"year" | "month" | "day" | "hour" | "minute" | "second", number>;
    const { year, month, day, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
  };
}

const utc: OffsetAt = () => 0;
const berlin = zone("Europe/Berlin");
const lordHowe = zone("Australia/Lord_Howe");
const moment = (text: string) => Date.parse(text);

const ahead = (text: string, now: string, offsetAt = utc) =>
  parseWhen(text, { now: moment(now), offsetAt, toward: "ahead" });
const back = (text: string, now: string, offsetAt = utc) =>
  parseWhen(text, { now: moment(now), offsetAt, toward: "back" });
const at = (text: string) => ({ kind: "at", at: moment(text) });

describe("a time without a date", () => {
  it("is the next one", () => {
    expect(ahead("17:30", "2026-12-24T10:00Z")).toEqual(at("2026-12-24T17:30Z"));
    expect(ahead("9:05", "2026-12-24T10:00Z")).toEqual(at("2026-12-25T09:05Z"));
    expect(ahead("17:30:15", "2026-12-24T17:30:14Z")).toEqual(at("2026-12-24T17:30:15Z"));
  });

  it("goes over midnight, the end of the month and the end of the year", () => {
    expect(ahead("00:00", "2026-12-31T23:59:59.999Z")).toEqual(at("2027-01-01T00:00Z"));
    expect(ahead("23:59", "2026-02-28T23:59:30Z")).toEqual(at("2026-03-01T23:59Z"));
  });

  it("is never now", () => {
    expect(ahead("00:00", "2026-12-24T00:00Z")).toEqual(at("2026-12-25T00:00Z"));
  });

  it("is the last one where the past is meant", () => {
    expect(back("17:30", "2026-12-24T18:00Z")).toEqual(at("2026-12-24T17:30Z"));
    expect(back("17:30", "2026-12-24T10:00Z")).toEqual(at("2026-12-23T17:30Z"));
    expect(back("10:00", "2026-12-24T10:00Z")).toEqual(at("2026-12-24T10:00Z"));
  });

  it("is read on the local clock, whose day may be another", () => {
    expect(ahead("00:30", "2026-07-01T22:10Z", berlin)).toEqual(at("2026-07-01T22:30Z"));
    expect(ahead("13:00", "2026-07-01T12:00Z", zone("Asia/Kathmandu"))).toEqual(at("2026-07-02T07:15Z"));
    expect(ahead("20:00", "2026-07-02T02:30Z", zone("America/Los_Angeles"))).toEqual(at("2026-07-02T03:00Z"));
  });

  it("comes a day later where the clock skips it", () => {
    expect(ahead("02:30", "2027-03-27T12:00Z", berlin)).toEqual(at("2027-03-29T02:30+02:00"));
    expect(back("02:30", "2027-03-28T12:00Z", berlin)).toEqual(at("2027-03-27T02:30+01:00"));
    expect(ahead("02:15", "2026-10-03T12:00Z", lordHowe)).toEqual(at("2026-10-05T02:15+11:00"));
  });

  it("comes again within the hour where the clock is put back", () => {
    expect(ahead("02:30", "2026-10-25T01:00+02:00", berlin)).toEqual(at("2026-10-25T02:30+02:00"));
    expect(ahead("02:30", "2026-10-25T02:40+02:00", berlin)).toEqual(at("2026-10-25T02:30+01:00"));
    expect(back("02:30", "2026-10-25T04:00+01:00", berlin)).toEqual(at("2026-10-25T02:30+01:00"));
    const overMidnight = ahead("23:30", "2010-11-07T00:00:30-02:30", zone("America/St_Johns"));
    expect(overMidnight).toEqual(at("2010-11-06T23:30-03:30"));
  });

  it("is the very next moment at which the clock shows it, whatever is done to the clock", () => {
    const now = moment("2026-06-15T12:00Z");
    fc.assert(
      fc.property(
        fc.integer({ min: -2 * DAY, max: 2 * DAY }),
        fc.integer({ min: -6, max: 6 }),
        fc.integer({ min: -26, max: 26 }),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 1 }),
        (changesIn, shift, offset, hour, half) => {
          const changesAt = now + Math.round(changesIn / (30 * MINUTE)) * 30 * MINUTE;
          const offsetAt: OffsetAt = (each) => (offset + (each < changesAt ? 0 : shift)) * 30 * MINUTE;
          const shown = (hour * 60 + half * 30) * MINUTE;
          const found = parseWhen(`${hour}:${half === 0 ? "00" : "30"}`, { now, offsetAt, toward: "ahead" });
          let expected = now + 30 * MINUTE;
          while ((expected + offsetAt(expected) + 2 * DAY) % DAY !== shown) expected += 30 * MINUTE;
          expect(found).toEqual({ kind: "at", at: expected });
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

describe("a date", () => {
  const now = "2026-11-15T12:00Z";

  it.each([
    ["2026-12-24 09:00", "2026-12-24T09:00Z"],
    ["2026-12-24 9:00", "2026-12-24T09:00Z"],
    ["2026-12-24T09:00", "2026-12-24T09:00Z"],
    ["  2026-12-24   09:00:30  ", "2026-12-24T09:00:30Z"],
    ["2026-12-24T09:00:30.25", "2026-12-24T09:00:30.250Z"],
    ["2026-12-24T09:00:30,123456789Z", "2026-12-24T09:00:30.123Z"],
    ["2026-12-24t09:00z", "2026-12-24T09:00Z"],
    ["2026-12-24T09:00+02:00", "2026-12-24T07:00Z"],
    ["2026-12-24 09:00 -0330", "2026-12-24T12:30Z"],
    ["2026-12-24T09:00+14", "2026-12-23T19:00Z"],
    ["2026-12-24", "2026-12-24T00:00Z"],
    ["2028-02-29 12:00", "2028-02-29T12:00Z"],
    ["2020-01-01 00:00", "2020-01-01T00:00Z"],
  ])("may be written %j", (text, expected) => {
    expect(ahead(text, now)).toEqual(at(expected));
  });

  it("is local unless it names its zone", () => {
    expect(ahead("2026-12-24 09:00", now, berlin)).toEqual(at("2026-12-24T09:00+01:00"));
    expect(ahead("2026-07-24 09:00", now, berlin)).toEqual(at("2026-07-24T09:00+02:00"));
    expect(ahead("2026-12-24T09:00Z", now, berlin)).toEqual(at("2026-12-24T09:00Z"));
  });

  it.each([
    ["2026-02-30 09:00", "There is no 2026-02-30."],
    ["2026-02-29", "There is no 2026-02-29."],
    ["2026-04-31T09:00Z", "There is no 2026-04-31."],
    ["2026-13-01 09:00", "There is no 2026-13-01."],
    ["2026-00-10 09:00", "There is no 2026-00-10."],
    ["2026-01-00", "There is no 2026-01-00."],
    ["0099-01-01", "There is no 0099-01-01."],
    ["24:00", "There is no time 24:00."],
    ["12:60", "There is no time 12:60."],
    ["2026-12-24 09:00:60", "There is no time 09:00:60."],
    ["2026-12-24 9:99", "There is no time 09:99."],
    ["2026-12-24T09:00+15:00", "There is no time zone +15:00."],
    ["2026-12-24T09:00+0199", "There is no time zone +0199."],
  ])("%j is impossible", (text, why) => {
    expect(ahead(text, now)).toEqual({ kind: "impossible", why });
  });

  it("is impossible where the clock is put forward over it", () => {
    expect(ahead("2027-03-28 02:30", now, berlin)).toEqual({
      kind: "impossible",
      why: "02:30 does not exist on 2027-03-28: the clocks go forward.",
    });
    expect(ahead("2011-12-30", "2011-12-01T00:00Z", zone("Pacific/Apia"))).toMatchObject({
      kind: "impossible",
    });
    expect(ahead("2027-03-28T02:30+01:00", now, berlin)).toEqual(at("2027-03-28T01:30Z"));
  });

  it("is the first of two where the clock is put back, unless that has passed", () => {
    expect(ahead("2026-10-25 02:30", "2026-10-01T00:00Z", berlin)).toEqual(at("2026-10-25T02:30+02:00"));
    expect(ahead("2026-10-25 02:30", "2026-10-25T02:40+02:00", berlin)).toEqual(at("2026-10-25T02:30+01:00"));
    expect(ahead("2026-10-25 02:30", now, berlin)).toEqual(at("2026-10-25T02:30+02:00"));
  });

  it("survives being written and read again", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: moment("2100-01-01T00:00Z") }),
        fc.constantFrom(utc, berlin, lordHowe, zone("America/St_Johns")),
        (instant, offsetAt) => {
          const second = Math.floor(instant / 1_000) * 1_000;
          const shown = new Date(second + offsetAt(second)).toISOString().slice(0, 19);
          const found = parseWhen(shown, { now: second - 1, offsetAt, toward: "ahead" });
          expect(found).toEqual({ kind: "at", at: second });
          expect(ahead(`${shown}Z`, now)).toEqual({ kind: "at", at: second + offsetAt(second) });
        },
      ),
    );
  });
});

describe("what is no time", () => {
  const texts = [
    "",
    " ",
    "soon",
    "tomorrow",
    "5pm",
    "17.30",
    "1730",
    "17:3",
    "117:30",
    "-17:30",
    "17:30Z",
    "17:30 17:30",
    "24.12.2026 09:00",
    "12/24/2026",
    "2026-12-24T",
    "2026-12-24 09",
    "2026-1-2 09:00",
    "26-12-24 09:00",
    "12026-12-24 09:00",
    "2026-12-24T09:00+2",
    "2026-12-24\n09:00",
    "17:30\0",
    "\u0661\u0667:\u0663\u0660",
    "2026-W52-4",
    "1766570400000",
  ];
  it.each(texts.map((text) => [text]))("%j is unreadable", (text) => {
    expect(ahead(text, "2026-11-15T12:00Z")).toEqual({ kind: "unreadable" });
  });

  it("never throws, and never takes long", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d:\-+TZ .,]{0,40}$/)), (text) => {
        expect(["at", "unreadable", "impossible"]).toContain(ahead(text, "2026-11-15T12:00Z").kind);
      }),
    );
    expect(ahead(`2026-12-24${" ".repeat(200_000)}x`, "2026-11-15T12:00Z").kind).toBe("unreadable");
  });
});
