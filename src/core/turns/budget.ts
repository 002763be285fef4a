/** Whether another turn may start: turns an hour and a day, and money a day, with what is reserved for those that run. */
import type { Instant } from "../message.ts";
import { OPEN_TURN_STATES, type Turn } from "./turn.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** No turns are allowed with 0 turns. */
export interface TurnBudget {
  readonly turnsPerHour: number;
  readonly turnsPerDay: number;
  /** 0: money is not limited. */
  readonly usdPerDay: number;
}

/** A turn of the last day. It counts from the moment that it is recorded, so recording it reserves its place. */
export interface SpentTurn {
  readonly startedAt: Instant;
  /** As its program reported it so far; undefined if it does not tell. */
  readonly usd?: number;
  readonly isOver: boolean;
  /** It cost its triage, but was no turn. */
  readonly isDeclined?: boolean;
  /** It was cut off, and nobody knows what it has cost. */
  readonly isUnpriced?: boolean;
}

export type BudgetVerdict =
  | { readonly kind: "go" }
  /** `until`: when it says go again if nothing else happens; ask again whenever a turn ends. With 0 turns it never does. */
  | { readonly kind: "spent"; readonly limit: keyof TurnBudget; readonly until: Instant };

export function spentTurn({ startedAt, usd, state, process }: Turn): SpentTurn {
  const isOver = !OPEN_TURN_STATES.some((open) => open === state);
  return {
    startedAt,
    isOver,
    isDeclined: state === "declined",
    isUnpriced: isOver && state !== "done" && process !== undefined && usd === undefined,
    ...(usd === undefined ? {} : { usd }),
  };
}

/** The last day of one agent, in any order. */
export function withinBudget(turns: readonly SpentTurn[], budget: TurnBudget, now: Instant): BudgetVerdict {
  const inOrder = turns.toSorted((a, b) => a.startedAt - b.startedAt);
  let spent = longestSpent(inOrder, budget, now);
  if (spent === undefined) return { kind: "go" };
  if (budget.turnsPerHour <= 0 || budget.turnsPerDay <= 0) return spent;
  // When one limit opens, another may have closed.
  for (;;) {
    const next = longestSpent(inOrder, budget, spent.until);
    if (next === undefined) return spent;
    spent = next;
  }
}

type Spent = Extract<BudgetVerdict, { kind: "spent" }>;

/** Each limit says a time before which it does not open: the latest is what the person wants to know. */
function longestSpent(turns: readonly SpentTurn[], budget: TurnBudget, at: Instant): Spent | undefined {
  const begun = turns.filter(({ isDeclined }) => isDeclined !== true);
  return [
    full("turnsPerDay", near(begun, at, DAY_MS), budget.turnsPerDay, DAY_MS, at),
    full("turnsPerHour", near(begun, at, HOUR_MS), budget.turnsPerHour, HOUR_MS, at),
    tooDear(near(turns, at, DAY_MS), budget.usdPerDay),
  ].reduce(
    (latest, one) => (one !== undefined && one.until > (latest?.until ?? at) ? one : latest),
    undefined,
  );
}

/**
 * All that share a window with this moment. If the clock was set back, some lie ahead of it; those that lie further
 * ahead than a window do not count, or a clock that was once wrong by a year would stop an agent for a year.
 */
function near(turns: readonly SpentTurn[], at: Instant, windowMs: number): readonly SpentTurn[] {
  return turns.filter(({ startedAt }) => Math.abs(startedAt - at) < windowMs);
}

function full(
  limit: "turnsPerHour" | "turnsPerDay",
  turns: readonly SpentTurn[],
  most: number,
  windowMs: number,
  at: Instant,
): Spent | undefined {
  if (most <= 0) return { kind: "spent", limit, until: at + windowMs };
  const mustLeave = turns[turns.length - most];
  return mustLeave === undefined
    ? undefined
    : { kind: "spent", limit, until: mustLeave.startedAt + windowMs };
}

/**
 * The next turn, each that runs and each that was cut off count as one of average price, so that many at once, or many
 * in vain, do not spend more than they may.
 */
function tooDear(turns: readonly SpentTurn[], most: number): Spent | undefined {
  if (most <= 0) return undefined;
  let leaves: Instant | undefined;
  const sums = { paid: 0, open: 0, openPaid: 0, priced: 0, pricedTurns: 0 };
  // From the newest, because the oldest leave first: the last one that makes it too dear must leave.
  for (const turn of turns.toReversed()) {
    const usd = priceOf(turn);
    if (!turn.isOver || turn.isUnpriced === true) {
      sums.open += 1;
      sums.openPaid += usd ?? 0;
    } else {
      sums.paid += usd ?? 0;
      if (turn.isDeclined !== true && usd !== undefined) {
        sums.priced += usd;
        sums.pricedTurns += 1;
      }
    }
    const average = sums.pricedTurns === 0 ? 0 : sums.priced / sums.pricedTurns;
    const spent = sums.paid + Math.max(sums.openPaid, sums.open * average);
    if (spent >= most || spent + average > most) leaves ??= turn.startedAt;
    else leaves = undefined;
  }
  return leaves === undefined ? undefined : { kind: "spent", limit: "usdPerDay", until: leaves + DAY_MS };
}

/** A program may report anything. */
function priceOf({ usd }: SpentTurn): number | undefined {
  return usd !== undefined && Number.isFinite(usd) && usd >= 0 ? usd : undefined;
}
