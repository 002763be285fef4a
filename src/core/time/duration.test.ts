import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, formatExactly, LONGEST_DURATION_MS, parseDuration } from "./duration.ts";

describe("parseDuration", () => {
  it.each([
    ["30s", 30_000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
    ["1h 30m", 5_400_000],
    ["250ms", 250],
    ["2d", 172_800_000],
    ["1d2h3m4s5ms", 93_784_005],
    ["1.5h", 5_400_000],
    ["45", 45_000],
    ["0.25", 250],
    ["0", 0],
    [" 5m ", 300_000],
    ["5 m", 300_000],
  ])("reads %j", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    "",
    " ",
    "-5",
    "-5m",
    "5x",
    "m",
    "5mm",
    "5 5",
    "30m1h",
    "1h1h",
    "5M",
    "1e9",
    "Infinity",
    "NaN",
    "0x10",
    "1,5h",
    "+5",
  ])("refuses %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it("takes ten years and not a millisecond more", () => {
    expect(parseDuration("3650d")).toBe(LONGEST_DURATION_MS);
    expect(parseDuration("3650d1ms")).toBeUndefined();
    expect(parseDuration("9".repeat(15))).toBeUndefined();
    expect(parseDuration(`${"9".repeat(400)}d`)).toBeUndefined();
  });

  it("gives a whole number of milliseconds in range, or nothing, for any text", () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9.dhms ]{0,12}$/));
    fc.assert(
      fc.property(text, (each) => {
        const ms = parseDuration(each);
        if (ms === undefined) return;
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(LONGEST_DURATION_MS);
      }),
    );
  });
});

describe("formatExactly", () => {
  it.each([
    [5_430_000, "1h 30m 30s"],
    [10_500, "10s 500ms"],
    [1_250, "1s 250ms"],
    [120, "120ms"],
    [300_000, "5m"],
    [93_784_005, "1d 2h 3m 4s 5ms"],
    [0, "0s"],
    [-3, "0s"],
    [Number.NaN, "0s"],
  ])("writes %d as %s", (ms, text) => {
    expect(formatExactly(ms)).toBe(text);
  });

  it("says what parseDuration reads back as the same", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LONGEST_DURATION_MS }), (ms) => {
        expect(parseDuration(formatExactly(ms))).toBe(ms);
      }),
    );
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0s"],
    [250, "250ms"],
    [1_000, "1s"],
    [1_500, "1s 500ms"],
    [300_000, "5m"],
    [5_400_000, "1h 30m"],
    [3_605_000, "1h"],
    [93_784_005, "1d 2h"],
    [0.4, "0s"],
    [-5, "0s"],
    [Number.NaN, "0s"],
    [Number.POSITIVE_INFINITY, "0s"],
  ])("writes %d as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("can be read back, within its smaller unit", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LONGEST_DURATION_MS }), (ms) => {
        const back = parseDuration(formatDuration(ms));
        expect(back).toBeLessThanOrEqual(ms);
        expect(back).toBeGreaterThan(ms * 0.95 - 1);
        expect(formatDuration(back ?? -1)).toBe(formatDuration(ms));
      }),
    );
  });
});
