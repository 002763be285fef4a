import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  FREE,
  hasKeyboard,
  KEYBOARD_IDLE_MS,
  type Keyboard,
  type KeyboardEvent,
  keyboardFor,
  keyboardStep,
} from "./keyboard.ts";

const following = (...events: readonly KeyboardEvent[]): Keyboard => events.reduce(keyboardStep, FREE);
const take = (by: number, at = 0): KeyboardEvent => ({ kind: "take", by, at });

describe("a keyboard", () => {
  it("belongs to who took it first, until they give it back", () => {
    expect(hasKeyboard(following(take(1), take(2)), 1)).toBe(true);
    expect(hasKeyboard(following(take(1), { kind: "give-back", by: 2 }, take(2)), 1)).toBe(true);
    expect(hasKeyboard(following(take(1), { kind: "give-back", by: 1 }, take(2)), 2)).toBe(true);
  });

  it("is given back when nobody has used it for long, and not a moment before", () => {
    const used = following(take(1, 0), { kind: "key", by: 1, at: 50 });
    expect(keyboardStep(used, { kind: "look", at: 49 + KEYBOARD_IDLE_MS })).toBe(used);
    expect(keyboardStep(used, { kind: "look", at: 50 + KEYBOARD_IDLE_MS })).toEqual(FREE);
  });

  it("cannot be taken while somebody at the terminal has it", () => {
    const elsewhere = following({ kind: "elsewhere", is: true });
    expect(keyboardStep(elsewhere, take(1))).toBe(elsewhere);
    expect(keyboardFor(elsewhere, 1)).toBe("taken");
    expect(keyboardStep(elsewhere, { kind: "elsewhere", is: false })).toEqual(FREE);
  });

  it("stays with its owner when others are told that somebody else has it", () => {
    expect(hasKeyboard(following(take(1), { kind: "elsewhere", is: true }), 1)).toBe(true);
  });

  const viewer = fc.integer({ min: 1, max: 3 });
  const event: fc.Arbitrary<KeyboardEvent> = fc.oneof(
    fc.record({ kind: fc.constant("take" as const), by: viewer, at: fc.nat(500_000) }),
    fc.record({ kind: fc.constant("key" as const), by: viewer, at: fc.nat(500_000) }),
    fc.record({ kind: fc.constant("give-back" as const), by: viewer }),
    fc.record({ kind: fc.constant("elsewhere" as const), is: fc.boolean() }),
    fc.record({ kind: fc.constant("look" as const), at: fc.nat(500_000) }),
  );

  it("has one owner at most, and passes to another only over being free", () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        let now: Keyboard = FREE;
        for (const one of events) {
          const next = keyboardStep(now, one);
          expect([1, 2, 3].filter((by) => hasKeyboard(next, by)).length).toBeLessThanOrEqual(1);
          if (now.at === "taken" && next.at === "taken") expect(next.by).toBe(now.by);
          if (next.at === "taken" && now.at !== "taken") expect([now.at, one.kind]).toEqual(["free", "take"]);
          now = next;
        }
      }),
    );
  });

  it("is mine for one viewer exactly if it is taken for all others", () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const views = [1, 2, 3].map((by) => keyboardFor(following(...events), by));
        if (views.includes("mine")) expect(views.toSorted()).toEqual(["mine", "taken", "taken"]);
        else expect(new Set(views).size).toBe(1);
      }),
    );
  });
});
