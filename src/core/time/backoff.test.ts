import fc from "fast-check";
import { expect, it } from "vitest";
import { backoffMs } from "./backoff.ts";

const limits = { firstMs: 50, longestMs: 2_000 };

it("doubles from the first pause to the longest", () => {
  expect(Array.from({ length: 8 }, (_, attempt) => backoffMs(limits, attempt))).toEqual([
    50, 100, 200, 400, 800, 1_600, 2_000, 2_000,
  ]);
});

it("never passes its limits, however often it is asked, and jitter takes half of it at most", () => {
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, jitter) => {
      const whole = backoffMs(limits, attempt);
      expect(whole).toBeGreaterThanOrEqual(limits.firstMs);
      expect(whole).toBeLessThanOrEqual(limits.longestMs);
      const less = backoffMs(limits, attempt, jitter);
      expect(less).toBeLessThanOrEqual(whole);
      expect(less).toBeGreaterThanOrEqual(whole / 2);
    }),
  );
});
