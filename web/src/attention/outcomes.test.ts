import { describe, expect, it } from "vitest";
import type { ShownAttention } from "../../../src/wire/shapes/attention.ts";
import {
  LINGERS_MS,
  nextPruneAt,
  type Outcomes,
  outcomeOf,
  pruned,
  shownCards,
  TAKEN_BACK_MS,
  withOutcome,
} from "./outcomes.ts";

const card = (id: string, since: number, kind: ShownAttention["kind"] = "permission"): ShownAttention => ({
  id,
  kind,
  agent: "api",
  session: "s1",
  since,
  text: "npm install left-pad",
});
const NONE: Outcomes = new Map();
const ids = (cards: readonly ShownAttention[]) => cards.map(({ id }) => id);
const refusal = (code: "attention.closed" | "daemon.unreachable") => ({
  code,
  message: "It was answered.",
  next: "Look.",
});

describe("a card that was answered", () => {
  const [one, two, letter] = [card("one", 1), card("two", 2), card("letter", 0, "dead-letter")] as const;

  it("stays in its place for a moment after it is gone from the board", () => {
    const all = withOutcome(NONE, one, { at: "sent", text: "Approved", since: 100 });
    expect(ids(shownCards([two, letter], all))).toEqual(["one", "two", "letter"]);
    expect(nextPruneAt(all, [two])).toBe(100 + LINGERS_MS);
    expect(pruned(all, [two], 100 + LINGERS_MS - 1).size).toBe(1);
    expect(pruned(all, [two], 100 + LINGERS_MS).size).toBe(0);
  });

  it("can be answered again if it is still asked after a while: nothing was pressed", () => {
    const all = withOutcome(NONE, one, { at: "sent", text: "Approved", since: 0 });
    expect(pruned(all, [one], LINGERS_MS).size).toBe(1);
    expect(pruned(all, [one], TAKEN_BACK_MS).size).toBe(0);
  });

  it("says so and goes if somebody else was faster", () => {
    const outcome = outcomeOf(refusal("attention.closed"), 7);
    expect(outcome).toEqual({ at: "over", text: "It was answered.", since: 7 });
    expect(pruned(withOutcome(NONE, one, outcome), [one], 7 + LINGERS_MS).size).toBe(0);
  });

  it("stays and says why if the answer did not get through", () => {
    const outcome = outcomeOf(refusal("daemon.unreachable"), 7);
    expect(outcome.at).toBe("refused");
    const all = withOutcome(NONE, one, outcome);
    expect(nextPruneAt(all, [one])).toBeUndefined();
    expect(pruned(all, [one], 1e12).size).toBe(1);
    expect(pruned(all, [], 1).size).toBe(0);
  });

  it("is waited for while the answer is on its way", () => {
    const all = withOutcome(NONE, one, { at: "asking" });
    expect(pruned(all, [], 1e12).size).toBe(1);
  });
});
