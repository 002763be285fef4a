import fc from "fast-check";
import { expect, it } from "vitest";
import { DAY_MS, HOUR_MS, type SpentTurn, withinBudget } from "./budget.ts";

const MINUTE_MS = 60_000;
const turnLimits = fc.record({
  turnsPerHour: fc.integer({ min: 1, max: 4 }),
  turnsPerDay: fc.integer({ min: 1, max: 9 }),
});
const prices = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined });
const turnAt = (startedAt: number, usd: number | undefined, told: Partial<SpentTurn> = {}): SpentTurn => ({
  startedAt,
  isOver: true,
  ...(usd === undefined ? {} : { usd }),
  ...told,
});

it("begins no more turns in any hour or day than allowed, whatever the times, also if the clock is set back", () => {
  const jumps = fc.array(fc.integer({ min: -600, max: 900 }), { maxLength: 80 });
  const law = fc.property(turnLimits, jumps, (limits, course) => {
    const begun: SpentTurn[] = [];
    let now = 100 * DAY_MS;
    for (const jump of course) {
      now += jump * MINUTE_MS;
      const verdict = withinBudget(begun, { ...limits, usdPerDay: 0 }, now);
      if (verdict.kind === "go") begun.push(turnAt(now, undefined, { isOver: false }));
    }
    for (const { startedAt } of begun) {
      const within = (ms: number) =>
        begun.filter((other) => other.startedAt >= startedAt && other.startedAt < startedAt + ms).length;
      expect(within(HOUR_MS)).toBeLessThanOrEqual(limits.turnsPerHour);
      expect(within(DAY_MS)).toBeLessThanOrEqual(limits.turnsPerDay);
    }
  });
  fc.assert(law, { numRuns: 1_000 });
});

it("says the earliest time at which it says go again", () => {
  const turns = fc.array(
    fc.record({
      minutesAgo: fc.integer({ min: 0, max: 1_500 }),
      usd: prices,
      isOver: fc.boolean(),
      isDeclined: fc.boolean(),
    }),
    { maxLength: 15 },
  );
  const law = fc.property(turnLimits, fc.integer({ min: 0, max: 20 }), turns, (limits, usdPerDay, told) => {
    const now = 100 * DAY_MS;
    const spent = told.map(({ minutesAgo, usd, isOver, isDeclined }) =>
      turnAt(now - minutesAgo * MINUTE_MS, usd, { isOver: isOver || isDeclined, isDeclined }),
    );
    const at = (when: number) => withinBudget(spent, { ...limits, usdPerDay }, when);
    const verdict = at(now);
    if (verdict.kind === "go") return;
    expect(verdict.until).toBeGreaterThan(now);
    expect(at(verdict.until)).toEqual({ kind: "go" });
    // It can only change when a turn leaves its window.
    const changes = spent.flatMap(({ startedAt }) => [startedAt + HOUR_MS, startedAt + DAY_MS]);
    for (const when of [...changes, verdict.until - 1])
      if (when > now && when < verdict.until)
        expect(at(when)).toMatchObject({ kind: "spent", until: verdict.until });
  });
  fc.assert(law, { numRuns: 2_000 });
});

it("does not depend on the order of the turns", () => {
  const turns = fc.array(fc.tuple(fc.integer({ min: -1_500, max: 1_500 }), prices, fc.boolean()), {
    maxLength: 12,
  });
  const law = fc.property(turnLimits, turns, (limits, told) => {
    const now = 100 * DAY_MS;
    const spent = told.map(([minutes, usd, isOver], index) =>
      turnAt(now + minutes * MINUTE_MS + index, usd, { isOver }),
    );
    const budget = { ...limits, usdPerDay: 7 };
    expect(withinBudget(spent.toReversed(), budget, now)).toEqual(withinBudget(spent, budget, now));
  });
  fc.assert(law, { numRuns: 1_000 });
});

it("spends no more than a day's money if every turn costs what the last ones did", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 120 }), { maxLength: 60 });
  const law = fc.property(gaps, fc.integer({ min: 1, max: 5 }), (course, usd) => {
    const begun: SpentTurn[] = [];
    let now = 100 * DAY_MS;
    for (const gap of course) {
      now += gap * MINUTE_MS;
      const verdict = withinBudget(begun, { turnsPerHour: 1e3, turnsPerDay: 1e3, usdPerDay: 12 }, now);
      if (verdict.kind === "go") begun.push(turnAt(now, usd));
    }
    for (const { startedAt } of begun) {
      const day = begun.filter((one) => one.startedAt >= startedAt && one.startedAt < startedAt + DAY_MS);
      expect(day.length * usd).toBeLessThanOrEqual(12);
    }
  });
  fc.assert(law, { numRuns: 500 });
});
