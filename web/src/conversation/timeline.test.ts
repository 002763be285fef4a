import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  EMPTY,
  isFrom,
  mayBeStale,
  nameIn,
  type Timeline,
  withNewest,
  withOlder,
  withRenewed,
} from "./timeline.ts";
import type { ToldEntry, ToldPage } from "./told.ts";

const told = (number: number, state: ToldEntry["state"] = "delivered"): ToldEntry => ({
  id: `m${number}.1`,
  to: "agent/api",
  from: "person/dev",
  state,
  message_id: `m${number}`,
  short_id: `s${number}`,
  priority: "normal",
  queued_at: number,
  preview: "",
  number,
  changed_at: number,
  characters: 0,
  source: "person",
});

/** As the daemon tells it: so many before this one, and from where on there are older ones. */
function pageOf(all: readonly ToldEntry[], limit: number, before = Number.POSITIVE_INFINITY): ToldPage {
  const found = all.filter(({ number }) => number < before).slice(-limit);
  const next = found.length < limit ? undefined : found[0]?.number;
  return next === undefined ? { entries: found } : { entries: found, before: next };
}

const numbers = ({ entries }: Timeline) => entries.map(({ number }) => number);

describe("a timeline", () => {
  it("is one stretch without a gap that ends with the newest, whatever comes in between", () => {
    const step = fc.oneof(
      fc.record({ does: fc.constant("come" as const), count: fc.integer({ min: 0, max: 12 }) }),
      fc.record({ does: fc.constant("newest" as const), count: fc.constant(0) }),
      fc.record({ does: fc.constant("older" as const), count: fc.constant(0) }),
      fc.record({ does: fc.constant("renew" as const), count: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const all: ToldEntry[] = [];
        let known = EMPTY;
        let asked = 0;
        for (const { does, count } of steps) {
          asked += 1;
          if (does === "come") for (let one = 0; one < count; one += 1) all.push(told(all.length + 1));
          if (does === "newest") known = withNewest(known, pageOf(all, 5), asked);
          if (does === "older" && known.before !== undefined)
            known = withOlder(known, pageOf(all, 5, known.before), asked);
          const until = known.entries[count]?.number;
          if (does === "renew" && until !== undefined)
            known = withRenewed(known, pageOf(all, 5, until + 1), until, asked);
          const shown = numbers(known);
          const [first = 1] = shown;
          expect(shown).toEqual(shown.map((_, index) => first + index));
          if (shown.length > 0)
            expect(known.before === undefined).toBe(first === 1 && known.before === undefined);
          if (known.before === undefined && shown.length > 0) expect(first).toBe(1);
        }
        known = withNewest(known, pageOf(all, 5), asked);
        expect(numbers(known).at(-1)).toBe(all.at(-1)?.number);
      }),
    );
  });

  it("takes over what changed, and forgets what is gone", () => {
    const all = [1, 2, 3, 4].map((number) => told(number, "queued"));
    let known = withNewest(EMPTY, pageOf(all, 10), 1);
    known = withRenewed(known, { entries: [told(1, "delivered"), told(3, "cancelled")], before: 1 }, 3, 2);
    expect(known.entries.map(({ number, state }) => [number, state])).toEqual([
      [1, "delivered"],
      [3, "cancelled"],
      [4, "queued"],
    ]);
  });

  it("stays if nothing of this agent is among the newest, however many others wrote", () => {
    const known = withNewest(
      EMPTY,
      pageOf(
        [1, 2, 3].map((number) => told(number, "delivered")),
        10,
      ),
      1,
    );
    expect(numbers(withNewest(known, { entries: [], before: 400_000 }, 2))).toEqual([1, 2, 3]);
    expect(withNewest(EMPTY, { entries: [], before: 400_000 }, 1)).toEqual({ entries: [], before: 400_000 });
  });

  it("knows what may have changed since it was asked for", () => {
    const { entries } = withNewest(EMPTY, { entries: [told(1, "delivered"), told(2, "replied")] }, 1);
    expect(mayBeStale(entries, 1)).toBe(false);
    expect(mayBeStale(entries, 2)).toBe(true);
    expect(mayBeStale(entries.slice(1), 2)).toBe(false);
  });
});

it("does not take a person for the agent of the same name", () => {
  expect(
    ["agent/api", "person/api", "session/api", "agent/api/x"].map((from) => isFrom(from, "api")),
  ).toEqual([true, false, false, false]);
});

it("calls everybody by name, and a path by all of it", () => {
  expect(["agent/api", "person/dev", "slack/team/#general", "agent/a/b"].map(nameIn)).toEqual([
    "api",
    "dev",
    "slack/team/#general",
    "a/b",
  ]);
});
