import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isHeardElsewhere } from "../routing/across-hosts.ts";
import {
  PATTERN_LIMITS,
  type Pattern,
  parsePattern,
  patternMatches,
  subscriptionMatches,
} from "../routing/pattern.ts";
import { MOST_SUMMARISED, mayHear, summaryOf } from "./summary.ts";

const parsed = (texts: readonly string[]): readonly Pattern[] =>
  texts.map((text) => ({ ...parsePattern(text) }));
const summary = (texts: readonly string[], most?: number) => summaryOf(parsed(texts), most);

const literal = fc.constantFrom("a", "b", "c", "agent", "team");
const few = (segment: fc.Arbitrary<string>, maxLength: number) =>
  fc
    .array(segment, { minLength: 1, maxLength })
    .filter((segments) => segments.filter((one) => one === "**").length <= PATTERN_LIMITS.anyWildcards)
    .map((segments) => segments.join("/"));
const pattern = few(fc.oneof({ weight: 4, arbitrary: literal }, fc.constantFrom("*", "**")), 5);
const path = few(literal, 5);

describe("a summary", () => {
  it("hears every path that somebody subscribes to, also one with wildcards, however few patterns it has", () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 12 }),
        pattern,
        fc.integer({ min: 1, max: 6 }),
        (all, said, most) => {
          const asked = parsePattern(said);
          fc.pre(isHeardElsewhere(asked));
          if (!all.some((one) => subscriptionMatches(one, said))) return;
          expect(parsed(summary(all, most)).some((one) => mayHear(one, { ...asked }))).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("never has more patterns than it may, each of which can be read, in one order", () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 30 }), fc.integer({ min: 1, max: 6 }), (all, most) => {
        const short = summary(all, most);
        expect(short.length).toBeLessThanOrEqual(most);
        expect(short.map((text) => parsePattern(text).text)).toEqual(short);
        expect(summary(all.toReversed(), most)).toEqual(short);
      }),
    );
  });

  it("hears nothing else while there is room", () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 12 }), path, (all, said) => {
        fc.pre(isHeardElsewhere(parsePattern(said)));
        const hears = summary(all).some((one) => patternMatches(one, said));
        expect(hears).toBe(all.some((one) => patternMatches(one, said)));
      }),
    );
  });

  it("leaves out what is said to agents, sessions and persons, which stays on its host", () => {
    expect(summary(["agent/coder", "agent/**", "session/*", "person/ada", "team/news", "*/news"])).toEqual([
      "*/news",
      "team/news",
    ]);
  });

  it("leaves out what another pattern covers, and never both", () => {
    expect(summary(["a/**", "a", "a/b", "a/b/**", "a/**/**", "b/*"])).toEqual(["a/**", "b/*"]);
    expect(summary(["a/**", "**", "b"])).toEqual(["**"]);
    expect(summary(["a/**/**", "a/**/b"])).toEqual(["a/**/**"]);
  });

  it("widens the longest prefixes first, and of those the ones that save most", () => {
    const all = ["a/x/1", "a/x/2", "a/x/3", "a/y/1", "a/y/2", "b/z/1", "c"];
    expect(summary(all, 7)).toEqual(all);
    expect(summary(all, 6)).toEqual(["a/x/**", "a/y/1", "a/y/2", "b/z/1", "c"]);
    expect(summary(all, 4)).toEqual(["a/x/**", "a/y/**", "b/z/1", "c"]);
    expect(summary(all, 3)).toEqual(["a/**", "b/z/1", "c"]);
    expect(summary(all, 2)).toEqual(["**"]);
  });

  it("has two hundred patterns at most, and widens the next", () => {
    const roots = Array.from({ length: MOST_SUMMARISED - 1 }, (_, index) => `root-${index}/x`);
    expect(summary([...roots, "team/a"])).toHaveLength(200);
    expect(summary([...roots, "team/a", "team/b"])).toContain("team/**");
    expect(summary([...roots, "team/a", "other/b"])).toEqual(["**"]);
  });

  it("widens no prefix to a pattern that would be too long to be read", () => {
    const long = "x".repeat(PATTERN_LIMITS.characters - 2 - "team/".length);
    expect(summary([`team/${long}/1`, `team/${long}/2`, "other"], 2)).toEqual(["other", "team/**"]);
  });
});

describe("mayHear", () => {
  it("is what the pattern matches, for a path without wildcards", () => {
    fc.assert(
      fc.property(pattern, path, (heard, said) => {
        const [one, other] = parsed([heard, said]);
        expect(one !== undefined && other !== undefined && mayHear(one, other)).toBe(
          patternMatches(heard, said),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it("is the same in both directions, and true of all that a third path joins", () => {
    fc.assert(
      fc.property(pattern, pattern, path, (first, second, third) => {
        const [one, other] = parsed([first, second]);
        if (one === undefined || other === undefined) return;
        expect(mayHear(one, other)).toBe(mayHear(other, one));
        if (patternMatches(first, third) && patternMatches(second, third))
          expect(mayHear(one, other)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["a/**", "*/b", true],
    ["a/b/**", "a/*/c", true],
    ["a/b", "a/*/c", false],
    ["**/x", "a/**", true],
    ["a/**/x", "a/*", true],
    ["a/**/x/y", "a/*", false],
    ["a", "a/**", true],
    ["a/*", "a", false],
    ["*", "**/**", true],
  ])("%s and %s: %s", (heard, said, may) => {
    const [one, other] = parsed([heard, said]);
    expect(one !== undefined && other !== undefined && mayHear(one, other)).toBe(may);
  });
});
