import { describe, expect, it } from "vitest";
import {
  course,
  draft,
  empty,
  FOREVER,
  hook,
  kindAt,
  SETTLE,
  screen,
  T,
  turn,
  unreadable,
  working,
} from "../../../tests/readiness-signals.ts";
import { isResponseOver, readinessAt, readinessForQueue, type Signal, TRUST } from "./readiness.ts";
import { MOST_SUB_AGENTS } from "./state.ts";

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
    // A compaction restarts the session in the middle of a turn.
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

    it("is over after 5 s without output if the program says that it waits for its user", () => {
      const ready = { ...empty, saysReady: true } as const;
      expect(kindAt([...busy, screen(ready, 4_999, FOREVER)], 4_999)).toBe("busy");
      expect(kindAt([...busy, screen(ready, 5_000, FOREVER)], 5_000)).toBe("idle");
      expect(kindAt([...busy, screen(ready, 9_000, 4_000)], 9_000)).toBe("busy");
      expect(readinessAt(course([...busy, screen(ready, 1_000, FOREVER)]), T + 1_000).until).toBe(T + 5_000);
      // It has begun to work, and no longer says so.
      const later = [...busy, screen(ready, 1_000, FOREVER), screen(empty, 9_000, FOREVER)];
      expect(kindAt(later, 9_000)).toBe("busy");
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

    it("has ended its response meanwhile, once that has settled", () => {
      const shown = (ms: number) => readinessAt(course([started, ...turn]), T + ms);
      expect(shown(9_000 + SETTLE - 1)).toMatchObject({ kind: "busy", until: T + 9_000 + SETTLE });
      expect(isResponseOver(shown(9_000 + SETTLE - 1))).toBe(false);
      expect(shown(9_000 + SETTLE)).toMatchObject({ kind: "busy", only: "response-ended" });
      expect(isResponseOver(shown(9_000 + SETTLE))).toBe(true);
      expect(isResponseOver(readinessAt(course([started, ...turn.slice(0, 1)]), T + 5_000))).toBe(false);
    });

    it("has ended its response also while its screen says that it waits for them", () => {
      const waits = { ...working, busy: "background" } as const;
      const waiting = [started, ...turn, screen(waits, 11_000, 10)];
      const shown = (signals: readonly Signal[], ms: number) =>
        isResponseOver(readinessAt(course(signals), T + ms));
      expect(shown(waiting, 11_000)).toBe(true);
      // A spinner that was still shown, or a command of the program that no hook reports.
      expect(shown([...waiting, screen(working, 11_500, 10)], 11_500)).toBe(false);
      expect(shown([...waiting, screen(working, 11_500, 10), screen(waits, 12_000, 10)], 12_000)).toBe(true);
      // Something handed over since, the prompt of the next turn, and a program that reported no sub-agent.
      expect(
        shown([...waiting, { kind: "handed-over", at: T + 12_000 }, screen(waits, 12_100, 10)], 12_100),
      ).toBe(false);
      expect(shown([...waiting, hook("prompt-submitted", 12_000), screen(waits, 12_100, 10)], 12_100)).toBe(
        false,
      );
      expect(shown([...turn, screen(waits, 11_000, 10)], 11_000)).toBe(false);
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

  it("tells what the program does over a draft too: idle when nothing moves", () => {
    expect(at([screen(draft, 1_000, 1_000)], 1_000)).toBe("busy");
    expect(at([screen(draft, 2_000, 2_000)], 2_000)).toBe("idle");
    expect(at([idle, screen(draft, 90_000, 80_000)], 90_000)).toBe("idle");
    expect(at([idle, screen(draft, 6_000), screen(empty, 6_500, 100)], 6_500)).toBe("busy");
    expect(at([idle, screen(draft, 6_000), screen(empty, 8_500, 2_100)], 8_500)).toBe("idle");
  });

  it("stays idle while a person's typing changes nothing but the draft", () => {
    const typed: Signal = {
      kind: "screen",
      reading: draft,
      at: T + 90_000,
      quietForMs: 10,
      above: "as-before",
    };
    expect(at([idle, typed], 90_000)).toBe("idle");
    expect(at([idle, screen(draft, 90_000, 10)], 90_000)).toBe("busy");
    expect(at([typed], 90_000)).toBe("busy");
  });

  it("keeps keys from a draft over a screen that moves, and says that somebody writes there", () => {
    const state = course([idle, screen(draft, 90_000, 10)], { hooked: false });
    const shown = readinessAt(state, T + 90_000);
    expect(readinessForQueue(shown, state, draft, 10)).toMatchObject({ kind: "busy", only: "draft" });
    for (const [reading, quiet] of [
      [draft, 2_000],
      [empty, 10],
      [working, 10],
    ] as const)
      expect(readinessForQueue(shown, state, reading, quiet)).toEqual(shown);
    expect(readinessForQueue(shown, { ...state, hooked: true }, draft, 10)).toEqual(shown);
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
