import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../ports/clock.ts";
import type { ScreenFrame, ScreenState } from "../../wire/shapes/screens.ts";
import { VIEWER_LIMITS, Viewer } from "./viewer.ts";

const FREE: ScreenState = { keyboard: "free", viewers: 1 };

/** Moved by the test, at once. */
class StillClock implements Clock {
  #now = 0;
  readonly #due = new Set<{ readonly at: number; call(): void }>();

  now = (): number => this.#now;
  monotonic = (): number => this.#now;

  after(ms: number, call: () => void): () => void {
    const entry = { at: this.#now + ms, call };
    this.#due.add(entry);
    return () => this.#due.delete(entry);
  }

  advance(ms: number): void {
    this.#now += ms;
    this.#fire(this.#now);
  }

  /** Timers and the clock are not the same: what is due after this time fires a moment before it. */
  firesEarly(ms: number): void {
    this.#now += ms - 1;
    this.#fire(this.#now + 1);
  }

  #fire(until: number): void {
    for (const entry of [...this.#due].filter(({ at }) => at <= until)) {
      this.#due.delete(entry);
      entry.call();
    }
  }
}

function viewing() {
  const clock = new StillClock();
  const asked: string[] = [];
  let readied = 0;
  let state = FREE;
  const viewer = new Viewer({
    clock,
    ready: () => {
      readied += 1;
    },
    state: () => state,
    takenElsewhere: () => {},
    onOver: () => {},
  });
  viewer.looksThrough({
    rest: () => asked.push("rest"),
    again: () => asked.push("again"),
    takeKeyboard: async () => ({ kind: "taken" }),
    giveKeyboardBack: () => {},
    type: async () => ({ kind: "typed" }),
    close: () => asked.push("close"),
  });
  const all = (): readonly ScreenFrame[] => {
    const frames: ScreenFrame[] = [];
    for (let frame = viewer.take(); frame !== undefined; frame = viewer.take()) frames.push(frame);
    return frames;
  };
  return {
    viewer,
    clock,
    asked,
    all,
    draws: (data: string) => viewer.drew({ cols: 80, rows: 24, data, title: "" }),
    readied: () => readied,
    is: (next: ScreenState) => {
      state = next;
      viewer.stateChanged();
    },
  };
}

const snapshot = (data: string): ScreenFrame => ({ snapshot: { cols: 80, rows: 24, data } });

describe("a viewer", () => {
  it("is told nothing before the first snapshot, then the state, then what is written", () => {
    const { viewer, all, draws, is } = viewing();
    viewer.wrote("too early");
    is({ keyboard: "taken", holder: "somebody", viewers: 2 });
    expect(all()).toEqual([]);
    draws("one");
    viewer.wrote("a");
    viewer.wrote("b");
    expect(all()).toEqual([
      snapshot("one"),
      { state: { keyboard: "taken", holder: "somebody", viewers: 2 } },
      { output: "ab" },
    ]);
    is({ keyboard: "taken", holder: "somebody", viewers: 2 });
    expect(all()).toEqual([]);
  });

  it("is told the newest picture only", () => {
    const { viewer, all, draws } = viewing();
    draws("old");
    viewer.wrote("old too");
    draws("new");
    expect(all()).toEqual([snapshot("new"), { state: FREE }]);
  });

  it("is told at once what comes after a pause, and the rest together", () => {
    const { viewer, clock, draws, all, readied } = viewing();
    draws("one");
    all();
    clock.advance(1_000);
    const before = readied();
    viewer.wrote("a");
    expect(readied()).toBe(before + 1);
    all();
    for (const text of "bcd") viewer.wrote(text);
    expect(readied()).toBe(before + 1);
    clock.advance(VIEWER_LIMITS.batchMs);
    expect(readied()).toBe(before + 2);
    expect(all()).toEqual([{ output: "bcd" }]);
  });

  it("who cannot take more gets a new picture instead, once they take again and it has calmed down", () => {
    const { viewer, clock, asked, draws, all } = viewing();
    draws("one");
    all();
    viewer.wrote("x".repeat(VIEWER_LIMITS.flood.characters + 1));
    expect(asked).toEqual(["rest"]);
    expect(all()).toEqual([]);
    clock.advance(VIEWER_LIMITS.flood.restMs);
    expect(asked).toEqual(["rest"]);
    expect(all()).toEqual([]);
    expect(asked).toEqual(["rest", "again"]);
    viewer.wrote("before the picture");
    draws("two");
    expect(all()).toEqual([snapshot("two")]);
  });

  it("catches up also where the timer fires before its time by another clock", () => {
    const { viewer, clock, asked, draws, all } = viewing();
    draws("one");
    all();
    viewer.wrote("x".repeat(VIEWER_LIMITS.flood.characters + 1));
    clock.firesEarly(VIEWER_LIMITS.flood.restMs);
    all();
    expect(asked).toEqual(["rest", "again"]);
  });

  it("asks for no more pictures than are taken", () => {
    const { asked, draws, all } = viewing();
    draws("one");
    draws("two");
    expect(asked).toEqual(["rest"]);
    expect(all()).toEqual([snapshot("two"), { state: FREE }]);
    expect(asked).toEqual(["rest", "again"]);
  });

  it("hears the end last, once, and nothing after it", () => {
    const { viewer, all, draws, readied } = viewing();
    draws("one");
    viewer.wrote("last words");
    viewer.over("the program has ended");
    const before = readied();
    expect(all()).toEqual([snapshot("one"), { output: "last words" }, { ended: "the program has ended" }]);
    viewer.wrote("more");
    expect(all()).toEqual([]);
    expect(readied()).toBeLessThanOrEqual(before + 1);
  });

  it("never keeps more than the limit, and what it is told is a picture and everything after it", () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant("wrote" as const), characters: fc.integer({ min: 1, max: 60_000 }) }),
      fc.constant({ kind: "take" as const }),
      fc.record({ kind: fc.constant("passes" as const), ms: fc.integer({ min: 1, max: 400 }) }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const { viewer, clock, asked, draws } = viewing();
        let written = 0;
        let shown: string | undefined;
        draws("at 0;");
        const take = (): void => {
          const frame = viewer.take();
          if (frame !== undefined && "snapshot" in frame) shown = frame.snapshot.data;
          if (frame !== undefined && "output" in frame) {
            expect(frame.output.length).toBeLessThanOrEqual(VIEWER_LIMITS.outputCharacters);
            shown += frame.output;
          }
          // The terminal draws what it shows at that moment.
          if (asked.includes("again")) draws(`at ${written};`);
          asked.splice(0);
        };
        for (const one of acts) {
          if (one.kind === "take") take();
          else if (one.kind === "passes") clock.advance(one.ms);
          else {
            written += one.characters;
            viewer.wrote("x".repeat(one.characters));
          }
        }
        clock.advance(1_000);
        for (let round = 0; round < 5; round += 1) take();
        const [, at, rest] = /^at (\d+);(x*)$/.exec(shown ?? "") ?? [];
        expect(Number(at) + (rest?.length ?? Number.NaN)).toBe(written);
      }),
      { numRuns: 200 },
    );
  });
});
