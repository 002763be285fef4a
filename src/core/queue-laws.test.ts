import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS, type Release } from "./message.ts";
import { PRIORITIES } from "./priority.ts";
import { type Choice, choose, type QueuePolicy, type Waiting } from "./queue.ts";
import type { Readiness, ReadinessKind } from "./readiness/readiness.ts";

const KINDS: readonly ReadinessKind[] = ["starting", "idle", "busy", "blocked", "exited", "unknown"];

function be(kind: ReadinessKind): Readiness {
  return { kind, because: "a test says so" };
}

function delivered(choice: Choice): readonly string[] {
  return choice.kind === "deliver" ? choice.deliveryIds : [];
}

describe("choose, for any queue", () => {
  const release: fc.Arbitrary<Release> = fc.constantFrom("by-rule", "by-rule", "now", "withheld");
  const waiting = fc
    .array(
      fc.record({
        priority: fc.constantFrom(...PRIORITIES),
        position: fc.integer({ min: 0, max: 12 }),
        raw: fc.boolean(),
        release,
      }),
      { maxLength: 25 },
    )
    .map((items) => items.map((each, index) => ({ ...each, deliveryId: `d${index}`, shortId: `d${index}` })));
  const anyPolicy = fc.record({
    agent: fc.constant("coder"),
    paused: fc.boolean(),
    maxBatch: fc.integer({ min: 0, max: 20 }),
    reachesBusy: fc.boolean(),
  });
  const kind = fc.constantFrom(...KINDS);
  const check = (
    property: (items: readonly Waiting[], choice: Choice, readiness: Readiness, policy: QueuePolicy) => void,
  ) =>
    fc.assert(
      fc.property(waiting, kind, anyPolicy, (items, state, rules) => {
        property(items, choose(items, be(state), rules), be(state), rules);
      }),
      { numRuns: 1_000 },
    );
  const chosen = (items: readonly Waiting[], choice: Choice): readonly Waiting[] =>
    delivered(choice).flatMap((id) => items.find(({ deliveryId }) => deliveryId === id) ?? []);

  it("chooses each delivery once, or gives it exactly one hold", () => {
    check((items, choice) => {
      const held = choice.kind === "nothing" ? [] : choice.holds.map(({ deliveryId }) => deliveryId);
      expect([...delivered(choice), ...held].toSorted()).toEqual(
        items.map(({ deliveryId }) => deliveryId).toSorted(),
      );
    });
  });

  it("says of every hold what would release it", () => {
    check((_items, choice) => {
      if (choice.kind !== "nothing")
        for (const { release: until } of choice.holds) expect(until).toMatch(/^when /);
    });
  });

  it("never delivers what is withheld, nor anything to a program that has ended", () => {
    check((items, choice, readiness) => {
      expect(chosen(items, choice).filter((each) => each.release === "withheld")).toEqual([]);
      if (readiness.kind === "exited") expect(delivered(choice)).toEqual([]);
    });
  });

  it("keeps to the batch's maximum, and raw alone", () => {
    check((items, choice, _readiness, { maxBatch }) => {
      const batch = chosen(items, choice);
      expect(batch.length).toBeLessThanOrEqual(Math.min(LIMITS.batch, Math.max(1, maxBatch)));
      if (batch.some(({ raw }) => raw)) expect(batch).toHaveLength(1);
    });
  });

  it("lets only interrupts and released ones through a pause", () => {
    check((items, choice, _readiness, { paused }) => {
      if (!paused) return;
      for (const each of chosen(items, choice))
        expect(each.priority === "interrupt" || each.release === "now").toBe(true);
    });
  });

  it("lets into a dialog nothing but raw answers and interrupts", () => {
    check((items, choice, readiness) => {
      if (readiness.kind !== "blocked") return;
      for (const each of chosen(items, choice)) expect(each.raw || each.priority === "interrupt").toBe(true);
    });
  });

  it("mixes interrupts with nothing else unless idle, and interrupts only for them", () => {
    check((items, choice, readiness) => {
      if (choice.kind !== "deliver") return;
      const batch = chosen(items, choice);
      const interrupts = batch.filter(({ priority, raw }) => priority === "interrupt" && !raw);
      if (readiness.kind !== "idle") expect([0, batch.length]).toContain(interrupts.length);
      expect(choice.interrupting).toBe(readiness.kind !== "idle" && interrupts.length > 0);
    });
  });

  it("keeps the drain order inside a batch, and passes over nothing that is open when idle", () => {
    const rank = ({ priority, release: said }: Waiting) =>
      priority === "interrupt" ? 0 : said === "now" ? 1 : 2 + PRIORITIES.indexOf(priority);
    check((items, choice, readiness, { paused }) => {
      const batch = chosen(items, choice);
      for (const [index, later] of batch.entries()) {
        const earlier = batch[index - 1];
        if (earlier === undefined) continue;
        expect(rank(earlier)).toBeLessThanOrEqual(rank(later));
        if (rank(earlier) !== rank(later) || earlier.priority !== later.priority) continue;
        const [lower, higher] = later.priority === "idle-first" ? [later, earlier] : [earlier, later];
        expect(lower.position).toBeLessThanOrEqual(higher.position);
      }
      if (readiness.kind !== "idle" || paused) return;
      const last = Math.max(-1, ...batch.map(rank));
      for (const each of items) {
        if (each.release !== "withheld" && !batch.includes(each))
          expect(rank(each)).toBeGreaterThanOrEqual(last);
      }
    });
  });

  it("waits only when nothing is open: an idle program takes what is not held by a person", () => {
    check((items, choice, readiness, { paused }) => {
      if (readiness.kind !== "idle" || paused) return;
      expect(choice.kind === "deliver").toBe(items.some((each) => each.release !== "withheld"));
    });
  });

  it("gives the same answer for the same queue in any order", () => {
    const shuffled = waiting.chain((items) =>
      fc.tuple(
        fc.constant(items),
        fc.shuffledSubarray(items, { minLength: items.length, maxLength: items.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, kind, anyPolicy, ([items, other], state, rules) => {
        expect(choose(other, be(state), rules)).toEqual(choose(items, be(state), rules));
      }),
    );
  });
});
