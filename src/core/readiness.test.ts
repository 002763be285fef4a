import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  initialReadiness,
  type ReadinessKind,
  type ReadinessState,
  readinessAt,
  reduceReadiness,
  type Signal,
  TRUST,
  type TurnEvent,
} from "./readiness.ts";
import { MOST_SUB_AGENTS } from "./readiness-state.ts";
import type { Reading } from "./reading.ts";

const T = 1_000_000;
const SETTLE = 600;
const FOREVER = 3_600_000;

type Composer = Extract<Reading, { kind: "composer" }>;
const empty: Composer = {
  kind: "composer",
  draft: { kind: "empty" },
  busy: "unseen",
  stashed: false,
  caret: { x: 2, y: 3 },
};
const working: Composer = { ...empty, busy: "busy" };
const draft: Composer = { ...empty, draft: { kind: "text", text: "half a thought", exact: false, lines: 1 } };
const dialog: Reading = { kind: "dialog", fingerprint: "f", title: "Run this?" };
const unreadable: Reading = { kind: "unknown", why: "copy mode" };

function hook(event: TurnEvent, at: number, subAgent?: string): Signal {
  return { kind: "hook", event, at: T + at, ...(subAgent === undefined ? {} : { subAgent }) };
}

function screen(reading: Reading, at: number, quietForMs = 0): Signal {
  return { kind: "screen", reading, at: T + at, quietForMs };
}

function course(signals: readonly Signal[], options: { readonly hooked?: boolean } = {}): ReadinessState {
  const start = initialReadiness({ at: T, hooked: options.hooked ?? true, settleMs: SETTLE });
  return signals.reduce(reduceReadiness, start);
}

function kindAt(
  signals: readonly Signal[],
  at: number,
  options: { readonly hooked?: boolean } = {},
): ReadinessKind {
  return readinessAt(course(signals, options), T + at).kind;
}

const turn = [hook("prompt-submitted", 1_000), hook("turn-ended", 9_000)];

describe("with hooks", () => {
  it("is busy from the prompt to the end of the turn, and idle once that has settled", () => {
    expect(kindAt([], 0)).toBe("starting");
    expect(kindAt(turn.slice(0, 1), 5_000)).toBe("busy");
    expect(kindAt(turn, 9_000 + SETTLE - 1)).toBe("busy");
    expect(readinessAt(course(turn), T + 9_100).until).toBe(T + 9_000 + SETTLE);
    expect(kindAt(turn, 9_000 + SETTLE)).toBe("idle");
  });

  it("is idle after a turn that failed, and when the program says that it waits", () => {
    expect(kindAt([hook("prompt-submitted", 0), hook("turn-failed", 100)], 800)).toBe("idle");
    expect(kindAt([hook("prompt-submitted", 0), hook("idle-notice", 61_000)], 62_000)).toBe("idle");
  });

  it("does not believe 'idle for a minute' right after a prompt", () => {
    expect(kindAt([...turn, hook("prompt-submitted", 69_000), hook("idle-notice", 69_050)], 70_000)).toBe(
      "busy",
    );
    expect(
      kindAt([...turn, { kind: "handed-over", at: T + 69_000 }, hook("idle-notice", 69_050)], 70_000),
    ).toBe("busy");
  });

  it("stays idle over a draft: that is the guard's business", () => {
    expect(kindAt([...turn, screen(draft, 12_000)], 12_000)).toBe("idle");
  });

  it("stays idle while a person's typing changes the screen", () => {
    expect(kindAt([...turn, screen(empty, 12_000, 10), screen(draft, 12_100, 10)], 12_100)).toBe("idle");
  });

  it("lets the screen decide after a turn in which another prompt was queued, for no hook tells of its start", () => {
    const queued = [
      hook("prompt-submitted", 1_000),
      hook("prompt-submitted", 4_000),
      hook("turn-ended", 9_000),
    ];
    expect(kindAt(queued, 9_900)).toBe("busy");
    expect(kindAt([...queued, screen(draft, 9_900, 50)], 9_900)).toBe("busy");
    expect(kindAt([...queued, screen(working, 14_000, 4_000)], 14_000)).toBe("busy");
    expect(kindAt([...queued, screen(empty, 11_100, 2_100)], 11_100)).toBe("idle");
    expect(kindAt([...queued, hook("turn-ended", 20_000)], 20_700)).toBe("idle");
  });

  it("sees a turn that nobody told of, by its busy sign", () => {
    expect(kindAt([...turn, screen(working, 9_700)], 9_700)).toBe("busy");
  });

  it("does not let the late end of an earlier turn undo the busy sign of a newer one", () => {
    const seen = [screen(working, 5_000)];
    expect(kindAt([...seen, hook("turn-ended", 3_900)], 8_000)).toBe("busy");
    expect(kindAt([...seen, hook("turn-ended", 4_100)], 8_000)).toBe("idle");
  });

  it("forgives a busy sign that the screen still shows while the turn's end settles", () => {
    expect(kindAt([...turn, screen(working, 9_300)], 9_700)).toBe("idle");
  });

  it("asks the screen for silence at the start, though hooks are known: a turn may be running", () => {
    expect(kindAt([screen(empty, 100)], 100)).toBe("busy");
    expect(kindAt([screen(empty, 2_100, 2_100)], 2_100)).toBe("idle");
    // A compaction starts the session anew in the middle of a turn.
    const compacted = [hook("prompt-submitted", 0), hook("session-start", 5_000)];
    expect(kindAt([...compacted, screen(draft, 6_500, 100)], 7_200)).toBe("busy");
  });

  it("does not see idle in a quiet screen before the start has been quiet too", () => {
    expect(kindAt([screen(empty, 50, FOREVER)], 50)).toBe("busy");
  });

  describe("and a busy that lasts", () => {
    const busy = [hook("prompt-submitted", 0)];

    it("is read again from the screen after 30 s without output, and not before", () => {
      expect(kindAt([...busy, screen(empty, 29_999, 29_999)], 29_999)).toBe("busy");
      expect(kindAt([...busy, screen(empty, 30_000, 30_000)], 30_000)).toBe("idle");
      expect(kindAt([...busy, screen(draft, 30_000, 30_000)], 30_000)).toBe("idle");
      expect(kindAt([...busy, screen(empty, 60_000, 29_000)], 60_000)).toBe("busy");
    });

    it("stays busy where the screen says so, and unknown where it says nothing", () => {
      expect(kindAt([...busy, screen(working, 40_000, 40_000)], 40_000)).toBe("busy");
      expect(kindAt([...busy, screen(unreadable, 10_000, 10_000)], 10_000)).toBe("busy");
      expect(kindAt([...busy, screen(unreadable, 40_000, 40_000)], 40_000)).toBe("unknown");
    });

    it("says when to look again, once", () => {
      const until = T + TRUST.busyWithoutOutputMs;
      expect(readinessAt(course(busy), T + 100).until).toBe(until);
      expect(readinessAt(course(busy), T + FOREVER).until).toBe(until);
      expect(
        readinessAt(course([...busy, screen(working, 40_000, 40_000)]), T + 40_001).until,
      ).toBeUndefined();
    });
  });

  describe("and sub-agents", () => {
    const started: Signal = { kind: "sub-agent", change: "started", id: "s1", at: T + 2_000 };
    const stopped: Signal = { kind: "sub-agent", change: "stopped", id: "s1", at: T + 10_000 };

    it("is not idle before the last of them has stopped", () => {
      expect(kindAt([started, ...turn], 20_000)).toBe("busy");
      expect(kindAt([started, started, ...turn, stopped], 20_000)).toBe("idle");
    });

    it("takes no notice of a stop without a start", () => {
      expect(kindAt([...turn, stopped], 20_000)).toBe("idle");
    });

    it("forgets one that never stops, after 30 s without output", () => {
      const waiting = [started, ...turn];
      expect(readinessAt(course(waiting), T + 20_000).until).toBe(T + 9_000 + TRUST.busyWithoutOutputMs);
      expect(kindAt([...waiting, screen(empty, 38_999, 38_999)], 39_000)).toBe("busy");
      expect(kindAt([...waiting, screen(working, 39_000, 39_000)], 39_000)).toBe("busy");
      expect(kindAt([...waiting, screen(empty, 39_000, 39_000)], 39_000)).toBe("idle");
    });

    it("remembers a bounded number", () => {
      const many = Array.from(
        { length: MOST_SUB_AGENTS + 10 },
        (_, index): Signal => ({ ...started, id: `s${index}` }),
      );
      expect(course(many).subAgents).toHaveLength(MOST_SUB_AGENTS);
    });
  });
});

describe("without hooks", () => {
  const at = (signals: readonly Signal[], ms: number) => kindAt(signals, ms, { hooked: false });
  const idle = screen(empty, 5_000, 5_000);

  it("is idle after two seconds of silence over an empty composer without a busy sign", () => {
    expect(at([screen(empty, 1_999, 1_999)], 1_999)).toBe("busy");
    expect(at([screen(empty, 2_000, 2_000)], 2_000)).toBe("idle");
    expect(at([screen(working, 9_000, 9_000)], 9_000)).toBe("busy");
  });

  it("is unknown over a draft, however quiet", () => {
    expect(at([screen(draft, 2_000, 2_000)], 2_000)).toBe("unknown");
    expect(at([idle, screen(draft, 90_000, 80_000)], 90_000)).toBe("unknown");
    expect(at([idle, screen(draft, 6_000), screen(empty, 6_500, 100)], 6_500)).toBe("busy");
    expect(at([idle, screen(draft, 6_000), screen(empty, 8_500, 2_100)], 8_500)).toBe("idle");
  });

  it("is busy again as soon as something moves: nobody else would tell", () => {
    expect(at([idle, screen(empty, 8_000, 30)], 8_000)).toBe("busy");
  });

  it("is unknown while the screen cannot be read", () => {
    expect(at([idle, screen(unreadable, 6_000)], 6_000)).toBe("unknown");
  });

  it("waits for two seconds of silence after a hand-over, counted from the hand-over", () => {
    const handed: readonly Signal[] = [idle, { kind: "handed-over", at: T + 6_000 }];
    expect(at([...handed, screen(empty, 6_050, 1_050)], 6_050)).toBe("busy");
    expect(at([...handed, screen(empty, 7_999, 2_999)], 7_999)).toBe("busy");
    expect(at([...handed, screen(empty, 8_000, 3_000)], 8_000)).toBe("idle");
    expect(readinessAt(course(handed, { hooked: false }), T + 6_100).until).toBe(T + 8_000);
  });
});

describe("dialogs", () => {
  it("block at once, whatever was known", () => {
    expect(kindAt([screen(dialog, 10)], 10)).toBe("blocked");
    expect(kindAt([...turn, screen(dialog, 9_050)], 9_050)).toBe("blocked");
    expect(kindAt([hook("permission-asked", 10)], 10)).toBe("blocked");
  });

  it("stay while the screen shows them, whatever a hook says meanwhile", () => {
    const seen = [...turn, screen(dialog, 12_000)];
    for (const event of ["turn-ended", "idle-notice", "prompt-submitted", "session-start"] as const) {
      const told = [...seen, hook(event, 72_000)];
      expect(kindAt(told, 73_000)).toBe("blocked");
      expect(readinessAt(course(told), T + 73_000).until).toBe(T + 72_000);
    }
    expect(kindAt([...seen, { kind: "interrupted", at: T + 13_000 }], 13_000)).toBe("blocked");
    expect(kindAt([...seen, { kind: "handed-over", at: T + 13_000 }], 13_000)).toBe("blocked");
    expect(kindAt([...seen, hook("session-ended", 72_000)], 73_000)).toBe("exited");
  });

  it("give way to busy, not to idle, when they are gone", () => {
    const inTurn = [hook("prompt-submitted", 1_000), screen(dialog, 5_000), screen(empty, 8_000)];
    expect(kindAt(inTurn, 8_000)).toBe("busy");
    expect(kindAt([...inTurn, screen(empty, 12_000, 4_000)], 12_000)).toBe("busy");
    expect(kindAt([...inTurn, hook("turn-ended", 12_000)], 12_700)).toBe("idle");
  });

  it("that a person opened while idle need two quiet seconds afterwards", () => {
    const closed = [...turn, screen(dialog, 20_000), screen(empty, 25_000, 0)];
    expect(kindAt(closed, 25_000)).toBe("busy");
    expect(kindAt([...closed, screen(empty, 27_000, 2_000)], 27_000)).toBe("idle");
  });

  it("told by a hook wait for the screen to show them, then follow the screen", () => {
    const asked = [hook("prompt-submitted", 1_000), hook("permission-asked", 5_000)];
    expect(readinessAt(course(asked), T + 5_100).until).toBe(T + 6_000);
    expect(kindAt([...asked, screen(working, 5_500)], 5_500)).toBe("blocked");
    expect(kindAt([...asked, screen(working, 6_000)], 6_000)).toBe("busy");
  });

  it("that vanish under an unreadable screen leave us not knowing", () => {
    expect(kindAt([...turn, screen(dialog, 12_000), screen(unreadable, 13_000)], 13_000)).toBe("unknown");
  });

  it("are not closed by a reading that is older than the one that showed them", () => {
    expect(kindAt([...turn, screen(dialog, 12_000), screen(empty, 11_900)], 12_100)).toBe("blocked");
  });
});

describe("our own acts", () => {
  const idle = [...turn, screen(empty, 11_000, 2_000)];
  const handed: readonly Signal[] = [...idle, { kind: "handed-over", at: T + 12_000 }];
  const interrupted: readonly Signal[] = [
    hook("prompt-submitted", 1_000),
    { kind: "interrupted", at: T + 5_000 },
  ];

  it("make it busy until the program says so itself", () => {
    expect(kindAt(handed, 12_000)).toBe("busy");
    expect(kindAt([...handed, screen(empty, 16_999, 4_999)], 16_999)).toBe("busy");
    expect(kindAt([...handed, hook("prompt-submitted", 12_050), screen(empty, 20_000, 7_000)], 20_000)).toBe(
      "busy",
    );
  });

  it("forget a hand-over that no hook confirms, when the screen is quiet", () => {
    expect(kindAt([...handed, screen(empty, 17_000, 5_000)], 17_000)).toBe("idle");
    expect(kindAt([...handed, screen(empty, 17_000, 1_000)], 17_000)).toBe("busy");
    expect(kindAt([...handed, screen(unreadable, 13_000)], 13_000)).toBe("busy");
    expect(kindAt([...handed, screen(unreadable, 17_000)], 17_000)).toBe("unknown");
  });

  it("are not undone by the end of a turn that came before them", () => {
    expect(
      kindAt([hook("prompt-submitted", 1_000), ...handed.slice(-1), hook("turn-ended", 11_999)], 14_000),
    ).toBe("busy");
    expect(kindAt([...handed, hook("idle-notice", 11_999)], 14_000)).toBe("busy");
    expect(kindAt([...interrupted, hook("turn-ended", 4_999)], 5_100)).toBe("busy");
  });

  it("do not undo hooks that already tell what came of them", () => {
    const quick = [...idle, hook("prompt-submitted", 12_040), hook("turn-ended", 12_400)];
    expect(kindAt([...quick, { kind: "handed-over", at: T + 12_000 }], 13_100)).toBe("idle");
  });

  it("leave a running turn as its hook told it when a prompt is handed to a busy program", () => {
    const during = [hook("prompt-submitted", 1_000), { kind: "handed-over", at: T + 2_000 } as const];
    expect(kindAt([...during, screen(empty, 20_000, 18_000)], 20_000)).toBe("busy");
    expect(kindAt([...during, hook("turn-ended", 3_000)], 3_700)).toBe("idle");
  });

  it("let the screen decide after an interrupt, once it has settled", () => {
    expect(kindAt([...interrupted, screen(empty, 5_599, 599)], 5_599)).toBe("busy");
    expect(kindAt([...interrupted, screen(empty, 5_600, 600)], 5_600)).toBe("idle");
    expect(kindAt([...interrupted, screen(draft, 5_600, 600)], 5_600)).toBe("idle");
    expect(kindAt([...interrupted, screen(working, 9_000, 4_000)], 9_000)).toBe("busy");
    expect(kindAt([...interrupted, screen(unreadable, 9_000, 4_000)], 9_000)).toBe("unknown");
  });

  it("forget the sub-agents they interrupted", () => {
    const started: Signal = { kind: "sub-agent", change: "started", id: "s1", at: T + 2_000 };
    expect(kindAt([started, ...interrupted, screen(empty, 6_000, 1_000)], 6_000)).toBe("idle");
  });
});

describe("the end of the program", () => {
  it("is final until a session starts after it", () => {
    const gone: readonly Signal[] = [...turn, { kind: "exited", at: T + 10_000 }];
    expect(kindAt([...gone, screen(empty, 20_000, 9_000), hook("turn-ended", 21_000)], 30_000)).toBe(
      "exited",
    );
    expect(kindAt([...gone, hook("session-start", 9_999)], 30_000)).toBe("exited");
    expect(kindAt([...gone, hook("session-start", 10_000)], 30_000)).toBe("starting");
    expect(kindAt([screen(dialog, 5), ...gone.slice(-1)], 30_000)).toBe("exited");
  });
});

describe("a clock that is set back", () => {
  it("does not silence the hooks of the next hour", () => {
    const ahead = [hook("prompt-submitted", FOREVER), screen(working, 1_000)];
    expect(kindAt([...ahead, hook("turn-ended", 2_000)], 2_700)).toBe("idle");
  });

  it("is not suspected because our record of an act comes late", () => {
    const told = [hook("prompt-submitted", 20_000), hook("turn-ended", 30_000)];
    const late: readonly Signal[] = [...told, { kind: "handed-over", at: T + 19_900 }];
    expect(kindAt([...late, hook("prompt-submitted", 25_000)], 31_000)).toBe("idle");
  });

  it("is not suspected because a reading was a little late", () => {
    const late = [hook("prompt-submitted", 5_000), hook("turn-ended", 5_200), screen(empty, 4_000)];
    expect(kindAt([...late, hook("prompt-submitted", 5_100)], 6_000)).toBe("idle");
  });
});

describe("any course of events", () => {
  const event = fc.constantFrom<TurnEvent>(
    ...(["session-start", "prompt-submitted", "turn-ended", "turn-failed"] as const),
    ...(["permission-asked", "idle-notice", "session-ended"] as const),
  );
  const reading = fc.constantFrom<Reading>(empty, working, draft, dialog, unreadable, {
    ...empty,
    busy: "idle",
  });
  const at = fc.integer({ min: 0, max: 120_000 });
  const hookSignal = fc.record({ event, at }).map((each) => hook(each.event, each.at));
  const screenSignal = fc
    .record({ reading, at, quiet: fc.integer({ min: 0, max: 60_000 }) })
    .map((each) => screen(each.reading, each.at, each.quiet));
  const signal: fc.Arbitrary<Signal> = fc.oneof(
    hookSignal,
    screenSignal,
    at.map((time): Signal => ({ kind: "handed-over", at: T + time })),
    at.map((time): Signal => ({ kind: "interrupted", at: T + time })),
    fc
      .record({
        change: fc.constantFrom("started" as const, "stopped" as const),
        id: fc.constantFrom("s1", "s2"),
        at,
      })
      .map((each): Signal => ({ kind: "sub-agent", ...each, at: T + each.at })),
  );
  const inTime = fc
    .array(signal, { maxLength: 15 })
    .map((signals) => signals.toSorted((a, b) => a.at - b.at));
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
          expect(last?.reading).toMatchObject({ kind: "composer", draft: { kind: "empty" } });
          expect(state.readAt - state.outputAt).toBeGreaterThanOrEqual(TRUST.silenceMs);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("never calls a draft idle where no hook ever spoke", () => {
    const mute = signal.filter((each) => each.kind !== "hook" && each.kind !== "sub-agent");
    fc.assert(
      fc.property(
        fc.array(mute, { maxLength: 12 }),
        fc.integer({ min: 0, max: FOREVER }),
        (signals, quiet) => {
          const state = course([...signals, screen(draft, 130_000, quiet)], { hooked: false });
          expect(["unknown", "busy"]).toContain(readinessAt(state, T + 130_000 + quiet).kind);
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
