import { describe, expect, it } from "vitest";
import type { BoardAgent, BoardSession } from "../../../src/wire/shapes/board.ts";
import { found, MOST_FOUND } from "./finding.ts";

const agent = (name: string, headline = "tidy the imports"): BoardAgent => {
  const session: BoardSession = {
    id: `s-${name}`,
    agent: name,
    label: "work:0.0",
    program: "claude",
    terminal: { kind: "pty" },
    restartable: true,
    readiness: "idle",
    queued: 0,
    headline,
    startedAt: 1,
    since: 1,
    drafts: 0,
  };
  return {
    name,
    createdAt: 1,
    origin: "added",
    paused: false,
    mail: 1,
    queued: 0,
    turns: [],
    sessions: [session],
  };
};
const AGENTS = [agent("api"), agent("docs", "the api pages"), agent("web")];
const texts = (typed: string, agents: readonly BoardAgent[] = AGENTS) =>
  found(typed, agents).map(({ text }) => text);

describe("the palette", () => {
  it("shows agents and what can be done in general before anything is typed", () => {
    expect(texts("").slice(0, 3)).toEqual(["api", "docs", "web"]);
    expect(texts("")).toContain("Show the keys");
  });

  it("finds an agent whose name begins so before one that only speaks of it", () => {
    expect(texts("api").slice(0, 2)).toEqual(["api", "docs"]);
  });

  it("finds an action by its name and its agent, in any order", () => {
    expect(texts("web stop")).toEqual(["Stop: web"]);
    expect(found("pause api", AGENTS)[0]).toMatchObject({ kind: "action", name: "api", action: "pause" });
    expect(texts("group state")).toEqual(["Group by state"]);
  });

  it("finds no more than can be seen, among however many", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => agent(`agent-${index}`));
    for (const typed of ["agent", "stop", "a"])
      expect(texts(typed, many).length).toBeLessThanOrEqual(MOST_FOUND);
    expect(texts("nobody has this")).toEqual([]);
  });
});
