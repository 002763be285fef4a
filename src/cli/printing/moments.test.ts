import { describe, expect, it } from "vitest";
import { coming, dateAndMinute, until } from "./moments.ts";

const local = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime();
const MONDAY = local(2026, 11, 21, 13, 28);

describe("moments", () => {
  it("name the weekday while it says enough, and the date beyond", () => {
    expect(coming(local(2026, 11, 21, 17, 30), MONDAY)).toBe("Mon 17:30 (in 4h 2m)");
    expect(coming(local(2026, 11, 22, 0, 5), MONDAY)).toBe("Tue 00:05 (in 10h 37m)");
    expect(coming(local(2026, 11, 27, 13, 27), MONDAY)).toBe("Sun 13:27 (in 5d 23h)");
    expect(coming(local(2026, 11, 27, 13, 28), MONDAY)).toBe("2026-12-27 13:28 (in 6d)");
    expect(dateAndMinute(MONDAY)).toBe("2026-12-21 13:28");
  });

  it("round up to a second, so that five minutes are five minutes a moment later", () => {
    expect(until(300_000, 0)).toBe("in 5m");
    expect(until(300_000, 400)).toBe("in 5m");
    expect(until(300_000, 1_000)).toBe("in 4m 59s");
    expect(until(1, 0)).toBe("in 1s");
    expect(until(0, 0)).toBe("now");
    expect(until(0, 5_000)).toBe("now");
  });
});
