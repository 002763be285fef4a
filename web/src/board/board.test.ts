import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Board, BoardAgent, BoardChanges } from "../../../src/wire/shapes/board.ts";
import { agentsOf, apply, type BoardState } from "./board.ts";

const agent = fc.record({
  name: fc.constantFrom("api", "docs", "web", "night"),
  queued: fc.nat(3),
  paused: fc.boolean(),
});
const asAgent = (some: { name: string; queued: number; paused: boolean }): BoardAgent => ({
  createdAt: 1,
  mail: 1,
  origin: "added",
  turns: [],
  sessions: [],
  ...some,
});
const agents = fc
  .uniqueArray(agent, { selector: ({ name }) => name })
  .map((all) => all.map(asAgent).sort((a, b) => (a.name < b.name ? -1 : 1)));
const counts = fc.record({ wants: fc.record({ permission: fc.nat(2) }), mail: fc.nat(2) });
const turns = fc.record({
  switch: fc.constant({ off: false as const }),
  open: fc.nat(2),
  overBudget: fc.nat(2),
});
const board = fc.record({ agents, counts, turns });

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** As a daemon tells it: agents that differ, names that are gone, topics that differ. */
function difference(before: Board, now: Board, seq: number): BoardChanges {
  const known = new Map(before.agents?.map((one) => [one.name, one]));
  const there = new Set(now.agents?.map(({ name }) => name));
  const different = now.agents?.filter((one) => !isSame(known.get(one.name), one)) ?? [];
  const gone = [...known.keys()].filter((name) => !there.has(name));
  return {
    seq,
    ...(different.length > 0 ? { agents: different } : {}),
    ...(gone.length > 0 ? { gone } : {}),
    ...(isSame(before.counts, now.counts) ? {} : { counts: now.counts as NonNullable<Board["counts"]> }),
    ...(isSame(before.turns, now.turns) ? {} : { turns: now.turns as NonNullable<Board["turns"]> }),
  };
}

function told(state: BoardState | undefined): object | undefined {
  if (state === undefined) return undefined;
  const { seq: _, ...rest } = state;
  return { ...rest, agents: agentsOf(state) };
}

describe("the page's board", () => {
  it("is what a new snapshot would say, after any changes", () => {
    fc.assert(
      fc.property(fc.array(board, { minLength: 1, maxLength: 12 }), ([first, ...rest]) => {
        let before = first as Board;
        let state = apply(undefined, { snapshot: { seq: 1, ...before } });
        for (const [index, now] of rest.entries()) {
          const held = state.kind === "whole" ? state.board : undefined;
          state = apply(held, { changes: difference(before, now, index + 2) });
          before = now;
        }
        const anew = apply(undefined, { snapshot: { seq: 1, ...before } });
        expect(told(state.kind === "whole" ? state.board : undefined)).toEqual(
          told(anew.kind === "whole" ? anew.board : undefined),
        );
      }),
    );
  });

  it("has a gap if a frame is missing, is repeated, or comes before the first snapshot", () => {
    const whole = apply(undefined, { snapshot: { seq: 4, agents: [] } });
    const held = whole.kind === "whole" ? whole.board : undefined;
    for (const seq of [1, 4, 6]) expect(apply(held, { changes: { seq } })).toEqual({ kind: "gap" });
    expect(apply(undefined, { changes: { seq: 1 } })).toEqual({ kind: "gap" });
    expect(apply(held, { changes: { seq: 5 } }).kind).toBe("whole");
  });

  it("takes a snapshot at any time: a slow reader gets one in between", () => {
    const old = { seq: 9, agents: new Map([["api", asAgent({ name: "api", queued: 1, paused: false })]]) };
    const anew = apply(old, { snapshot: { seq: 10, agents: [] } });
    expect(anew).toEqual({ kind: "whole", board: { seq: 10, agents: new Map() } });
  });

  it("leaves unchanged agents the very same objects, so that nothing is drawn for them", () => {
    const [api, web] = ["api", "web"].map((name) => asAgent({ name, queued: 0, paused: false }));
    const first = apply(undefined, { snapshot: { seq: 1, agents: [api, web] as BoardAgent[] } });
    const held = first.kind === "whole" ? first.board : undefined;
    const next = apply(held, { changes: { seq: 2, agents: [{ ...(web as BoardAgent), queued: 1 }] } });
    expect(next.kind === "whole" && next.board.agents.get("api")).toBe(api);
  });
});
