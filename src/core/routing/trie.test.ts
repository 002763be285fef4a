import { describe, expect, it } from "vitest";
import { PATTERN_LIMITS, parsePattern } from "./pattern.ts";
import { SubscriptionTrie } from "./trie.ts";

function trieOf(subscriptions: readonly (readonly [pattern: string, subscriber: string])[]) {
  const trie = new SubscriptionTrie<string>();
  for (const [pattern, subscriber] of subscriptions) trie.add(parsePattern(pattern), subscriber);
  return trie;
}

function heard(trie: SubscriptionTrie<string>, path: string): readonly string[] {
  return [...trie.match(parsePattern(path))].sort();
}

function visits(trie: SubscriptionTrie<string>, path: string): number {
  const tally = { visited: 0 };
  trie.match(parsePattern(path), tally);
  return tally.visited;
}

describe("SubscriptionTrie", () => {
  it("finds who subscribes to the path, to one segment, or to everything below", () => {
    const trie = trieOf([
      ["slack/team/#general", "exact"],
      ["slack/*/*", "ones"],
      ["slack/**", "below"],
      ["**", "everything"],
      ["slack/team", "shorter"],
      ["slack/team/#general/thread", "longer"],
      ["slack/*/#*", "literal"],
      ["email/**", "other"],
    ]);
    expect(heard(trie, "slack/team/#general")).toEqual(["below", "everything", "exact", "ones"]);
    expect(heard(trie, "slack")).toEqual(["below", "everything"]);
    expect(heard(trie, "nothing/here")).toEqual(["everything"]);
  });

  it("finds every agent for a broadcast", () => {
    const trie = trieOf([
      ["agent/writer", "writer"],
      ["agent/researcher", "researcher"],
      ["agent/team/coder", "coder"],
      ["slack/**", "slack"],
    ]);
    expect(heard(trie, "agent/**")).toEqual(["coder", "researcher", "writer"]);
    expect(heard(trie, "agent/*")).toEqual(["researcher", "writer"]);
    expect(heard(trie, "agent/team/**")).toEqual(["coder"]);
  });

  it("reports a subscriber once, however many of its patterns match", () => {
    const trie = trieOf([
      ["a/b", "one"],
      ["a/*", "one"],
      ["**", "one"],
      ["**/b", "one"],
    ]);
    expect(heard(trie, "a/b")).toEqual(["one"]);
    expect(heard(trie, "**")).toEqual(["one"]);
  });

  it("keeps a subscriber that was added twice and removed once", () => {
    const trie = trieOf([
      ["agent/x", "x"],
      ["agent/x", "x"],
    ]);
    expect(trie.size).toBe(1);
    expect(trie.remove(parsePattern("agent/x"), "x")).toBe(true);
    expect(heard(trie, "agent/x")).toEqual(["x"]);
    expect(trie.remove(parsePattern("agent/x"), "x")).toBe(true);
    expect(heard(trie, "agent/x")).toEqual([]);
    expect(trie.remove(parsePattern("agent/x"), "x")).toBe(false);
    expect(trie.size).toBe(0);
  });

  it("removes one subscriber of a pattern and leaves the others", () => {
    const trie = trieOf([
      ["news/**", "a"],
      ["news/**", "b"],
      ["news/**", "b"],
      ["news/today", "a"],
    ]);
    expect(trie.remove(parsePattern("news/**"), "c")).toBe(false);
    expect(trie.remove(parsePattern("news/*"), "a")).toBe(false);
    for (let times = 0; times < 2; times += 1) expect(trie.remove(parsePattern("news/**"), "b")).toBe(true);
    expect(heard(trie, "news/today")).toEqual(["a"]);
    for (const text of ["news/**", "news/today"]) expect(trie.remove(parsePattern(text), "a")).toBe(true);
    expect(heard(trie, "news/today")).toEqual([]);
    expect(trie.size).toBe(0);
  });

  it("tells subscribers that are objects apart by identity", () => {
    const [one, other] = [{ name: "same" }, { name: "same" }];
    const trie = new SubscriptionTrie<object>();
    trie.add(parsePattern("a"), one);
    trie.add(parsePattern("a"), other);
    expect(trie.match(parsePattern("a"))).toEqual(new Set([one, other]));
  });

  it("matches the longest path that there may be, in both directions", () => {
    const longest = Array.from({ length: PATTERN_LIMITS.segments }, () => "a").join("/");
    const wild = longest.replace(/a/g, "*");
    const trie = trieOf([
      [longest, "exact"],
      [wild, "wild"],
      ["**/a/**", "any"],
    ]);
    expect(heard(trie, longest)).toEqual(["any", "exact", "wild"]);
    expect(heard(trie, wild)).toEqual(["exact", "wild"]);
  });
});

describe("the work of a match", () => {
  it("does not grow with subscriptions that do not match", () => {
    const few = trieOf(subscriptions(10));
    const many = trieOf(subscriptions(20_000));
    for (const path of [
      "agent/coder-3",
      "slack/team-3/#channel-3",
      "email/me@x.org/you@y.org",
      "elsewhere",
    ]) {
      expect(heard(many, path)).toEqual(heard(few, path));
      expect(visits(many, path)).toBe(visits(few, path));
    }
  });

  it("grows with those that match when the path is a pattern, and not with the others", () => {
    const trie = trieOf([...subscriptions(20_000), ["club/a", "a"], ["club/b", "b"], ["club/b/c", "c"]]);
    expect(heard(trie, "club/**")).toEqual(["a", "b", "c"]);
    expect(visits(trie, "club/**")).toBeLessThan(10);
  });

  it("comes to each node at most once, even where every pattern begins like the path", () => {
    const words = Array.from({ length: 2 ** 10 }, (_, bits) =>
      Array.from({ length: 10 }, (_unused, place) => ((bits >> place) & 1 ? "a" : "*")).join("/"),
    );
    const nodes = 2 ** 11;
    const trie = trieOf([
      ...words.map((word) => [word, "tree"] as const),
      ...words.map((word) => [`**/${word}`, "any"] as const),
    ]);
    expect(visits(trie, Array.from({ length: 16 }, () => "a").join("/"))).toBeLessThanOrEqual(2 * nodes);
    expect(visits(trie, "**/a/*/**/a")).toBeLessThanOrEqual(4 * nodes);
  });

  it("does not double with every wildcard that path and pattern share", () => {
    const ones = Array.from({ length: PATTERN_LIMITS.segments }, () => "*").join("/");
    const trie = trieOf([[ones, "ones"]]);
    expect(visits(trie, ones)).toBe(2 * (PATTERN_LIMITS.segments + 1));
  });

  it("leaves nothing behind of what was removed", () => {
    const shared = [
      ["news/**", "a"],
      ["news/**", "b"],
    ] as const;
    const all = [...subscriptions(2_000), ...shared];
    const trie = trieOf(all);
    for (const [text, subscriber] of all) trie.remove(parsePattern(text), subscriber);
    expect(trie.size).toBe(0);
    expect(visits(trie, "**")).toBe(2);
  });

  function subscriptions(count: number): readonly (readonly [string, string])[] {
    return Array.from({ length: count }, (_, index) => [
      [`agent/coder-${index}`, `coder-${index}`] as const,
      [`slack/team-${index}/#channel-${index}`, `coder-${index}`] as const,
      [`email/dev-${index}@x.org/**`, `coder-${index}`] as const,
      [`webhook/${index}/*/done`, `session-${index}`] as const,
    ]).flat();
  }
});
