import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LONGEST_DURATION_MS } from "./duration.ts";
import { nextAfter, plan, SHORTEST_REPEAT_MS, type Wish } from "./schedule.ts";

const NOW = 1_900_000_000_000;
const HOUR = 3_600_000;
/** One cron line means every full hour; any other never fires. */
const hourly = (line: string, after: number): number | undefined =>
  line === "0 * * * *" ? (Math.floor(after / HOUR) + 1) * HOUR : undefined;

const planned = (wish: Wish) => plan(wish, NOW, hourly);

describe("what a person asked for", () => {
  it("is a delay that counts time that passes", () => {
    expect(planned({ afterMs: 300_000 })).toEqual({ dueAt: NOW + 300_000, counts: "elapsed" });
    expect(planned({ afterMs: 0 })).toEqual({ dueAt: NOW, counts: "elapsed" });
  });

  it("is a repetition, first after one round or after a delay of its own", () => {
    const repeat = { kind: "every", ms: 60_000 };
    expect(planned({ everyMs: 60_000 })).toEqual({ dueAt: NOW + 60_000, counts: "elapsed", repeat });
    expect(planned({ afterMs: 5_000, everyMs: 60_000 })).toEqual({
      dueAt: NOW + 5_000,
      counts: "elapsed",
      repeat,
    });
  });

  it("is a time on the wall, once or again and again", () => {
    expect(planned({ at: NOW + 1 })).toEqual({ dueAt: NOW + 1, counts: "wall" });
    expect(planned({ at: NOW + 1, everyMs: 60_000 })).toEqual({
      dueAt: NOW + 1,
      counts: "wall",
      repeat: { kind: "every", ms: 60_000 },
    });
  });

  it("is a cron line, by the wall", () => {
    expect(planned({ cron: "0 * * * *" })).toEqual({
      dueAt: hourly("0 * * * *", NOW),
      counts: "wall",
      repeat: { kind: "cron", line: "0 * * * *" },
    });
  });

  it.each<readonly [string, Wish, string]>([
    ["nothing", {}, "Say when"],
    ["a delay and a time", { afterMs: 1, at: NOW + 5 }, "Give only one"],
    ["a delay and a cron line", { afterMs: 1, cron: "0 * * * *" }, "Give only one"],
    ["a time and a cron line", { at: NOW + 5, cron: "0 * * * *" }, "Give only one"],
    ["a cron line and a repetition", { cron: "0 * * * *", everyMs: 60_000 }, "repeats by itself"],
    [
      "a cron line that never comes",
      { cron: "0 0 30 2 *" },
      '"0 0 30 2 *" is not a cron line, or names a time that never comes',
    ],
    ["a time that has passed", { at: NOW - 1 }, "has passed"],
    ["this very moment", { at: NOW }, "has passed"],
    ["a time beyond ten years", { at: NOW + LONGEST_DURATION_MS + 1 }, "ten years"],
    ["a repetition that is too quick", { everyMs: SHORTEST_REPEAT_MS - 1 }, "once a second at most"],
    ["no repetition at all", { afterMs: 5, everyMs: 0 }, "once a second at most"],
  ])("is refused when it is %s", (_, wish, why) => {
    expect(() => planned(wish)).toThrow(
      expect.objectContaining({ code: "reminder.invalid", message: expect.stringContaining(why) }),
    );
  });

  it("may be as quick as once a second, and as far as ten years", () => {
    expect(planned({ everyMs: SHORTEST_REPEAT_MS }).dueAt).toBe(NOW + SHORTEST_REPEAT_MS);
    expect(planned({ at: NOW + LONGEST_DURATION_MS }).dueAt).toBe(NOW + LONGEST_DURATION_MS);
  });
});

describe("when it comes again", () => {
  const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
  const every = fc.integer({ min: SHORTEST_REPEAT_MS, max: LONGEST_DURATION_MS });

  it("is never, without a repetition", () => {
    expect(nextAfter(undefined, NOW, NOW, hourly)).toBeUndefined();
  });

  it("is one round later when it came in time, and when the clock says it came early", () => {
    expect(nextAfter({ kind: "every", ms: 1_000 }, NOW, NOW, hourly)).toBe(NOW + 1_000);
    expect(nextAfter({ kind: "every", ms: 1_000 }, NOW, NOW - 50_000, hourly)).toBe(NOW + 1_000);
  });

  it("is after now and after its last time, in phase, and no round is skipped that is still to come", () => {
    fc.assert(
      fc.property(every, instant, instant, (ms, dueAt, now) => {
        const next = nextAfter({ kind: "every", ms }, dueAt, now, hourly) ?? Number.NaN;
        expect(next).toBeGreaterThan(now);
        expect(next).toBeGreaterThan(dueAt);
        expect((next - dueAt) % ms).toBe(0);
        expect(next - ms <= now || next - ms === dueAt).toBe(true);
      }),
    );
  });

  it("comes once for all it missed: what is due is never due twice at one look", () => {
    fc.assert(
      fc.property(every, instant, fc.nat(LONGEST_DURATION_MS), (ms, dueAt, lateMs) => {
        const now = dueAt + lateMs;
        let said = 0;
        for (let due: number | undefined = dueAt; due !== undefined && due <= now; said += 1)
          due = nextAfter({ kind: "every", ms }, due, now, hourly);
        expect(said).toBe(1);
      }),
    );
  });

  it("follows a cron line after the later of now and its last time", () => {
    const cron = { kind: "cron", line: "0 * * * *" } as const;
    const nine = 9 * HOUR;
    expect(nextAfter(cron, nine, nine + 5, hourly)).toBe(nine + HOUR);
    expect(nextAfter(cron, nine, nine + 10 * HOUR, hourly)).toBe(nine + 11 * HOUR);
    // The clock was set back after it fired: the next is ten o'clock, not nine o'clock again.
    expect(nextAfter(cron, nine, nine - 2 * HOUR, hourly)).toBe(nine + HOUR);
  });

  it("ends with a cron line that does not come any more", () => {
    expect(nextAfter({ kind: "cron", line: "0 0 30 2 *" }, NOW, NOW, hourly)).toBeUndefined();
  });
});
