import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitText } from "./split-text.ts";

const FAMILY = "👩‍👩‍👧";

describe("splitting a text", () => {
  it("leaves a text that fits as it is, to the last unit", () => {
    for (const text of ["", " ", "one", "x".repeat(40)]) expect(splitText(text, 40)).toEqual([text]);
    expect(splitText("x".repeat(41), 40)).toEqual(["x".repeat(40), "x"]);
  });

  it("breaks at a line, and keeps the indentation of the next one", () => {
    expect(splitText("first line\nsecond line\n    indented", 28)).toEqual([
      "first line\nsecond line",
      "    indented",
    ]);
  });

  it("breaks at a space if no line ends in the second half", () => {
    expect(splitText("a\nbcd efg hij klm", 12)).toEqual(["a\nbcd efg", "hij klm"]);
  });

  it("breaks at the space directly after the longest part", () => {
    expect(splitText("12345 67890", 5)).toEqual(["12345", "67890"]);
  });

  it("breaks anywhere if there is no space in the second half", () => {
    expect(splitText(`a ${"x".repeat(20)}`, 10)).toEqual([`a ${"x".repeat(8)}`, "x".repeat(10), "xx"]);
  });

  it("keeps graphemes whole", () => {
    const parts = splitText(FAMILY.repeat(10), FAMILY.length * 3 + 5);
    expect(parts).toEqual([FAMILY.repeat(3), FAMILY.repeat(3), FAMILY.repeat(3), FAMILY]);
    expect(splitText("e\u0301".repeat(3), 3)).toEqual(["e\u0301", "e\u0301", "e\u0301"]);
    expect(splitText("🇩🇪🇫🇷🇮🇹", 10)).toEqual(["🇩🇪🇫🇷", "🇮🇹"]);
  });

  it("does not take the ground from under an accent that stands on a space", () => {
    expect(splitText("abcd \u0301efgh", 8)).toEqual(["abcd \u0301ef", "gh"]);
  });

  it("cuts a grapheme that alone is too long between its characters", () => {
    const parts = splitText(`👩${"\u200d👩".repeat(50)}`, 10);
    expect(parts.join("")).toBe(`👩${"\u200d👩".repeat(50)}`);
    for (const part of parts) expect(part.isWellFormed()).toBe(true);
    expect(splitText(`a${"\u0301".repeat(20)}`, 8).map(({ length }) => length)).toEqual([8, 8, 5]);
  });

  it("leaves out blank parts, but always says something", () => {
    expect(splitText(`one${"\n".repeat(30)}two`, 10)).toEqual(["one\n\n\n\n\n\n\n", "two"]);
    expect(splitText(" ".repeat(100), 10)).toHaveLength(1);
  });

  it("is quick for the longest body, whatever is in it", () => {
    for (const piece of ["x", "\n", " ", FAMILY, "\u0301", "\ud800"])
      expect(splitText(piece.repeat(262_144), 4_000).length).toBeGreaterThan(0);
  });

  it("loses only white space, stays within the limit and cuts no character", () => {
    const piece = fc.constantFrom(
      "a",
      "word",
      " ",
      "\n",
      "\n\n",
      "\t",
      "👍",
      FAMILY,
      "e\u0301",
      "🇩🇪",
      "\u0301",
      "日本語",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), fc.integer({ min: 2, max: 40 }), (pieces, most) => {
        const text = pieces.join("");
        const parts = splitText(text, most);
        expect(parts.length).toBeGreaterThan(0);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(most);
          expect(part.isWellFormed()).toBe(true);
        }
        expect(parts.join("").replace(/\s+/gu, "")).toBe(text.replace(/\s+/gu, ""));
        expect(splitText(text, most)).toEqual(parts);
      }),
    );
  });
});
