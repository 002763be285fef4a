import { describe, expect, it } from "vitest";
import { moved } from "./moves.ts";

const board = (agents: Readonly<Record<string, readonly string[]>>) =>
  new Map(Object.entries(agents).map(([name, ids]) => [name, { sessions: ids.map((id) => ({ id })) }]));

/** The moves that each board after the first one tells of. */
function movesIn(...boards: Parameters<typeof board>[0][]) {
  let { homes } = moved(new Map(), new Map());
  return boards.map((one) => {
    const { moves, homes: now } = moved(homes, board(one));
    homes = now;
    return moves;
  });
}

const RENAMED = [{ from: "docs", to: "manual" }];

describe("an agent has moved", () => {
  it("if its sessions belong to another name, once", () => {
    const [first, second, third] = movesIn(
      { docs: ["s1", "s2"], web: ["s3"] },
      { manual: ["s1", "s2"], web: ["s3"] },
      { manual: ["s1", "s2"], web: ["s3"] },
    );
    expect([first, second, third]).toEqual([[], RENAMED, []]);
  });

  it("also if its old name stays, without a session or with one of another", () => {
    expect(movesIn({ docs: ["s1"], manual: [] }, { docs: [], manual: ["s1"] })[1]).toEqual(RENAMED);
    expect(movesIn({ docs: ["s1"], web: ["s2"] }, { docs: ["s2"], web: ["s1"] })[1]).toEqual([
      { from: "web", to: "docs" },
      { from: "docs", to: "web" },
    ]);
  });

  it("also if its new name is known before its sessions", () => {
    expect(movesIn({ docs: ["s1"] }, { manual: [] }, { manual: ["s1"] })).toEqual([[], [], RENAMED]);
  });

  it("but not if it keeps a session, is gone, or has a new one", () => {
    expect(movesIn({ docs: ["s1", "s2"] }, { docs: ["s2"], manual: ["s1"] })[1]).toEqual([]);
    expect(movesIn({ docs: ["s1"] }, {}, { docs: ["s1"] })).toEqual([[], [], []]);
    expect(movesIn({ docs: ["s1"] }, { docs: ["s9"] }, { docs: ["s9"], manual: ["s1"] })[2]).toEqual([]);
  });
});
