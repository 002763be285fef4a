import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawnIn, layoutOf, offsetOf, topToReveal, totalHeight } from "./window.ts";

const heights = fc.array(fc.constantFrom(32, 44, 64), { maxLength: 200 });
const view = fc.record({
  top: fc.integer({ min: -500, max: 15_000 }),
  height: fc.integer({ min: 1, max: 900 }),
});
const laidOut = (all: readonly number[]) => layoutOf(all, (height) => height);

describe("the window over a list", () => {
  it("draws every row that is in view", () => {
    fc.assert(
      fc.property(heights, view, fc.constantFrom(0, 400), (all, seen, around) => {
        const layout = laidOut(all);
        const { first, end } = drawnIn(layout, seen, around);
        for (const index of all.keys()) {
          const [from, to] = [offsetOf(layout, index), offsetOf(layout, index + 1)];
          const isInView = to > seen.top && from < seen.top + seen.height;
          if (isInView) expect(index >= first && index < end).toBe(true);
        }
      }),
    );
  });

  it("draws few of many, wherever it is", () => {
    const layout = laidOut(Array(10_000).fill(44));
    for (const top of [-1_000, 0, 220_000, 440_000, 1e9]) {
      const { first, end } = drawnIn(layout, { top, height: 900 });
      expect(end - first).toBeLessThan(50);
      expect(end).toBeLessThanOrEqual(10_000);
    }
    expect(totalHeight(layout)).toBe(440_000);
  });

  it("draws nothing of nothing", () => {
    expect(drawnIn(laidOut([]), { top: 0, height: 900 })).toEqual({ first: 0, end: 0 });
  });

  it("moves no further than it takes to see a row whole", () => {
    fc.assert(
      fc.property(heights, view, fc.nat(199), (all, seen, index) => {
        fc.pre(index < all.length && seen.height >= 64);
        const layout = laidOut(all);
        const top = topToReveal(layout, index, seen) ?? seen.top;
        expect(offsetOf(layout, index)).toBeGreaterThanOrEqual(top);
        expect(offsetOf(layout, index + 1)).toBeLessThanOrEqual(top + seen.height);
      }),
    );
  });
});
