import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, type SpentTurn, spentTurn, type TurnBudget, withinBudget } from "./budget.ts";
import { TURN_STATES, type Turn } from "./turn.ts";

const NOW = 10 * DAY_MS;
const budget = (told: Partial<TurnBudget> = {}): TurnBudget => ({
  turnsPerHour: 20,
  turnsPerDay: 100,
  usdPerDay: 10,
  ...told,
});
const ago = (ms: number, told: Partial<SpentTurn> = {}): SpentTurn => ({
  startedAt: NOW - ms,
  isOver: true,
  ...told,
});
const spent = (limit: keyof TurnBudget, until: number) => ({ kind: "spent", limit, until });
const GO = { kind: "go" };

describe("the number of turns", () => {
  it("is counted over the last hour and the last day", () => {
    const two = [ago(HOUR_MS - 1), ago(5)];
    expect(withinBudget([], budget(), NOW)).toEqual(GO);
    expect(withinBudget(two, budget({ turnsPerHour: 3 }), NOW)).toEqual(GO);
    expect(withinBudget(two, budget({ turnsPerHour: 2 }), NOW)).toEqual(spent("turnsPerHour", NOW + 1));
    expect(withinBudget(two, budget({ turnsPerHour: 1 }), NOW)).toEqual(
      spent("turnsPerHour", NOW - 5 + HOUR_MS),
    );
    expect(withinBudget([ago(HOUR_MS), ago(5)], budget({ turnsPerHour: 2 }), NOW)).toEqual(GO);
    expect(withinBudget([ago(DAY_MS - 1)], budget({ turnsPerDay: 1 }), NOW)).toEqual(
      spent("turnsPerDay", NOW + 1),
    );
    expect(withinBudget([ago(DAY_MS)], budget({ turnsPerDay: 1 }), NOW)).toEqual(GO);
  });

  it("names the limit that lasts longest", () => {
    expect(withinBudget([ago(5)], budget({ turnsPerHour: 1, turnsPerDay: 1 }), NOW)).toEqual(
      spent("turnsPerDay", NOW - 5 + DAY_MS),
    );
  });

  it("is 0: none starts, whatever happened", () => {
    for (const turns of [[], [ago(5)], [ago(5), ago(7)]]) {
      expect(withinBudget(turns, budget({ turnsPerHour: 0 }), NOW)).toEqual(
        spent("turnsPerHour", NOW + HOUR_MS),
      );
      expect(withinBudget(turns, budget({ turnsPerDay: 0 }), NOW)).toEqual(
        spent("turnsPerDay", NOW + DAY_MS),
      );
    }
  });

  it("counts one from the moment it is recorded, and no longer once it is declined", () => {
    const one = budget({ turnsPerHour: 1 });
    expect(withinBudget([ago(0, { isOver: false })], one, NOW)).toMatchObject({ kind: "spent" });
    expect(withinBudget([ago(0, { isDeclined: true })], one, NOW)).toEqual(GO);
  });

  it("counts what lies ahead of a clock that was set back, but not for longer than it was wrong by", () => {
    const one = budget({ turnsPerHour: 1 });
    expect(withinBudget([ago(-5_000)], one, NOW)).toEqual(spent("turnsPerHour", NOW + 5_000 + HOUR_MS));
    expect(withinBudget([ago(-365 * DAY_MS)], one, NOW)).toEqual(GO);
  });

  it("opens only when a turn that lies ahead does not close it again at once", () => {
    const one = budget({ turnsPerHour: 1 });
    const turns = [ago(5), ago(-HOUR_MS - 10)];
    expect(withinBudget(turns, one, NOW)).toEqual(spent("turnsPerHour", NOW + 2 * HOUR_MS + 10));
  });
});

describe("the money", () => {
  it("is what was reported over the last day, and the next turn must fit in, at the average price", () => {
    expect(withinBudget([ago(5, { usd: 4 })], budget(), NOW)).toEqual(GO);
    expect(withinBudget([ago(5, { usd: 5 })], budget(), NOW)).toEqual(GO);
    expect(withinBudget([ago(5, { usd: 6 })], budget(), NOW)).toEqual(spent("usdPerDay", NOW - 5 + DAY_MS));
    expect(withinBudget([ago(DAY_MS, { usd: 99 })], budget(), NOW)).toEqual(GO);
  });

  it("is not limited by 0", () => {
    expect(withinBudget([ago(5, { usd: 1e9 })], budget({ usdPerDay: 0 }), NOW)).toEqual(GO);
  });

  it("reserves the average for each turn that runs, even if its triage is already paid", () => {
    const paid = ago(9, { usd: 4 });
    expect(withinBudget([paid], budget(), NOW)).toEqual(GO);
    const running = ago(5, { isOver: false });
    expect(withinBudget([paid, running], budget(), NOW)).toMatchObject({ limit: "usdPerDay" });
    expect(withinBudget([paid, { ...running, usd: 0.01 }], budget(), NOW)).toMatchObject({
      limit: "usdPerDay",
    });
  });

  it("includes the triage of what was declined, which says nothing about the price of a turn", () => {
    const declined = ago(5, { usd: 1, isDeclined: true });
    expect(withinBudget(Array(9).fill(declined), budget(), NOW)).toEqual(GO);
    expect(withinBudget(Array(10).fill(declined), budget(), NOW)).toMatchObject({ limit: "usdPerDay" });
    expect(withinBudget([declined, ago(9, { usd: 5 })], budget(), NOW)).toMatchObject({ limit: "usdPerDay" });
  });

  it("counts one that was cut off, and told no price, like one that runs", () => {
    const paid = ago(9, { usd: 4 });
    expect(withinBudget([paid, ago(5)], budget(), NOW)).toEqual(GO);
    expect(withinBudget([paid, ago(5, { isUnpriced: true })], budget(), NOW)).toMatchObject({
      limit: "usdPerDay",
    });
  });

  it("is unknown if the program does not tell, or reports nonsense: then only turns are counted", () => {
    for (const usd of [Number.NaN, Number.POSITIVE_INFINITY, -5])
      expect(withinBudget([ago(5, { usd })], budget(), NOW)).toEqual(GO);
    expect(withinBudget([ago(5), ago(6, { isOver: false })], budget(), NOW)).toEqual(GO);
    expect(withinBudget([ago(5, { usd: Number.NaN }), ago(9, { usd: 11 })], budget(), NOW)).toMatchObject({
      limit: "usdPerDay",
    });
  });

  it("is free again after as many have left as must, not only the first", () => {
    const turns = [ago(30, { usd: 1 }), ago(20, { usd: 9 }), ago(10, { usd: 1 })];
    expect(withinBudget(turns, budget(), NOW)).toEqual(spent("usdPerDay", NOW - 20 + DAY_MS));
  });
});

it("a turn is over unless it is open, and only a declined one is no turn", () => {
  const turn: Turn = {
    id: "t",
    agent: "coder",
    sessionId: "08bc57cf",
    runner: "claude",
    deliveries: [],
    state: "triage",
    triggered: false,
    again: false,
    startedAt: 7,
  };
  const shown = TURN_STATES.map((state) => [state, spentTurn({ ...turn, state, usd: 1 })] as const);
  expect(shown.filter(([, { isOver }]) => !isOver).map(([state]) => state)).toEqual([
    "triage",
    "running",
    "answering",
    "telling",
  ]);
  expect(shown.filter(([, { isDeclined }]) => isDeclined === true).map(([state]) => state)).toEqual([
    "declined",
  ]);
  expect(spentTurn(turn)).toEqual({ startedAt: 7, isOver: false, isDeclined: false, isUnpriced: false });
  const process = { pid: 1, startedAt: "1" };
  const cutOff = TURN_STATES.filter((state) => spentTurn({ ...turn, state, process }).isUnpriced === true);
  expect(cutOff).toEqual(["failed", "declined", "interrupted", "stopped"]);
});
