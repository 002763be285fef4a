import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BoardAgent, BoardSession } from "../../../src/wire/shapes/board.ts";
import {
  type AgentRow,
  filtered,
  folderParts,
  GROUPINGS,
  grouped,
  ownHeadline,
  rowsOf,
  shortFolder,
} from "./rows.ts";

const session = (id: string, more: Partial<BoardSession> = {}): BoardSession => ({
  id,
  agent: "x",
  label: "work:0.0",
  program: "claude",
  terminal: { kind: "pty" },
  readiness: "idle",
  queued: 0,
  headline: "tidy the imports",
  startedAt: 1,
  since: 1,
  drafts: 0,
  ...more,
});
const agent = (
  name: string,
  sessions: readonly BoardSession[],
  more: Partial<BoardAgent> = {},
): BoardAgent => ({
  name,
  createdAt: 1,
  origin: "discovered",
  paused: false,
  mail: 1,
  queued: 0,
  turns: [],
  sessions,
  ...more,
});
const TURN = { id: "t", sessionId: "s", state: "running", startedAt: 1, runner: "claude" } as const;

const ALL = [
  agent("api", [session("s1", { folder: "/src/shop", readiness: "busy" })]),
  agent("docs", [session("s2", { folder: "/src/docs", parent: "s1", readiness: "blocked" }), session("s3")]),
  agent("night", [session("s4", { readiness: "exited" })], { turns: [TURN] }),
  agent("post", [], { paused: true }),
];
const rows = ALL.flatMap(rowsOf);
const names = (some: readonly AgentRow[]) => some.map(({ key }) => key);
const shown = (grouping: (typeof GROUPINGS)[number]) =>
  grouped(rows, grouping).map((row) => (row.kind === "group" ? `${row.title} ${row.count}` : row.key));

describe("the rows", () => {
  it("are one for each session, and one for an agent without any", () => {
    expect(rows.map(({ key, state }) => [key, state])).toEqual([
      ["s1", "busy"],
      ["s2", "blocked"],
      ["s3", "idle"],
      ["s4", "turn"],
      ["agent/post", "absent"],
    ]);
  });

  it("stay the same objects while their agent does", () => {
    const [api] = ALL;
    expect(api === undefined || rowsOf(api)).toBe(api === undefined || rowsOf(api));
  });

  it("are found by any words, in any order and case", () => {
    expect(names(filtered(rows, "  SHOP working "))).toEqual(["s1"]);
    expect(names(filtered(rows, "paused"))).toEqual(["agent/post"]);
    expect(names(filtered(rows, "shop docs"))).toEqual([]);
    expect(filtered(rows, " ")).toBe(rows);
  });

  it("are grouped by folder, without one last", () => {
    expect(shown("folder")).toEqual([
      "/src/docs 1",
      "s2",
      "/src/shop 1",
      "s1",
      "No folder 3",
      "s3",
      "s4",
      "agent/post",
    ]);
  });

  it("are grouped by state, those that ask first", () => {
    expect(shown("state").filter((text) => / \d$/.test(text))).toEqual([
      "Asks you 1",
      "Working 1",
      "Automatic turn 1",
      "Idle 1",
      "Not running 1",
    ]);
  });

  it("are grouped by who started them", () => {
    expect(shown("parent").slice(0, 2)).toEqual(["Started by api 1", "s2"]);
    expect(shown("parent")[2]).toBe("Not started by an agent 4");
    const [child] = grouped(filtered(rows, "docs"), "parent", rows);
    expect(child).toMatchObject({ title: "Started by api" });
  });

  it("are all there in any grouping, each once", () => {
    const some = fc.array(
      fc.record({ folder: fc.constantFrom("/a", "/b", undefined), parent: fc.constantFrom("s0", undefined) }),
    );
    fc.assert(
      fc.property(some, fc.constantFrom(...GROUPINGS), (places, grouping) => {
        const all = places.flatMap(({ folder, parent }, index) =>
          rowsOf(
            agent(`a${index}`, [
              session(`s${index}`, {
                ...(folder === undefined ? {} : { folder }),
                ...(parent === undefined ? {} : { parent }),
              }),
            ]),
          ),
        );
        const found = grouped(all, grouping);
        const members = found.filter((row) => row.kind === "agent");
        expect(new Set(members)).toEqual(new Set(all));
        expect(members).toHaveLength(all.length);
        const groups = found.flatMap((row) => (row.kind === "group" ? row.count : []));
        if (grouping !== "none") expect(groups.reduce((sum, count) => sum + count, 0)).toBe(all.length);
      }),
    );
  });
});

it.each([
  ["/home/dev/src/shop", "…/src/shop"],
  ["/src/shop", "/src/shop"],
  ["/", "/"],
])("the folder %s is shown as %s", (folder, short) => {
  expect(shortFolder(folder)).toBe(short);
});

it.each([
  ["/home/dev/shop", ["shop", "/home/dev"]],
  ["/shop", ["shop", "/"]],
  ["/", ["/", ""]],
  ["No folder", ["No folder", ""]],
])("the folder %s is titled %j", (folder, parts) => {
  expect(folderParts(folder)).toEqual(parts);
});

it("a headline that says nothing new gives way to the role", () => {
  expect(ownHeadline("api", session("s1", { headline: "tidy" }))).toBe("tidy");
  expect(ownHeadline("api", session("s1", { headline: "s1" }))).toBe("");
  expect(ownHeadline("api", session("s1", { headline: "api", role: "looks after the shop" }))).toBe(
    "looks after the shop",
  );
});
