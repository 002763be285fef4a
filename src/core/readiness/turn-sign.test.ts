import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { at, inTime, reading, signal } from "../../../tests/readiness-courses.ts";
import {
  course,
  dialog,
  draft,
  empty,
  hook,
  screen,
  T,
  unreadable,
  working,
} from "../../../tests/readiness-signals.ts";
import { type Signal, TRUST } from "./readiness.ts";
import type { Reading } from "./reading.ts";
import { turnSign } from "./turn-sign.ts";

const idle: Reading = { ...empty, busy: "idle" };

/** What the last reading, at that time, justifies after two seconds of watching. */
function signAt(
  signals: readonly Signal[],
  seen: Reading,
  time: number,
  quietForMs = 0,
  watchedForMs = 2_000,
) {
  const state = course([...signals, screen(seen, time, quietForMs)]);
  return turnSign(state, { reading: seen, now: T + time, quietForMs, watchedForMs });
}

describe("a key that interrupts", () => {
  const began = [hook("prompt-submitted", 1_000)];
  const handed: Signal = { kind: "handed-over", at: T + 12_000 };

  it("is justified by a busy sign that the screen shows now", () => {
    expect(signAt([], working, 5_000)).toBe("screen");
    expect(signAt([...began, hook("turn-ended", 3_000)], working, 5_000)).toBe("screen");
    expect(signAt([handed], working, 12_500)).toBe("screen");
  });

  it("is not justified by a sign that the end of a turn has just overtaken", () => {
    expect(signAt([...began, hook("turn-ended", 3_000)], working, 3_900)).toBeUndefined();
    const queued = [...began, hook("prompt-submitted", 2_000), hook("turn-ended", 3_000)];
    expect(signAt(queued, working, 3_900)).toBeUndefined();
    expect(signAt(queued, working, 4_100)).toBe("screen");
  });

  it("is not justified by what was handed over", () => {
    for (const seen of [empty, idle, draft]) {
      expect(signAt([handed], seen, 12_100)).toBeUndefined();
      expect(signAt([...began, hook("turn-ended", 9_000), handed], seen, 12_100)).toBeUndefined();
    }
    const late = [...began, handed, hook("turn-ended", 11_900)];
    expect(signAt(late, empty, 13_000)).toBeUndefined();
  });

  it("is justified by a hook while the screen says nothing else", () => {
    expect(signAt(began, empty, 5_000, 100)).toBe("hook");
    expect(signAt(began, draft, 5_000, 100)).toBe("hook");
    expect(signAt(began, idle, 5_000, 100)).toBeUndefined();
    expect(signAt(began, empty, 5_000, TRUST.silenceMs)).toBeUndefined();
  });

  it("gives the hook of the end the time to come", () => {
    expect(signAt(began, empty, 5_000, 100, 0)).toBeUndefined();
    expect(signAt(began, empty, 5_000, 100, TRUST.screenLagMs)).toBe("hook");
  });

  it("is never justified over a dialog or a screen that cannot be read", () => {
    for (const seen of [dialog, unreadable]) expect(signAt(began, seen, 1_100)).toBeUndefined();
  });

  it("is justified by a busy sign where no composer shows", () => {
    expect(signAt([], { ...unreadable, busy: "busy" } as Reading, 5_000)).toBe("screen");
  });
});

describe("after any course of events", () => {
  const span = fc.integer({ min: 0, max: 10_000 });
  const runs = { numRuns: 3_000 };
  const isHook = (one: Signal, ...events: readonly string[]) =>
    one.kind === "hook" && one.subAgent === undefined && events.includes(one.event);

  it("a key needs a busy sign, or a turn that a hook began and none ended over a screen that is not idle", () => {
    fc.assert(
      fc.property(
        inTime,
        reading,
        span,
        span,
        span,
        fc.boolean(),
        (signals, seen, wait, quiet, watched, hooked) => {
          const now = (signals.at(-1)?.at ?? T) + wait;
          const last: Signal = { kind: "screen", reading: seen, at: now, quietForMs: quiet };
          const state = course([...signals, last], { hooked });
          const sign = turnSign(state, { reading: seen, now, quietForMs: quiet, watchedForMs: watched });
          if (sign === undefined) return;
          if (seen.kind !== "composer") throw new Error(`a key over ${seen.kind}`);
          if (seen.busy === "busy") return;
          const began = signals.findLastIndex((one) => isHook(one, "prompt-submitted", "permission-asked"));
          const ended = signals.findLastIndex((one) => isHook(one, "turn-ended", "turn-failed"));
          expect(began).toBeGreaterThan(ended);
          expect(seen.busy).toBe("unseen");
          expect(quiet).toBeLessThan(TRUST.silenceMs);
          expect(watched).toBeGreaterThanOrEqual(TRUST.screenLagMs);
        },
      ),
      runs,
    );
  });

  it("without a hook nothing but a busy sign counts, whatever was handed over or interrupted", () => {
    const mute = signal.filter((one) => one.kind !== "hook");
    fc.assert(
      fc.property(
        fc.array(mute, { maxLength: 12 }),
        reading,
        at,
        span,
        span,
        (signals, seen, time, quiet, watched) => {
          const sign = signAt(signals, seen, time, quiet, watched);
          expect(sign === undefined || (seen.kind === "composer" && seen.busy === "busy")).toBe(true);
        },
      ),
      runs,
    );
  });
});
