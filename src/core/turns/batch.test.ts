import { describe, expect, it } from "vitest";
import { nextTurn } from "./batch.ts";

const rules = { debounceMs: 3_000, maxBatchSize: 20 };
const many = (count: number, at = 0): number[] => Array.from({ length: count }, () => at);

describe("when waiting messages become a turn", () => {
  it("is never without messages", () => {
    expect(nextTurn([], rules, 5)).toEqual({ kind: "nothing" });
    expect(nextTurn([], { debounceMs: 0, maxBatchSize: 0 }, 5)).toEqual({ kind: "nothing" });
  });

  it("is one window after the newest", () => {
    expect(nextTurn([100, 500], rules, 600)).toEqual({ kind: "wait", until: 3_500 });
    expect(nextTurn([100, 500], rules, 3_499)).toEqual({ kind: "wait", until: 3_500 });
    expect(nextTurn([100, 500], rules, 3_500)).toEqual({ kind: "go", count: 2 });
  });

  it("is at once when there are enough, and the rest go in the next one", () => {
    expect(nextTurn(many(19), rules, 0)).toEqual({ kind: "wait", until: 3_000 });
    expect(nextTurn(many(20), rules, 0)).toEqual({ kind: "go", count: 20 });
    expect(nextTurn(many(30), rules, 0)).toEqual({ kind: "go", count: 20 });
    expect(nextTurn(many(10), rules, 60_000)).toEqual({ kind: "go", count: 10 });
  });

  it("is after ten windows at the latest, if someone writes without a pause", () => {
    expect(nextTurn([0, 29_000], rules, 29_500)).toEqual({ kind: "wait", until: 30_000 });
    expect(nextTurn([0, 29_999], rules, 30_000)).toEqual({ kind: "go", count: 2 });
  });

  it("is at once without a window, and with a batch of one", () => {
    expect(nextTurn([7], { debounceMs: 0, maxBatchSize: 20 }, 7)).toEqual({ kind: "go", count: 1 });
    expect(nextTurn([7, 7], { ...rules, maxBatchSize: 1 }, 7)).toEqual({ kind: "go", count: 1 });
  });

  it("is with one message at least, even if none is allowed", () => {
    expect(nextTurn([7, 7], { ...rules, maxBatchSize: 0 }, 7)).toEqual({ kind: "go", count: 1 });
  });

  it("is at once if the clock was set back", () => {
    expect(nextTurn([3_600_000], rules, 1_000)).toEqual({ kind: "go", count: 1 });
    expect(nextTurn([500, 3_600_000], rules, 1_000)).toEqual({ kind: "go", count: 2 });
  });
});
