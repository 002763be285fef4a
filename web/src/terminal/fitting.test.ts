import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fontSizeFor, linesMoved, scrolledTo } from "./fitting.ts";

const CELL = { across: 0.602, down: 1.17 };

describe("the size of letters", () => {
  it.each([
    [1200, 2000, 80, 14],
    [500, 2000, 80, 10.25],
    [388, 2000, 100, 7],
    [0, 0, 80, 14],
    // 24 rows.
    [1200, 330, 80, 11.75],
    [1200, 100, 80, 10],
    [388, 100, 100, 7],
  ])("%d by %d px for %d columns", (across, down, cols, size) => {
    expect(fontSizeFor({ across, down }, { across: cols, down: 24 }, CELL)).toBe(size);
  });

  it("fits its width, if it is not the smallest, and its height, if that leaves it readable", () => {
    const pixels = fc.integer({ min: 100, max: 3000 });
    const cells = fc.integer({ min: 2, max: 500 });
    const ratio = fc.double({ min: 0.5, max: 1.3, noNaN: true });
    fc.assert(
      fc.property(pixels, pixels, cells, cells, ratio, ratio, (width, height, cols, rows, across, down) => {
        const size = fontSizeFor(
          { across: width, down: height },
          { across: cols, down: rows },
          { across, down },
        );
        expect(size === 7 || size * cols * across <= width).toBe(true);
        expect(size <= 10 || size * rows * down <= height).toBe(true);
      }),
    );
  });
});

describe("the row of the cursor", () => {
  it.each([
    [30, 0, 240],
    [5, 0, undefined],
    [2, 200, 10],
    [0, 200, 0],
    [0, 0, 0],
  ])("row %d, seen from %d, is scrolled to %d", (row, top, to) => {
    expect(scrolledTo(row, 10, { top, height: 80 })).toBe(to);
  });
});

describe("a finger on a terminal", () => {
  it("moves it by whole lines, and nothing is lost", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 50 }), (moves) => {
        let [rest, lines] = [0, 0];
        for (const move of moves) {
          const moved = linesMoved(rest + move, 15);
          rest = moved.rest;
          lines += moved.lines;
        }
        const all = moves.reduce((sum, move) => sum + move, 0);
        expect(lines * 15 + rest).toBe(all);
        expect(Math.abs(rest)).toBeLessThan(15);
      }),
    );
  });
});
