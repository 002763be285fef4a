import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawnScreen } from "../../tests/screens.ts";
import { cellsOf, joinWrappedRows, paddedToCell } from "./cell-width.ts";
import { isGhost, runsAfter } from "./screen-rows.ts";

describe("the width of a text", () => {
  it.each([
    ["plain", 5],
    ["日本語", 6],
    ["한국", 4],
    ["❯\u00a0é─│▔", 6],
    ["", 0],
    ["👍 ✅ 🎉", 8],
    ["👍🏽", undefined],
    ["❤️", undefined],
    ["🇩🇪", undefined],
    ["👩‍👩‍👧", undefined],
    ["e\u0301", undefined],
    ["\t", undefined],
  ])("of %j is %s", (text, cells) => expect(cellsOf(text)).toBe(cells));

  it("is reached by blanks, unless it is unsure or passed already", () => {
    expect(paddedToCell("日", 4)).toBe("日  ");
    expect(paddedToCell("long", 2)).toBe("long");
    expect(paddedToCell("👩‍👩‍👧", 9)).toBe("👩‍👩‍👧");
  });
});

describe("rows of a composer", () => {
  it("become one line where the next word had no room", () => {
    expect(joinWrappedRows(["one two", "three", "four"], 10)).toBe("one two three\nfour");
  });

  it("are joined without a blank where a word fills the row", () => {
    expect(joinWrappedRows(["x".repeat(10), "xx"], 10)).toBe("x".repeat(12));
  });

  it("keep their empty lines", () => {
    expect(joinWrappedRows(["a", "", "b", ""], 10)).toBe("a\n\nb\n");
  });

  it("lose no visible character", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 12 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 20 }),
        (rows, width) => {
          const visible = (text: string) => text.replace(/\s/gu, "");
          expect(visible(joinWrappedRows(rows, width))).toBe(visible(rows.join("")));
        },
      ),
    );
  });
});

describe("runs", () => {
  const runsOf = (row: string) => drawnScreen([row]).lines[0]?.runs ?? [];

  it("without their first characters keep their style", () => {
    const row = drawnScreen(["ab\x1b[2mcd\x1b[0mef"]).lines[0];
    if (row === undefined) return;
    expect(runsAfter(row, 3).map(({ text, dim }) => [text, dim])).toEqual([
      ["d", true],
      ["ef", false],
    ]);
    expect(runsAfter(row, 99)).toEqual([]);
  });

  it.each([
    ["\x1b[2mall dim", true],
    ["\x1b[7mT\x1b[0;2mry this", true],
    ["  \x1b[7mT\x1b[0;2mry this", true],
    ["\x1b[7mT\x1b[0mry this", false],
    ["\x1b[7mT", false],
    ["\x1b[2mT", true],
    ["T\x1b[2mry", false],
    ["\x1b[2mTr\x1b[0my", false],
    ["", false],
    ["   ", false],
  ])("%j is a ghost: %s", (row, ghost) => expect(isGhost([runsOf(row)])).toBe(ghost));
});
