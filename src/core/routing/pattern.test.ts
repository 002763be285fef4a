import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BellhopError } from "../errors.ts";
import {
  hasWildcards,
  normalisePath,
  PATTERN_LIMITS,
  parsePattern,
  patternMatches,
  subscriptionMatches,
} from "./pattern.ts";

function refusal(text: string): string {
  try {
    parsePattern(text);
  } catch (error) {
    return (error as BellhopError).code;
  }
  return "accepted";
}

describe("patternMatches", () => {
  it.each([
    ["agent/researcher", "agent/researcher", true],
    ["agent/*", "agent/researcher", true],
    ["agent/*", "agent/a/b", false],
    ["agent/**", "agent/a/b/c", true],
    ["agent/**", "agent", true],
    ["slack/*/*", "slack/team/#general", true],
    ["email/**", "email/to@co.com/from@x.com", true],
  ])("%s against %s: %s", (pattern, path, matches) => {
    expect(patternMatches(pattern, path)).toBe(matches);
    expect(subscriptionMatches(pattern, path)).toBe(matches);
  });

  it.each([
    ["slack/*/#*", "slack/team/#general", false],
    ["slack/*/#*", "slack/team/#*", true],
    ["agent/*", "agent", false],
    ["agent", "agent/researcher", false],
    ["agent/re*", "agent/researcher", false],
    ["***", "agent", false],
    ["**", "agent", true],
    ["*", "agent", true],
    ["**/b", "b", true],
    ["**/b", "a/a/b", true],
    ["**/b", "b/a", false],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/b/y/b", true],
    ["a/**/b", "a/x/b/y", false],
    ["**/a/**", "x/a/y", true],
    ["**/**", "a", true],
    ["**/*", "a", true],
    ["*/**/*", "a", false],
    ["Agent/*", "agent/x", false],
  ])("wildcards are whole segments only: %s against %s: %s", (pattern, path, matches) => {
    expect(patternMatches(pattern, path)).toBe(matches);
  });

  it("takes a path's own wildcards as text", () => {
    expect(patternMatches("agent/researcher", "agent/*")).toBe(false);
    expect(patternMatches("agent/*", "agent/**")).toBe(true);
    expect(patternMatches("a/*", "*/b")).toBe(false);
  });

  it("does not mind slashes at either end", () => {
    expect(patternMatches("/agent/*/", "//agent/researcher/")).toBe(true);
  });

  it("agrees with the rule read word by word", () => {
    const text = fc.array(fc.constantFrom("a", "b", "*", "**"), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(text, text, (pattern, path) => {
        expect(patternMatches(pattern.join("/"), path.join("/"))).toBe(byTheBook(pattern, path));
      }),
      { numRuns: 5_000 },
    );
  });

  it("answers at once where backtracking would take for ever", () => {
    const pattern = Array.from({ length: 200 }, () => "**/a").join("/");
    const path = Array.from({ length: 2_000 }, () => "a").join("/");
    expect(patternMatches(`${pattern}/b`, path)).toBe(false);
    expect(patternMatches(pattern, path)).toBe(true);
  });
});

describe("subscriptionMatches", () => {
  it("is heard when the subscription is the pattern", () => {
    expect(subscriptionMatches("slack/**", "slack/team/#general")).toBe(true);
  });

  it("is heard when the path is the pattern", () => {
    expect(subscriptionMatches("agent/researcher", "agent/**")).toBe(true);
    expect(subscriptionMatches("agent/team/coder", "agent/team/**")).toBe(true);
    expect(subscriptionMatches("slack/team/#general", "agent/**")).toBe(false);
  });

  it("takes the subscription as text when the path is the pattern", () => {
    expect(subscriptionMatches("agent/*/inbox", "agent/**")).toBe(true);
    expect(subscriptionMatches("*/researcher", "agent/*")).toBe(false);
  });
});

describe("parsePattern", () => {
  it("strips slashes at either end and keeps the rest as it is", () => {
    expect(parsePattern("///slack/Team/#general//")).toEqual({
      text: "slack/Team/#general",
      segments: ["slack", "Team", "#general"],
    });
  });

  it("strips a million slashes without delay", () => {
    expect(normalisePath(`${"/".repeat(500_000)}a${"/".repeat(500_000)}`)).toBe("a");
    expect(normalisePath(`a${"/".repeat(1_000_000)}b`)).toHaveLength(1_000_002);
    expect(normalisePath("/".repeat(1_000_000))).toBe("");
  });

  it.each([
    "",
    "/",
    "///",
    "a//b",
    "a/ /b",
    "a/../b",
    "./a",
    "a/\u0000",
    "a/\n",
    "a/\u001b[31mred",
    "a/\u202eb",
    "a/\ud800",
  ])("refuses %j", (text) => {
    expect(refusal(text)).toBe("name.invalid");
  });

  it("takes patterns up to the limits and none beyond", () => {
    const { segments, characters, anyWildcards } = PATTERN_LIMITS;
    const longest = Array.from({ length: segments }, () => "*").join("/");
    const widest = Array.from({ length: anyWildcards }, () => "**").join("/a/");
    expect(refusal(longest)).toBe("accepted");
    expect(refusal(`${longest}/*`)).toBe("name.invalid");
    expect(refusal("a".repeat(characters))).toBe("accepted");
    expect(refusal("a".repeat(characters + 1))).toBe("name.invalid");
    expect(refusal(widest)).toBe("accepted");
    expect(refusal(`${widest}/**`)).toBe("pattern.invalid");
  });

  it("refuses what could explode, and says what to do", () => {
    expect(() => parsePattern("**/a/**/a/**/a/**/a")).toThrowError(
      expect.objectContaining({ code: "pattern.invalid", next: expect.stringContaining("at most twice") }),
    );
  });

  it("counts whole segments only as wildcards", () => {
    expect(refusal("a**/**b/c**d/***")).toBe("accepted");
    expect(hasWildcards(parsePattern("a/#*/b**"))).toBe(false);
    expect(hasWildcards(parsePattern("a/*"))).toBe(true);
    expect(hasWildcards(parsePattern("**"))).toBe(true);
  });
});

/** Slow, and written exactly as the rule is stated. */
function byTheBook(pattern: readonly string[], path: readonly string[]): boolean {
  const [wanted, ...rest] = pattern;
  if (wanted === undefined) return path.length === 0;
  if (wanted === "**") {
    return byTheBook(rest, path) || (path.length > 0 && byTheBook(pattern, path.slice(1)));
  }
  return path.length > 0 && (wanted === "*" || wanted === path[0]) && byTheBook(rest, path.slice(1));
}
