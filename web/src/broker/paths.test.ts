import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { subscriptionMatches } from "../../../src/core/routing/pattern.ts";
import { filtered, type HeardPath, linesOf, PathMatcher, treeOf } from "./paths.ts";
import { treeStep } from "./tree-steps.ts";

const hears = (path: string, agent: string, how: "address" | "asked" = "asked"): HeardPath => ({
  path,
  hearer: { agent, how },
});
const HEARD = [
  hears("agent/web", "web", "address"),
  hears("agent/api", "api", "address"),
  hears("slack/**", "web"),
  hears("slack/team/#general", "web"),
  hears("slack/team/#general", "api"),
];
const lines = (heard = HEARD, isOpen: (path: string) => boolean = () => true) =>
  linesOf(treeOf(heard), isOpen);
const shown = (given = lines()) =>
  given.map((line) => {
    const words = line.kind === "path" ? line.node.segment : `(${line.hearer.agent})`;
    return `${"  ".repeat(line.level - 1)}${words}`;
  });

describe("the tree of paths", () => {
  it("has one line for each segment, and those who hear it below; an own address is the line itself", () => {
    expect(shown()).toEqual([
      "agent",
      "  api",
      "  web",
      "slack",
      "  **",
      "    (web)",
      "  team",
      "    #general",
      "      (api)",
      "      (web)",
    ]);
    expect(lines()[1]).toMatchObject({ own: "api", place: 1, of: 2 });
    expect(lines()[1]).not.toHaveProperty("isOpen");
  });

  it("shows nothing below what is closed", () => {
    expect(shown(lines(HEARD, (path) => path === "slack"))).toEqual(["agent", "slack", "  **", "  team"]);
  });

  it("gives each line a key of its own, and the key of the line above it", () => {
    const keys = lines().map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { parent, level } of lines())
      expect(lines().find(({ key }) => key === parent)?.level ?? 0).toBe(level - 1);
  });

  it("is filtered by words of the path and of who hears it", () => {
    expect(filtered(HEARD, "")).toEqual(HEARD);
    expect(filtered(HEARD, "SLACK api")).toEqual([hears("slack/team/#general", "api")]);
    expect(filtered(HEARD, "nobody")).toEqual([]);
  });
});

describe("a message", () => {
  const matcher = new PathMatcher(treeOf(HEARD));

  it("counts for each path that hears it, and for what is above", () => {
    expect(matcher.nodesOf("slack/team/#general").toSorted()).toEqual([
      "slack",
      "slack/**",
      "slack/team",
      "slack/team/#general",
    ]);
    expect(matcher.nodesOf("slack/other")).toEqual(expect.arrayContaining(["slack", "slack/**"]));
    expect(matcher.nodesOf("email/x")).toEqual([]);
  });

  it("to many counts for each of them", () => {
    expect(matcher.nodesOf("agent/**")).toEqual(expect.arrayContaining(["agent/api", "agent/web"]));
  });

  it("counts for a subscription exactly if the daemon would deliver it there", () => {
    const segment = fc.constantFrom("a", "b", "*", "**");
    const path = fc
      .array(segment, { minLength: 1, maxLength: 4 })
      .filter((all) => all.filter((one) => one === "**").length <= 2)
      .map((all) => all.join("/"));
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 8 }), path, (patterns, to) => {
        const found = new PathMatcher(treeOf(patterns.map((pattern) => hears(pattern, "api")))).nodesOf(to);
        for (const pattern of patterns)
          expect(found.includes(pattern)).toBe(subscriptionMatches(pattern, to));
      }),
    );
  });

  it("that cannot be a path counts for nothing", () => {
    expect(matcher.nodesOf("")).toEqual([]);
  });
});

describe("a key in the tree", () => {
  const step = (at: string, key: string, given = lines()) => treeStep(given, at, key);

  it("goes down, up, to the ends, and no further", () => {
    expect(step("/agent", "ArrowDown")).toEqual({ kind: "go", key: "/agent/api" });
    expect(step("/agent/api", "ArrowUp")).toEqual({ kind: "go", key: "/agent" });
    expect(step("/agent", "ArrowUp")).toBeUndefined();
    expect(step("/agent", "End")).toEqual({ kind: "go", key: lines().at(-1)?.key });
    expect(step("/slack", "Home")).toEqual({ kind: "go", key: "/agent" });
  });

  it("opens what is closed, then goes into it; closes what is open, then goes out of it", () => {
    const closed = lines(HEARD, (path) => path !== "slack");
    expect(step("/slack", "ArrowRight", closed)).toEqual({ kind: "toggle" });
    expect(step("/slack", "ArrowRight")).toEqual({ kind: "go", key: "/slack/**" });
    expect(step("/slack", "ArrowLeft")).toEqual({ kind: "toggle" });
    expect(step("/agent/api", "ArrowLeft")).toEqual({ kind: "go", key: "/agent" });
    expect(step("/agent/api", "ArrowRight")).toBeUndefined();
    expect(step("/slack/** 0", "ArrowLeft")).toEqual({ kind: "go", key: "/slack/**" });
  });

  it("that means nothing does nothing, nor does one on a line that is gone", () => {
    expect(step("/agent", "x")).toBeUndefined();
    expect(step("/gone", "ArrowDown")).toBeUndefined();
  });
});
