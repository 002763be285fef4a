import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileScreenPattern, PATTERN_LIMITS } from "./screen-pattern.ts";

const compile = (source: string) => compileScreenPattern(source, "profiles.x.busy");

describe("a pattern of the config", () => {
  it.each([
    ["^> ", "> hi", 2],
    ["working…", "… working…", 10],
    ["Allow\\?", "Allow? (y/n)", 6],
    ["^(?:>|❯) ", "❯ hi", 2],
    ["(?:esc|ctrl\\+c) to interrupt", "press esc to interrupt", 22],
    ["^.{0,20}\\$ ", "dev@host$ ls", 10],
    ["[(*+]{2}", "a(*", 3],
    ["\\(\\w+\\)+", "(a)))", 5],
    ["(ab)+", "ababx", 4],
  ])("%j finds its end in %j", (source, row, end) => expect(compile(source).matchEnd(row)).toBe(end));

  it.each([
    ["(a+)+$", "repeats a group"],
    ["(?:a|aa)+$", "repeats a group"],
    ["(a*){5,}", "repeats a group"],
    ["((a)*b)*", "repeats a group"],
    ["(a)\\1", "refers back"],
    ["(?<x>a)\\k<x>", "refers back"],
    [".*.*.*.*x", "open repetitions"],
    ["a{0,999}b{0,999}c{0,999}d+", "open repetitions"],
    ["a*", "matches everything"],
    ["", "matches everything"],
    ["(", "not a regular expression"],
    ["[", "not a regular expression"],
    ["\\", "not a regular expression"],
  ])("%j is refused", (source, why) => expect(() => compile(source)).toThrow(why));

  it("says where it stands and what to do", () => {
    expect(() => compile("(")).toThrow(
      expect.objectContaining({
        code: "config.invalid",
        message: expect.stringContaining("profiles.x.busy"),
        next: expect.any(String),
      }),
    );
  });

  it("may be as long as the limit, and no longer", () => {
    expect(() => compile("a".repeat(PATTERN_LIMITS.sourceCharacters))).not.toThrow();
    expect(() => compile("a".repeat(PATTERN_LIMITS.sourceCharacters + 1))).toThrow("longer");
  });

  it("may repeat as often as the limit, and no more", () => {
    expect(() => compile("a+".repeat(PATTERN_LIMITS.repetitions))).not.toThrow();
    expect(() => compile("a+".repeat(PATTERN_LIMITS.repetitions + 1))).toThrow("open repetitions");
  });

  it("looks at the beginning of a long row only", () => {
    const row = `${"x".repeat(PATTERN_LIMITS.rowCharacters)}end`;
    expect(compile("end").matchEnd(row)).toBeUndefined();
    expect(compile("end").matchEnd(row.slice(3))).toBe(PATTERN_LIMITS.rowCharacters);
  });

  it("either compiles or is refused with a typed error, whatever is written", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.string({ maxLength: 80 }), (source, row) => {
        try {
          compile(source).matchEnd(row);
        } catch (error) {
          expect(error).toMatchObject({ code: "config.invalid" });
        }
      }),
    );
  });
});
