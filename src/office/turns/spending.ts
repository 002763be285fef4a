/** What an agent's turns have cost, as the store has it: reserved the moment a turn is begun. */
import type { AgentName, Instant } from "../../core/message.ts";
import type { AutoRun } from "../../core/turns/auto-run.ts";
import {
  type BudgetVerdict,
  DAY_MS,
  HOUR_MS,
  type SpentTurn,
  spentTurn,
  withinBudget,
} from "../../core/turns/budget.ts";
import type { Turn } from "../../core/turns/turn.ts";
import type { StoreReader } from "../../ports/store.ts";
import type { ShownBudget } from "../../wire/shapes/turns.ts";
import type { Seat } from "./who.ts";

/** Turns of the last day. One that could not be started cost nothing. */
function spentBy(read: StoreReader, agent: AgentName, now: Instant): readonly SpentTurn[] {
  const wasRun = ({ state, usd, process }: Turn) =>
    state !== "failed" || process !== undefined || usd !== undefined;
  return read
    .turns({ agent, since: now - DAY_MS })
    .filter(wasRun)
    .map(spentTurn);
}

export function mayBegin(read: StoreReader, agent: AgentName, autoRun: AutoRun, now: Instant): BudgetVerdict {
  return withinBudget(spentBy(read, agent, now), autoRun, now);
}

export function shownBudget(
  read: StoreReader,
  agent: AgentName,
  autoRun: AutoRun,
  now: Instant,
): ShownBudget {
  const turns = spentBy(read, agent, now);
  const begun = turns.filter(({ isDeclined }) => isDeclined !== true);
  const verdict = withinBudget(turns, autoRun, now);
  return {
    agent,
    turnsThisHour: begun.filter(({ startedAt }) => startedAt > now - HOUR_MS).length,
    turnsPerHour: autoRun.turnsPerHour,
    turnsToday: begun.length,
    turnsPerDay: autoRun.turnsPerDay,
    usdToday: turns.reduce((all, { usd }) => all + (usd ?? 0), 0),
    usdPerDay: autoRun.usdPerDay,
    ...(verdict.kind === "spent" ? { until: verdict.until } : {}),
  };
}

/** Triage costs, too, also where the program does not say how much. */
const LOOKS_PER_TURN = 10;

export function hasAskedTooOften(read: StoreReader, { session, autoRun }: Seat, now: Instant): boolean {
  const declined = read
    .turns({ agent: session.agent, since: now - HOUR_MS })
    .filter(({ state }) => state === "declined");
  return declined.length >= LOOKS_PER_TURN * Math.max(1, autoRun.turnsPerHour);
}

const LIMIT_SHOWN: Readonly<
  Record<Extract<BudgetVerdict, { kind: "spent" }>["limit"], (budget: AutoRun) => string>
> = {
  turnsPerHour: ({ turnsPerHour }) => `${turnsPerHour} turns an hour`,
  turnsPerDay: ({ turnsPerDay }) => `${turnsPerDay} turns a day`,
  usdPerDay: ({ usdPerDay }) => `$${usdPerDay} a day`,
};

/** Until when the budget holds messages, in a person's words. */
export function budgetRelease(
  { limit, until }: Extract<BudgetVerdict, { kind: "spent" }>,
  autoRun: AutoRun,
): string {
  const when = new Date(until).toISOString().slice(0, 16).replace("T", " ");
  return `its budget of ${LIMIT_SHOWN[limit](autoRun)} is spent until ${when} UTC`;
}
