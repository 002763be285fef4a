/**
 * Takes the turns of one session, one at a time: load → choose → sort → triage → begin → run → record → answer → sleep.
 * It decides nothing itself (core/turns does) and writes nothing itself (`record` does).
 */
import type { Instant, SessionId } from "../../core/message.ts";
import { nextTurn } from "../../core/turns/batch.ts";
import type { BudgetVerdict } from "../../core/turns/budget.ts";
import type { Turn } from "../../core/turns/turn.ts";
import type { Item } from "../../ports/store.ts";
import { isOverdue, outgoingPastHeld } from "../delivery/outgoing.ts";
import { WakeSignal } from "../presence/wake-signal.ts";
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
  nameOf,
  reserve,
  withhold,
} from "./record.ts";
import { budgetRelease, mayBegin } from "./spending.ts";
import { type Sorted, sortByRules, triage } from "./triaging.ts";
import type { OverBudget } from "./underway.ts";
import { folderOf, type Seat, seatOf } from "./who.ts";

const AFTER_FAILURE_MS = 2_000;
const NOT_STARTED_AGAIN_MS = 60_000;
const LOOK_AHEAD = 200;
const WITHIN = { kind: "go" } as const;
export interface SeatParts extends AnsweringParts, ExecutingParts {
  newTurnId(): string;
  /** Someone waits for this answer and is shown it there. */
  isAwaited(item: Item): boolean;
  /** A listener consumes this mailbox. */
  isTakenElsewhere(mailbox: string): boolean;
  /** Why nobody's turn may begin now; it wakes every seat when that is over. */
  obstacle(): string | undefined;
  waitsForBudget(sessionId: SessionId, over: OverBudget | undefined): void;
  /** One of the turns that may run at once; undefined: all are taken. */
  takePlace(): (() => void) | undefined;
}

type Next = Instant | "on-signal";

export class TurnSeat {
  readonly #parts: SeatParts;
  readonly #sessionId: SessionId;
  readonly #wakeSignal: WakeSignal;
  readonly #stop = new AbortController();
  #current: AbortController | undefined;
  /** Found in this round. */
  #overBudget: OverBudget | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: SeatParts, sessionId: SessionId) {
    this.#parts = parts;
    this.#sessionId = sessionId;
    this.#wakeSignal = new WakeSignal(parts.context.clock);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  wake(): void {
    this.#wakeSignal.ring();
  }

  /** Ends the turn under way, if there is one; its messages wait again, marked. */
  interrupt(): boolean {
    const isRunning = this.#current !== undefined;
    this.#current?.abort();
    return isRunning;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#current?.abort();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { context, waitsForBudget } = this.#parts;
    const { clock, log } = context;
    while (!this.#stop.signal.aborted) {
      let next: Next;
      this.#overBudget = undefined;
      try {
        next = await this.#round();
        waitsForBudget(this.#sessionId, this.#overBudget);
      } catch (cause) {
        log.error("turn.round_failed", { session: this.#sessionId, cause: String(cause) });
        next = clock.now() + AFTER_FAILURE_MS;
      }
      if (this.#stop.signal.aborted) return;
      await this.#wakeSignal.sleep(next);
    }
  }

  async #round(): Promise<Next> {
    const { store, clock } = this.#parts.context;
    if (store.trouble() !== undefined) return clock.now() + AFTER_FAILURE_MS;
    const seat = seatOf(this.#parts, this.#sessionId);
    if (seat === undefined) return "on-signal";
    const items = this.#waiting(seat);
    if (items.length === 0) return "on-signal";
    const obstacle = this.#obstacle(seat);
    if (obstacle !== undefined) return this.#hold(items, () => obstacle, clock.now() + NOT_STARTED_AGAIN_MS);
    const released = items.filter(({ delivery }) => delivery.release === "now");
    if (released.length > 0)
      return this.#take(seat, released.slice(0, seat.autoRun.maxBatchSize), "asked-for");
    const { agent } = seat.session;
    if (store.read.agent(agent)?.paused === true) {
      const release = `when its queue is no longer paused: bellhop queue unpause ${agent}`;
      return this.#hold(items, () => release, "on-signal");
    }
    const decision = nextTurn(
      items.map(({ delivery }) => delivery.queuedAt),
      seat.autoRun,
      clock.now(),
    );
    if (decision.kind === "nothing") return "on-signal";
    if (decision.kind === "wait")
      return this.#hold(items, () => "when nobody has written for a moment", decision.until);
    return this.#take(seat, items.slice(0, decision.count), "by-itself");
  }

  /** Keys need a terminal; what a person withholds stays. */
  #waiting({ mailboxes }: Seat): readonly Item[] {
    const { context, isAwaited, isTakenElsewhere } = this.#parts;
    const own = mailboxes.filter((mailbox) => !isTakenElsewhere(mailbox));
    if (own.length === 0) return [];
    const now = context.clock.now();
    return outgoingPastHeld(context.store.read, own, LOOK_AHEAD).filter(
      (item) =>
        item.delivery.release !== "withheld" &&
        item.message.form.kind === "text" &&
        !isOverdue(item.delivery, now) &&
        !isAwaited(item),
    );
  }

  /** Nobody says when a program is installed: what it keeps waiting is looked at again. */
  #obstacle(seat: Seat): string | undefined {
    const { runner, obstacle } = this.#parts;
    const { autoRun, session } = seat;
    const why = obstacle() ?? runner.obstacle(autoRun.runner, autoRun.command);
    if (why !== undefined) return why;
    return folderOf(this.#parts, seat) === undefined
      ? `when it has a folder to work in: auto_run: { cwd: … } of ${session.agent} in config.yaml`
      : undefined;
  }

  async #hold(items: readonly Item[], releaseOf: (item: Item) => string, next: Next): Promise<Next> {
    await hold(this.#parts, items, releaseOf);
    return next;
  }

  async #take(seat: Seat, items: readonly Item[], how: "by-itself" | "asked-for"): Promise<Next> {
    const { context, takePlace } = this.#parts;
    const { clock, store } = context;
    const sorted = how === "asked-for" ? everything(items) : sortByRules(seat, items);
    if (sorted.rejected.length > 0) await decline(this.#parts, sorted.rejected);
    const left = [...sorted.accepted, ...sorted.open];
    if (left.length === 0) return clock.now();
    const budget =
      how === "asked-for" ? WITHIN : mayBegin(store.read, seat.session.agent, seat.autoRun, clock.now());
    if (budget.kind === "spent") return this.#waitForBudget(seat, left, budget);
    const leave = takePlace();
    if (leave === undefined) {
      const most = context.settings().turns.atOnce;
      return this.#hold(left, () => `when one of the ${most} turns that run has ended`, "on-signal");
    }
    this.#current = new AbortController();
    try {
      return await this.#turn(seat, sorted, how);
    } finally {
      this.#current = undefined;
      leave();
    }
  }

  async #turn(seat: Seat, sorted: Sorted, how: "by-itself" | "asked-for"): Promise<Next> {
    const { context, newTurnId, waitsForBudget } = this.#parts;
    const { clock, checkpoint } = context;
    const items = inOrder([...sorted.accepted, ...sorted.open]);
    const triages = how === "by-itself" && sorted.open.length > 0 && sorted.accepted.length === 0;
    const because = how === "asked-for" ? "somebody asked for it" : (sorted.because ?? "there is no triage");
    const turn: Turn = {
      id: newTurnId(),
      agent: seat.session.agent,
      sessionId: seat.session.id,
      runner: seat.autoRun.runner,
      deliveries: items.map(({ delivery }) => delivery.id),
      state: "triage",
      triggered: how === "asked-for",
      again: items.some(({ delivery }) => delivery.possibleDuplicate),
      startedAt: clock.now(),
    };
    const budget = await reserve(this.#parts, turn, seat);
    if (budget.kind === "spent") return this.#waitForBudget(seat, items, budget);
    waitsForBudget(this.#sessionId, undefined);
    if (!triages || seat.autoRun.triageModel === "")
      return this.#begin({ ...turn, verdict: "yes", because }, items);
    checkpoint("turn.triaging");
    return this.#triaged(seat, turn, items);
  }

  async #waitForBudget(
    seat: Seat,
    items: readonly Item[],
    spent: Extract<BudgetVerdict, { kind: "spent" }>,
  ): Promise<Next> {
    const waiting = this.#waiting(seat);
    this.#overBudget = {
      agent: seat.session.agent,
      session: this.#sessionId,
      since: Math.min(...waiting.map(({ delivery }) => delivery.queuedAt)),
      messages: waiting.length,
      release: budgetRelease(spent, seat.autoRun),
    };
    const release = (item: Item) =>
      `${budgetRelease(spent, seat.autoRun)}, or with bellhop queue now ${nameOf(this.#parts, item)}`;
    return this.#hold(items, release, spent.until);
  }

  async #triaged(seat: Seat, turn: Turn, items: readonly Item[]): Promise<Next> {
    const { context, runner } = this.#parts;
    const { clock, checkpoint } = context;
    const signal = this.#current?.signal ?? this.#stop.signal;
    await hold(this.#parts, items, () => "a small model looks at whether it is worth a turn");
    const verdict = await triage(this.#parts, runner, seat, items, signal);
    checkpoint("turn.triaged");
    if (signal.aborted) {
      const why = "it was stopped while it was looked at";
      await givenBack(this.#parts, turn, [], { state: "stopped", why, perhapsDone: false });
      return clock.now();
    }
    const { because } = verdict;
    if (verdict.kind === "failed") {
      if (verdict.held.length > 0) {
        await withhold(this.#parts, verdict.held, because);
        const what = verdict.held.map((item) => nameOf(this.#parts, item)).join(", ");
        const text = `${turn.agent} got ${what} from outside, and nobody could say whether it is worth a turn (${because}). Release it: bellhop queue now ID`;
        await tellOwner(this.#parts, `triage-${turn.id}`, text);
      }
      const others = items.filter((item) => !verdict.held.includes(item));
      return this.#begin({ ...turn, verdict: "yes", because }, others);
    }
    const cost = verdict.usd === undefined ? {} : { usd: verdict.usd };
    if (verdict.kind === "yes") return this.#begin({ ...turn, verdict: "yes", because, ...cost }, items);
    await decline(
      this.#parts,
      items.map((item) => ({ item, because })),
      { ...turn, verdict: "no", because, ...cost },
    );
    return clock.now();
  }

  async #begin(turn: Turn, items: readonly Item[]): Promise<Next> {
    const { clock, checkpoint } = this.#parts.context;
    // A terminal may have opened, or the switch may have been turned, while the model thought.
    const now = seatOf(this.#parts, this.#sessionId);
    const obstacle = now === undefined ? "its terminal is open" : this.#parts.obstacle();
    const begun = await begin(this.#parts, turn, obstacle === undefined ? items : []);
    if (begun === undefined || now === undefined) return clock.now();
    checkpoint("turn.marked");
    const going = items.filter(({ delivery }) => begun.deliveries.includes(delivery.id));
    return this.#execute(now, begun, going);
  }

  async #execute(seat: Seat, begun: Turn, items: readonly Item[]): Promise<Next> {
    const { clock, checkpoint } = this.#parts.context;
    const folder = folderOf(this.#parts, seat) ?? "";
    const prompt = turnPrompt(this.#parts, items, begun.again);
    const signal = this.#current?.signal ?? this.#stop.signal;
    const { turn, outcome } = await execute(this.#parts, seat, begun, { folder, prompt }, signal);
    checkpoint("turn.ran");
    switch (outcome.kind) {
      case "answered": {
        const answering = await answered(this.#parts, turn, seat, items, { folder, prompt }, outcome);
        checkpoint("turn.recorded");
        await this.finish(answering, items);
        return clock.now();
      }
      case "not-started": {
        const how = { state: "failed", why: outcome.why, perhapsDone: false } as const;
        await givenBack(this.#parts, turn, items, how, outcome);
        return clock.now() + NOT_STARTED_AGAIN_MS;
      }
      case "stopped": {
        const closing = this.#stop.signal.aborted;
        const why = closing ? "Bellhop ended during its turn" : "its turn was stopped";
        const how = { state: closing ? "interrupted" : "stopped", why, perhapsDone: true } as const;
        await givenBack(this.#parts, turn, items, how, outcome);
        return clock.now();
      }
      case "late":
      case "failed": {
        const why =
          outcome.kind === "late" ? `it took longer than ${seat.autoRun.deadlineMs / 1_000} s` : outcome.why;
        await failed(this.#parts, turn, items, why, outcome);
        await tellFailure(this.#parts, turn, items, why);
        return clock.now();
      }
    }
  }

  /** Its answer is on disk: after a crash this is all that is left to do. */
  async finish(turn: Turn, items: readonly Item[]): Promise<void> {
    await answer(this.#parts, turn, items);
    this.#parts.context.checkpoint("turn.answered");
    await done(this.#parts, turn);
  }
}

function everything(items: readonly Item[]): Sorted {
  return { open: [], accepted: items, rejected: [] };
}

function inOrder(items: readonly Item[]): readonly Item[] {
  return items.toSorted((a, b) => a.delivery.sequence - b.delivery.sequence);
}
