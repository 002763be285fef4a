/**
 * One turn, from its reservation to its end: triage → begin → run → record → answer. Each step is written down before the
 * next; what is left after a crash or a full disk is settled by `settleLeft`.
 */
import { BellhopError } from "../../core/errors.ts";
import type { SessionId } from "../../core/message.ts";
import type { BudgetVerdict } from "../../core/turns/budget.ts";
import { OPEN_TURN_STATES, type Turn } from "../../core/turns/turn.ts";
import type { TurnOutcome } from "../../ports/runner.ts";
import type { Item } from "../../ports/store.ts";
import { pause } from "../base/deadline.ts";
import { type AnsweringParts, answer, tellFailure, tellOwner } from "./answering.ts";
import { type ExecutingParts, execute } from "./executing.ts";
import { turnPrompt } from "./prompting.ts";
import {
  answered,
  begin,
  decline,
  done,
  failed,
  givenBack,
  hold,
  itemsOf,
  nameOf,
  reserve,
  told,
  withhold,
} from "./record.ts";
import { hasAskedTooOften } from "./spending.ts";
import { type Sorted, type Triaged, triage, untriageable } from "./triaging.ts";
import { folderOf, type Seat, seatOf } from "./who.ts";

const WRITE_AGAIN_MS = 2_000;
const LOST = "Bellhop ended during its turn";

export interface OneTurnParts extends AnsweringParts, ExecutingParts {
  newTurnId(): string;
  /** Why nobody's turn may begin now. */
  obstacle(): string | undefined;
}

export type How = "by-itself" | "asked-for";

export interface Signals {
  /** This turn is to end. Its reason says why. */
  readonly current: AbortSignal;
  /** Bellhop ends. */
  readonly stop: AbortSignal;
}

export type Ended =
  | { readonly kind: "over" }
  | { readonly kind: "spent"; readonly spent: Extract<BudgetVerdict, { kind: "spent" }> }
  /** Nothing was run, and trying again at once would not help. */
  | { readonly kind: "not-started" };

const OVER: Ended = { kind: "over" };

export async function oneTurn(
  parts: OneTurnParts,
  seat: Seat,
  sorted: Pick<Sorted, "accepted" | "open" | "because">,
  how: How,
  signals: Signals,
): Promise<Ended> {
  const { context, newTurnId } = parts;
  const items = [...sorted.accepted, ...sorted.open].toSorted(
    (a, b) => a.delivery.sequence - b.delivery.sequence,
  );
  const triages = how === "by-itself" && sorted.accepted.length === 0 && seat.autoRun.triageModel !== "";
  const turn: Turn = {
    id: newTurnId(),
    agent: seat.session.agent,
    sessionId: seat.session.id,
    runner: seat.autoRun.runner,
    deliveries: items.map(({ delivery }) => delivery.id),
    state: "triage",
    triggered: how === "asked-for",
    // A listener may have lost it, too: that is no turn that did a part of it.
    again: items.some(({ delivery }) => delivery.possibleDuplicate && delivery.transport === "headless"),
    startedAt: context.clock.now(),
  };
  const budget = await reserve(parts, turn, seat);
  if (budget.kind === "spent") return { kind: "spent", spent: budget };
  if (triages) return triaged(parts, seat, turn, items, signals);
  const because = how === "asked-for" ? "somebody asked for it" : (sorted.because ?? "there is no triage");
  return begun(parts, { ...turn, verdict: "yes", because }, items, signals);
}

async function triaged(
  parts: OneTurnParts,
  seat: Seat,
  turn: Turn,
  items: readonly Item[],
  signals: Signals,
): Promise<Ended> {
  const { context, runner } = parts;
  context.checkpoint("turn.triaging");
  await hold(parts, items, () => "a small model looks at whether it is worth a turn");
  const verdict = hasAskedTooOften(context.store.read, seat, context.clock.now())
    ? untriageable(items, seat.autoRun.untriaged, "too much was looked at in the last hour")
    : await triage(parts, runner, seat, items, signals.current);
  context.checkpoint("turn.triaged");
  if (signals.current.aborted) {
    const why = "it was stopped while it was looked at";
    await givenBack(parts, turn, [], { state: "stopped", why, perhapsDone: false });
    return OVER;
  }
  const { because } = verdict;
  const cost = verdict.usd === undefined ? {} : { usd: verdict.usd };
  if (verdict.kind === "no") {
    await decline(
      parts,
      items.map((item) => ({ item, because })),
      { ...turn, verdict: "no", because, ...cost },
    );
    return OVER;
  }
  const going = verdict.kind === "failed" ? await leftOf(parts, turn, items, verdict) : items;
  return begun(parts, { ...turn, verdict: "yes", because, ...cost }, going, signals);
}

/** Nobody could say whether they are worth a turn: the owner looks at those from outside. */
async function leftOf(
  parts: OneTurnParts,
  turn: Turn,
  items: readonly Item[],
  { held, because }: Extract<Triaged, { kind: "failed" }>,
): Promise<readonly Item[]> {
  if (held.length === 0) return items;
  await withhold(parts, held, because);
  const what = held.map((item) => nameOf(parts, item)).join(", ");
  const text = `${turn.agent} got ${what} from outside, and nobody could say whether it is worth a turn (${because}). Release it: bellhop queue now ID`;
  await tellOwner(parts, `triage-${turn.id}`, text);
  return items.filter((item) => !held.includes(item));
}

async function begun(
  parts: OneTurnParts,
  turn: Turn,
  items: readonly Item[],
  signals: Signals,
): Promise<Ended> {
  // A terminal may have opened, or the switch may have been turned, while the model thought.
  const seat = seatOf(parts, turn.sessionId);
  const mayRun = seat !== undefined && parts.obstacle() === undefined && !signals.current.aborted;
  const running = mayRun
    ? await begin(parts, turn, items)
    : await begin(parts, { ...turn, because: "its terminal has opened, or turns were stopped" }, []);
  if (running === undefined || seat === undefined) return OVER;
  parts.context.checkpoint("turn.marked");
  const going = items.filter(({ delivery }) => running.deliveries.includes(delivery.id));
  return ran(parts, seat, running, going, signals);
}

async function ran(
  parts: OneTurnParts,
  seat: Seat,
  begunTurn: Turn,
  items: readonly Item[],
  signals: Signals,
): Promise<Ended> {
  const { checkpoint } = parts.context;
  const folder = folderOf(parts, seat) ?? "";
  const prompt = turnPrompt(parts, items, begunTurn.again);
  const { turn, outcome } = await execute(parts, seat, begunTurn, { folder, prompt }, signals.current);
  checkpoint("turn.ran");
  const write = <T>(work: () => Promise<T>) => untilWritten(parts, signals.stop, work);
  switch (outcome.kind) {
    case "answered": {
      const answering = await write(() => answered(parts, turn, seat, items, { folder, prompt }, outcome));
      checkpoint("turn.recorded");
      await write(() => finish(parts, answering, items));
      return OVER;
    }
    case "not-started": {
      const how = { state: "failed", why: outcome.why, perhapsDone: false } as const;
      await write(() => givenBack(parts, turn, items, how, outcome));
      return { kind: "not-started" };
    }
    case "stopped":
      await write(() => givenBackTold(parts, turn, items, stoppedBy(signals), outcome));
      return OVER;
    case "late":
    case "failed": {
      const why =
        outcome.kind === "late" ? `it took longer than ${seat.autoRun.deadlineMs / 1_000} s` : outcome.why;
      const telling = await write(() => failed(parts, turn, items, why, outcome));
      checkpoint("turn.failed");
      await write(() => finish(parts, telling, items));
      return OVER;
    }
  }
}

type GivenBack = Parameters<typeof givenBack>[3];

function stoppedBy({ current, stop }: Signals): GivenBack {
  if (stop.aborted) return { state: "interrupted", why: LOST, perhapsDone: true };
  const why = typeof current.reason === "string" ? current.reason : "its turn was stopped";
  return { state: "stopped", why, perhapsDone: true };
}

/** What was interrupted too often waits for the owner. */
async function givenBackTold(
  parts: OneTurnParts,
  turn: Turn,
  items: readonly Item[],
  how: GivenBack,
  outcome?: TurnOutcome,
): Promise<void> {
  const { telling, withheld } = await givenBack(parts, turn, items, how, outcome);
  if (telling !== undefined) await finish(parts, telling, items);
  if (withheld.length === 0) return;
  const what = withheld.map((item) => nameOf(parts, item)).join(", ");
  const text = `The turn of ${turn.agent} about ${what} was interrupted several times, and is not tried again by itself. Release it: bellhop queue now ID`;
  await tellOwner(parts, `interrupted-${turn.id}`, text);
}

/** What it said, or that it failed, is on disk: after a crash this is all that is left to do. */
async function finish(parts: OneTurnParts, turn: Turn, items: readonly Item[]): Promise<void> {
  if (turn.state === "telling") {
    await tellFailure(parts, turn, items);
    await told(parts, turn);
    return;
  }
  const refused = await answer(parts, turn, items);
  parts.context.checkpoint("turn.answered");
  if (refused.length > 0) {
    const text = `The turn ${turn.id} of ${turn.agent} has an answer that could not be sent: ${refused.join("; ")}. See it with: bellhop turn show ${turn.id}`;
    await tellOwner(parts, `refused-${turn.id}`, text);
  }
  await done(parts, turn, refused);
}

/** Of this session, from an earlier daemon or a round that failed. Nothing of it may run when this is called. */
export async function settleLeft(parts: OneTurnParts, sessionId: SessionId): Promise<void> {
  for (const turn of parts.context.store.read.turns({ sessionId, states: OPEN_TURN_STATES })) {
    const items = itemsOf(parts, turn.deliveries);
    if (turn.state === "answering" || turn.state === "telling") {
      await finish(parts, turn, items);
      continue;
    }
    if (turn.process !== undefined) await parts.runner.end(turn.process);
    const perhapsDone = turn.process !== undefined;
    await givenBackTold(parts, turn, items, { state: "interrupted", why: LOST, perhapsDone });
  }
}

/** What a turn has done and cost must not be lost to a disk that is full for a moment. */
async function untilWritten<T>(
  { context }: OneTurnParts,
  stop: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      const mayPass = cause instanceof BellhopError && cause.code.startsWith("store.");
      if (!mayPass || stop.aborted) throw cause;
      context.log.warn("turn.not_written", { cause: String(cause) });
      await pause(context.clock, WRITE_AGAIN_MS);
    }
  }
}
