import { describe, expect, it } from "vitest";
import { mayBecome, OPEN_TURN_STATES, TURN_STATES, type TurnState } from "./turn.ts";

const isOpen = (state: TurnState): boolean => OPEN_TURN_STATES.some((open) => open === state);
const next = (state: TurnState): TurnState[] => TURN_STATES.filter((to) => mayBecome(state, to));

describe("a turn", () => {
  it("goes through triage, runs, answers and is done", () => {
    expect([
      mayBecome("triage", "running"),
      mayBecome("running", "answering"),
      mayBecome("answering", "done"),
    ]).toEqual([true, true, true]);
  });

  it.each(TURN_STATES)("is open exactly as long as something can become of it: %s", (state) => {
    expect(next(state).length > 0).toBe(isOpen(state));
    expect(mayBecome(state, state)).toBe(false);
  });

  it("never goes back, and every way ends", () => {
    const ways = (state: TurnState, before: readonly TurnState[]): void => {
      expect(before).not.toContain(state);
      for (const to of next(state)) ways(to, [...before, state]);
    };
    ways("triage", []);
  });

  it("is only done once its answer went out, and is declined only by triage", () => {
    expect(TURN_STATES.filter((from) => mayBecome(from, "done"))).toEqual(["answering"]);
    expect(TURN_STATES.filter((from) => mayBecome(from, "declined"))).toEqual(["triage"]);
    expect(next("answering")).toEqual(["done"]);
  });
});
