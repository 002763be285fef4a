import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fontSizeFor, linesMoved } from "./fitting.ts";

describe("the size of letters", () => {
  it.each([
    [1200, 80, 14],
    [500, 80, 10.25],
    [388, 100, 7],
    [0, 80, 14],
  ])("%d px for %d columns", (width, cols, size) => {
    expect(fontSizeFor(width, cols, 0.602)).toBe(size);
  });

  it("fits, if it is not the smallest", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 3000 }),
        fc.integer({ min: 2, max: 500 }),
        fc.double({ min: 0.5, max: 0.7, noNaN: true }),
        (width, cols, ratio) => {
          const size = fontSizeFor(width, cols, ratio);
          expect(size === 7 || size * cols * ratio <= width).toBe(true);
        },
      ),
    );
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
