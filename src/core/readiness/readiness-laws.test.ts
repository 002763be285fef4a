import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { at, event, hookSignal, inTime, reading, signal } from "../../../tests/readiness-courses.ts";
import {
  course,
  dialog,
  draft,
  empty,
  FOREVER,
  hook,
  SETTLE,
  screen,
  T,
} from "../../../tests/readiness-signals.ts";
import {
  initialReadiness,
  readinessAt,
  readinessForQueue,
  reduceReadiness,
  type Signal,
  TRUST,
} from "./readiness.ts";

describe("any course of events", () => {
  const withExits = fc.array(
    fc.oneof(
      signal,
      at.map((time): Signal => ({ kind: "exited", at: T + time })),
    ),
    { maxLength: 15 },
  );
  const hooked = fc.boolean();
  const runs = { numRuns: 1_000 };

  it("keeps its conclusion when a sub-agent's hook comes in", () => {
    fc.assert(
      fc.property(withExits, event, at, at, hooked, (signals, told, time, now, hooks) => {
        const before = course(signals, { hooked: hooks });
        const then = reduceReadiness(before, hook(told, time, "s1"));
        expect(readinessAt(then, T + now).kind).toBe(readinessAt(before, T + now).kind);
        expect(then.concluded).toBe(before.concluded);
      }),
      runs,
    );
  });

  it("keeps its conclusion when a hook comes in that is older than the newest", () => {
    fc.assert(
      fc.property(
        withExits,
        hookSignal,
        fc.integer({ min: 1, max: 50_000 }),
        event,
        at,
        (signals, newest, older, late, now) => {
          const before = course([...signals, newest]);
          fc.pre(before.newestHookAt >= newest.at);
          const then = reduceReadiness(before, hook(late, newest.at - T - older));
          expect(then).toEqual(before);
          expect(readinessAt(then, T + now)).toEqual(readinessAt(before, T + now));
        },
      ),
      runs,
    );
  });

  it("is blocked whenever the newest reading shows a dialog, until the program ends", () => {
    fc.assert(
      fc.property(inTime, fc.array(hookSignal, { maxLength: 4 }), hooked, (signals, told, hooks) => {
        const shown = screen(dialog, 130_000);
        const later = told.map((each) => ({ ...each, at: each.at + 130_000 }));
        const state = [...signals, shown, ...later].reduce(
          reduceReadiness,
          initialReadiness({ at: T, hooked: hooks, settleMs: SETTLE }),
        );
        const ended = [...signals, ...later].some(
          (each) => each.kind === "hook" && each.event === "session-ended",
        );
        expect(state.concluded === "blocked" || ended).toBe(true);
      }),
      runs,
    );
  });

  it("stays exited unless a session starts at or after the end", () => {
    fc.assert(
      fc.property(withExits, withExits, at, (signals, later, end) => {
        const gone = course([...signals, { kind: "exited", at: T + end }]);
        const revived = later.some(
          (each) => each.kind === "hook" && each.event === "session-start" && each.at >= gone.at,
        );
        fc.pre(!revived);
        expect(later.reduce(reduceReadiness, gone).concluded).toBe("exited");
      }),
      runs,
    );
  });

  it("is idle only when settled, with no sub-agent, and after a hook or enough silence said so", () => {
    fc.assert(
      fc.property(inTime, hooked, at, (signals, hooks, wait) => {
        const state = course(signals, { hooked: hooks });
        const now = (signals.at(-1)?.at ?? T) + wait;
        if (readinessAt(state, now).kind !== "idle") return;
        expect(state.subAgents).toEqual([]);
        if (state.by === "hook") expect(now - state.at).toBeGreaterThanOrEqual(SETTLE);
        else expect(state.by).toBe("screen");
        const last = signals.findLast((each) => each.kind === "screen");
        if (state.by === "screen" && !state.hooked) {
          expect(last?.reading).toMatchObject({ kind: "composer" });
          expect(state.readAt - state.outputAt).toBeGreaterThanOrEqual(TRUST.silenceMs);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("lets nothing be typed over a draft, where no hook ever spoke, until the screen has been still", () => {
    const mute = signal.filter((each) => each.kind !== "hook" && each.kind !== "sub-agent");
    fc.assert(
      fc.property(
        fc.array(mute, { maxLength: 12 }),
        fc.integer({ min: 0, max: FOREVER }),
        (signals, quiet) => {
          const state = course([...signals, screen(draft, 130_000, quiet)], { hooked: false });
          const shown = readinessAt(state, T + 130_000 + quiet);
          expect(["idle", "busy", "exited"]).toContain(shown.kind);
          const queued = readinessForQueue(shown, state, draft, quiet);
          if (quiet < TRUST.silenceMs && shown.kind !== "exited")
            expect(queued).toMatchObject({ kind: "busy", only: "draft" });
        },
      ),
      runs,
    );
  });

  it("does not ask for another look that the last one has already answered", () => {
    fc.assert(
      fc.property(inTime, reading, hooked, (signals, last, hooks) => {
        const now = T + 300_000;
        const state = reduceReadiness(course(signals, { hooked: hooks }), screen(last, 300_000, 200_000));
        const { until } = readinessAt(state, now);
        if (until !== undefined) expect(until).toBeGreaterThan(now);
      }),
      runs,
    );
  });

  it("comes to an end of waiting: a quiet, readable, empty composer is idle in the end, if the program lives", () => {
    fc.assert(
      fc.property(inTime, hooked, (signals, hooks) => {
        let state = course(signals, { hooked: hooks });
        fc.pre(state.concluded !== "exited");
        for (let step = 1; step <= 4; step += 1) {
          state = reduceReadiness(state, screen(empty, 120_000 + step * 40_000, step * 40_000));
        }
        expect(readinessAt(state, T + 120_000 + 4 * 40_000).kind).toBe("idle");
      }),
      runs,
    );
  });
});
