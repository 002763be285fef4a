import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ageOf, CLOCKS_DIFFER_MS, LETTERS_KNOWN_MS } from "./ages.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
const NOW = 1_000 * DAY;

function aged(engineMs: number, sentMsAgo: number) {
  return ageOf({ engineMs, sentAt: NOW - sentMsAgo, now: NOW });
}

describe("the age of a letter", () => {
  it("is what the engine says, while the clocks do not contradict it by hours", () => {
    for (const skewMs of [-2 * HOUR, -HOUR, 0, HOUR, 2 * HOUR])
      expect(aged(5_000, 5_000 + skewMs).ms).toBe(5_000);
  });

  it("does not begin anew because the engine stored it again", () => {
    expect(aged(0, 3 * DAY).ms).toBe(3 * DAY - CLOCKS_DIFFER_MS);
  });

  it("does not grow by what the engine stamps on it", () => {
    expect(aged(1_000 * DAY, 5_000).ms).toBe(5_000 + CLOCKS_DIFFER_MS);
    expect(aged(1_000 * DAY, -7 * DAY).ms).toBe(0);
  });

  it("is too much long before it would be taken for a new one", () => {
    expect(aged(0, 14 * DAY).isTooOld).toBe(false);
    expect(aged(0, 25 * DAY).isTooOld).toBe(false);
    expect(aged(0, 25 * DAY + 1).isTooOld).toBe(true);
    expect(LETTERS_KNOWN_MS - 25 * DAY).toBeGreaterThan(DAY);
  });

  it("is never negative, whatever anybody says", () => {
    const any = fc.integer({ min: -1e13, max: 1e13 });
    fc.assert(
      fc.property(fc.nat(), any, (engineMs, ago) => {
        expect(aged(engineMs, ago).ms).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
