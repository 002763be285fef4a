import fc from "fast-check";
import { expect, it } from "vitest";
import { nextTurn } from "./batch.ts";

const instants = fc.integer({ min: 0, max: 100_000 });
const some = fc.record({
  queuedAt: fc.array(instants, { maxLength: 30 }),
  rules: fc.record({
    debounceMs: fc.integer({ min: 0, max: 5_000 }),
    maxBatchSize: fc.integer({ min: 1, max: 25 }),
  }),
  now: instants,
});
const runs = { numRuns: 2_000 };

it("goes with some of what waits and never with more than the maximum; at once when it is reached", () => {
  const law = fc.property(some, ({ queuedAt, rules, now }) => {
    const next = nextTurn(queuedAt, rules, now);
    expect(next.kind === "nothing").toBe(queuedAt.length === 0);
    if (next.kind === "go") expect(next.count).toBe(Math.min(queuedAt.length, rules.maxBatchSize));
    if (queuedAt.length >= rules.maxBatchSize) expect(next.kind).toBe("go");
  });
  fc.assert(law, runs);
});

it("never waits longer than ten windows after the oldest, nor one after the newest, and goes when it said", () => {
  const law = fc.property(some, ({ queuedAt, rules, now }) => {
    const next = nextTurn(queuedAt, rules, now);
    if (next.kind !== "wait") return;
    expect(next.until).toBeGreaterThan(now);
    expect(next.until).toBeLessThanOrEqual(Math.min(...queuedAt) + 10 * rules.debounceMs);
    expect(next.until).toBeLessThanOrEqual(Math.max(...queuedAt) + rules.debounceMs);
    expect(nextTurn(queuedAt, rules, next.until)).toEqual({ kind: "go", count: queuedAt.length });
    expect(nextTurn(queuedAt, rules, next.until - 1).kind).toBe("wait");
  });
  fc.assert(law, runs);
});

it("never waits for more than a window at a time, however the clock jumps", () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: -20_000, max: 3_000 }), fc.boolean()), { maxLength: 60 });
  const law = fc.property(steps, fc.integer({ min: 1, max: 3_000 }), (course, debounceMs) => {
    let now = 2_000_000;
    let waiting: number[] = [];
    for (const [jump, arrives] of course) {
      now += jump;
      if (arrives) waiting.push(now);
      const next = nextTurn(waiting, { debounceMs, maxBatchSize: 20 }, now);
      if (next.kind === "wait") expect(next.until - now).toBeLessThanOrEqual(debounceMs);
      if (next.kind === "go") waiting = waiting.slice(next.count);
    }
  });
  fc.assert(law, { numRuns: 500 });
});
