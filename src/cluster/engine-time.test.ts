import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../tests/desk/clock.ts";
import { EngineTime } from "./engine-time.ts";

let clock: FakeClock;
let time: EngineTime;

beforeEach(() => {
  clock = new FakeClock(new OpenWork());
  time = new EngineTime(clock);
});

describe("the engine's time", () => {
  it("goes on with our monotonic clock, whatever the clock on the wall shows", async () => {
    time.is(1_000_000);
    clock.setWallClock(3_600_000);
    await clock.advance(5_000);
    expect(time.ageMs(1_000_000)).toBe(5_000);
    expect(time.ageMs(1_005_000)).toBe(0);
  });

  it("is no earlier than anything that it has stamped", async () => {
    time.is(1_000_000);
    time.isPast(999_000);
    expect(time.ageMs(999_500)).toBe(500);
    time.isPast(1_060_000);
    expect(time.ageMs(1_000_000)).toBe(60_000);
  });

  it("may be set back, if that is how it is", () => {
    time.isPast(5_000_000);
    time.is(1_000_000);
    expect(time.ageMs(1_000_000)).toBe(0);
    expect(time.ageMs(999_000)).toBe(1_000);
  });

  it("makes nothing older than it is while it is unknown, and nothing younger than new", () => {
    expect(time.ageMs(1)).toBe(0);
    time.is(1_000);
    expect(time.ageMs(2_000)).toBe(0);
  });
});
