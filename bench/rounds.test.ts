import { describe, expect, it } from "vitest";
import { duel, duels, growing, ONCE, sizesFor } from "./rounds.ts";
import { atMost } from "./row.ts";

const arm = (what: string, values: readonly number[]) => {
  let turn = 0;
  return {
    what,
    sample() {
      turn += 1;
      return values[(turn - 1) % values.length] ?? Number.NaN;
    },
  };
};
const setting = { group: "test", name: "a duel", unit: "ms" } as const;

describe("a duel", () => {
  it("gives the median over the rounds of the ratio of the medians", async () => {
    const row = await duel(
      { ...setting, ours: arm("ours", [1, 2, 3, 4, 5, 9]), peer: arm("peer", [10]) },
      { rounds: 3, samplesPerRound: 2, warmUp: 0 },
    );
    expect(row.ratio).toBe(0.4);
    expect(row.rounds).toBe(3);
  });

  it("ends early when it takes too long, after three rounds that count", async () => {
    const row = await duel(
      { ...setting, ours: arm("ours", [1]), peer: arm("peer", [1]) },
      { rounds: 1_000_000_000, samplesPerRound: 1, warmUp: 2, withinMs: 0 },
    );
    expect(row.rounds).toBe(3);
  });

  it("takes one sample in a smoke run", () => {
    const sizes = { quick: { rounds: 5, samplesPerRound: 5 }, full: { rounds: 9, samplesPerRound: 9 } };
    expect(sizesFor("smoke", sizes)).toEqual(ONCE);
    expect(sizesFor("quick", sizes)).toMatchObject(sizes.quick);
  });
});

describe("growing work", () => {
  it("is compared with its smallest size, and has its goal at the largest", async () => {
    const rows = await duels(
      growing({
        group: "test",
        axis: "agents",
        work: "send",
        unit: "µs",
        arms: [
          [10, arm("few", [2])],
          [100, arm("more", [4])],
          [1_000, arm("many", [8])],
        ],
        goal: atMost(1.1),
      }),
      ONCE,
    );
    expect(rows.map(({ name, ratio, goal }) => [name, ratio, goal?.ratio])).toEqual([
      ["send, 100 agents", 2, undefined],
      ["send, 1,000 agents", 4, 1.1],
    ]);
    expect(rows[1]?.growth).toEqual({ axis: "agents", work: "send", size: 1_000, from: 10 });
  });
});
