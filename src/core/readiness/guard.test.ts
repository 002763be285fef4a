import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLEAR, type Guard, type GuardPolicy, guardStep } from "./guard.ts";
import type { Reading } from "./reading.ts";

const policy: GuardPolicy = {
  staleAfterMs: 120_000,
  pollEveryMs: 5_000,
  skipWaiting: false,
  cannotKeep: undefined,
};

const composer = (text: string): Reading => ({
  kind: "composer",
  draft: text === "" ? { kind: "empty" } : { kind: "text", text, exact: false, lines: 1 },
  busy: "idle",
  stash: "none",
  caret: { x: 2, y: 37 },
});

const read = (guard: Guard, reading: Reading, now: number, with_: Partial<GuardPolicy> = {}) =>
  guardStep(guard, reading, now, { ...policy, ...with_ });

describe("the input guard", () => {
  it("delivers into an empty composer", () => {
    expect(read(CLEAR, composer(""), 0)).toEqual([CLEAR, { do: "deliver" }]);
  });

  it("holds while a draft stands there, and looks again after the poll interval", () => {
    const [guard, action] = read(CLEAR, composer("half a"), 1_000);
    expect(guard).toEqual({ at: "typing", text: "half a", unchangedSince: 1_000 });
    expect(action).toMatchObject({ do: "hold", reason: "typing", lookAgainAt: 6_000 });
  });

  it("starts the clock again when the draft changes", () => {
    const [first] = read(CLEAR, composer("half a"), 0);
    const [second, action] = read(first, composer("half a sentence"), 119_999);
    expect(second).toMatchObject({ unchangedSince: 119_999 });
    expect(action).toMatchObject({ do: "hold", reason: "typing" });
  });

  it("looks exactly when the text goes stale, not a poll later", () => {
    const [first] = read(CLEAR, composer("half"), 0);
    const [, action] = read(first, composer("half"), 118_000);
    expect(action).toMatchObject({ lookAgainAt: 120_000 });
  });

  it("keeps a draft that has not changed for the whole time", () => {
    const [first] = read(CLEAR, composer("half"), 0);
    const [, action] = read(first, composer("half"), 120_000);
    expect(action).toMatchObject({ do: "keep", draft: { text: "half" } });
  });

  it("keeps at once for an interrupt", () => {
    expect(read(CLEAR, composer("half"), 0, { skipWaiting: true })[1]).toMatchObject({ do: "keep" });
  });

  it("holds for ever, and says why, where the program has no safe way to keep a draft", () => {
    const action = read(CLEAR, composer("half"), 0, { skipWaiting: true, cannotKeep: "no stash" })[1];
    expect(action).toMatchObject({ do: "hold", reason: "typing" });
    expect(JSON.stringify(action)).toContain("no stash");
  });

  it("holds before a dialog and before a screen it cannot read", () => {
    expect(read(CLEAR, { kind: "dialog", fingerprint: "f", title: "Allow?" }, 0)[1]).toMatchObject({
      reason: "blocked",
    });
    expect(read(CLEAR, { kind: "unknown", why: "torn" }, 0)[1]).toMatchObject({ reason: "unknown" });
  });

  it("does not let an unreadable screen count towards staleness", () => {
    const [typing] = read(CLEAR, composer("half"), 0);
    const [lost] = read(typing, { kind: "unknown", why: "torn" }, 60_000);
    expect(read(lost, composer("half"), 121_000)[1]).toMatchObject({ do: "hold", reason: "typing" });
  });

  it("remembers a kept draft over an empty composer and a screen it cannot read", () => {
    const kept: Guard = { at: "kept", text: "half", keptAt: 5 };
    expect(read(kept, composer(""), 6)[0]).toEqual(kept);
    expect(read(kept, { kind: "unknown", why: "torn" }, 6)[0]).toEqual(kept);
  });

  it("never delivers or keeps over text younger than the stale time, whatever came before", () => {
    const readings = fc.oneof(
      fc.constantFrom("", "a", "ab", "b").map(composer),
      fc.constant<Reading>({ kind: "unknown", why: "x" }),
      fc.constant<Reading>({ kind: "dialog", fingerprint: "f", title: "t" }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(readings, fc.integer({ min: 0, max: 60_000 })), { maxLength: 40 }),
        (history) => {
          let guard: Guard = CLEAR;
          let now = 0;
          let text = "";
          let since = 0;
          for (const [reading, pause] of history) {
            now += pause;
            const seen =
              reading.kind === "composer" && reading.draft.kind === "text" ? reading.draft.text : "";
            if (reading.kind === "dialog") {
              // A dialog hides the composer: the clock of the text behind it goes on.
            } else if (seen !== text) {
              text = seen;
              since = now;
            }
            const [next, action] = read(guard, reading, now);
            guard = next;
            if (action.do === "deliver") expect(reading).toMatchObject({ draft: { kind: "empty" } });
            if (action.do === "keep") expect(now - since).toBeGreaterThanOrEqual(policy.staleAfterMs);
            if (action.do === "hold") expect(action.lookAgainAt).toBeGreaterThan(now);
          }
        },
      ),
    );
  });
});
