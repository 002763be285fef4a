import { describe, expect, it } from "vitest";
import { INERT_MS, isInert, type Places, settle, settledInMs } from "./settling.ts";

const seen = (places: Record<string, string>) => new Map(Object.entries(places));

describe("a card", () => {
  it("is inert until it has stood still for half a second", () => {
    const places = settle(new Map(), seen({ one: "0" }), 1_000);
    expect(isInert(places, "one", 1_000)).toBe(true);
    expect(isInert(places, "one", 1_000 + INERT_MS - 1)).toBe(true);
    expect(isInert(places, "one", 1_000 + INERT_MS)).toBe(false);
  });

  it("is not made inert by being drawn again in the same place", () => {
    let places: Places = new Map();
    for (let now = 0; now <= INERT_MS; now += 16) places = settle(places, seen({ one: "0" }), now);
    expect(isInert(places, "one", INERT_MS)).toBe(false);
  });

  it("has the very same place if nothing has moved, so that nothing is drawn for it", () => {
    const places = settle(new Map(), seen({ one: "0", two: "80" }), 0);
    expect(settle(places, seen({ one: "0", two: "80" }), 9_000)).toBe(places);
    expect(settle(places, seen({ one: "0" }), 9_000)).not.toBe(places);
  });

  it("is inert again when one above it comes or goes, or when it says something else", () => {
    const first = settle(new Map(), seen({ two: "80 rm" }), 0);
    for (const at of ["0 rm", "160 rm", "80 rm -rf"]) {
      const moved = settle(first, seen({ two: at }), 5_000);
      expect(isInert(moved, "two", 5_000 + INERT_MS - 1)).toBe(true);
      expect(isInert(moved, "two", 5_000 + INERT_MS)).toBe(false);
    }
  });

  it("is inert when it comes back after it was gone", () => {
    const there = settle(new Map(), seen({ one: "0" }), 0);
    const gone = settle(there, seen({}), 5_000);
    expect(isInert(settle(gone, seen({ one: "0" }), 9_000), "one", 9_100)).toBe(true);
  });

  it("is inert if it was never seen", () => {
    expect(isInert(new Map(), "one", 1e12)).toBe(true);
  });
});

it("says when all have settled", () => {
  const places = settle(settle(new Map(), seen({ one: "0" }), 0), seen({ one: "0", two: "80" }), 300);
  expect(settledInMs(places, 300)).toBe(INERT_MS);
  expect(settledInMs(places, 700)).toBe(100);
  expect(settledInMs(places, 800)).toBeUndefined();
  expect(settledInMs(new Map(), 0)).toBeUndefined();
});
