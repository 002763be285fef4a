/**
 * Looks after the turns of one session, one at a time: what is left from before, then load → choose → sort → one turn →
 * sleep. It decides nothing itself (core/turns does) and writes nothing itself (`record` does).
 */
import type { Instant, SessionId } from "../../core/message.ts";
import { nextTurn } from "../../core/turns/batch.ts";
import type { BudgetVerdict } from "../../core/turns/budget.ts";
import type { Item } from "../../ports/store.ts";
import { WakeSignal } from "../presence/wake-signal.ts";
import { type How, type OneTurnParts, oneTurn, settleLeft } from "./one-turn.ts";
import { decline, hold, nameOf, unhold } from "./record.ts";
import { budgetRelease, mayBegin } from "./spending.ts";
import { judgedTogether, type Sorted, sortByRules } from "./triaging.ts";
import type { OverBudget } from "./underway.ts";
import { untilLetGo, type WaitingParts, waitingFor } from "./waiting.ts";
import { folderOf, mailboxesOf, type Seat, seatOf, unseenIn } from "./who.ts";

const AFTER_FAILURE_MS = 2_000;
const NOT_STARTED_AGAIN_MS = 60_000;
const WITHIN = { kind: "go" } as const;

export interface SeatParts extends OneTurnParts, WaitingParts {
  waitsForBudget(sessionId: SessionId, over: OverBudget | undefined): void;
  /** One of the turns that may run at once; undefined: all are taken, and it is woken when one is free. */
  takePlace(seat: TurnSeat, agent: string): (() => void) | undefined;
  /** It has looked at everything, whether it needed a place or not. */
  hasLooked(): void;
  /** Finds out which terminals that are not seen have ended. */
  lookForEnded(): Promise<void>;
}

type Next = Instant | "on-signal";

export class TurnSeat {
  readonly #parts: SeatParts;
  readonly #sessionId: SessionId;
  readonly #wakeSignal: WakeSignal;
  readonly #stop = new AbortController();
  #current: AbortController | undefined;
  #turnIsOver: Promise<unknown> = Promise.resolve();
  /** Found in this round. */
  #overBudget: OverBudget | undefined;
  /** A turn could not be started: it is not tried again before, unless somebody asks for it. */
  #notBefore: Instant = 0;
  #running: Promise<void> | undefined;
  /** Which mail starts no turns may be different. What comes says itself for what it waits. */
  #isReconsidered = true;

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

  /** Settings, terminals or agents changed. */
  reconsider(): void {
    this.#isReconsidered = true;
    this.wake();
  }

  /** Ends the turn under way, if there is one; its messages wait again, marked. */
  interrupt(why: string): boolean {
    const isRunning = this.#current !== undefined;
    this.#current?.abort(why);
    return isRunning;
  }

  /** The same, and resolves when it is over. */
  async yields(why: string): Promise<void> {
    if (this.interrupt(why)) await this.#turnIsOver;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#current?.abort();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { context, waitsForBudget, hasLooked } = this.#parts;
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
      hasLooked();
      await this.#wakeSignal.sleep(next);
    }
  }

  async #round(): Promise<Next> {
    const { store, clock } = this.#parts.context;
    if (store.trouble() !== undefined) return clock.now() + AFTER_FAILURE_MS;
    await settleLeft(this.#parts, this.#sessionId);
    const seat = seatOf(this.#parts, this.#sessionId);
    if (seat === undefined) return this.#withoutSeat();
    const items = await this.#waiting(seat);
    if (items.length === 0) return "on-signal";
    const obstacle = this.#obstacle(seat);
    if (obstacle !== undefined) return this.#hold(items, () => obstacle, clock.now() + NOT_STARTED_AGAIN_MS);
    const released = items.filter(({ delivery }) => delivery.release === "now");
    if (released.length > 0)
      return this.#take(seat, released.slice(0, seat.autoRun.maxBatchSize), "asked-for");
    if (clock.now() < this.#notBefore) return this.#notBefore;
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

  /** What may go. What is kept from turns says so; all of it, if that may have changed since it was last said. */
  async #waiting(seat: Seat): Promise<readonly Item[]> {
    const isAll = this.#isReconsidered;
    const { going, kept, isWhole } = waitingFor(this.#parts, seat, isAll ? "all" : "front");
    if (isAll && isWhole) this.#isReconsidered = false;
    try {
      await hold(this.#parts, kept, (item) => untilLetGo(this.#parts, item));
    } catch (cause) {
      this.#isReconsidered ||= isAll;
      throw cause;
    }
    return going;
  }

  /** It takes no turns now: what waits says what it really waits for. */
  async #withoutSeat(): Promise<Next> {
    const { context, lookForEnded } = this.#parts;
    const isUnseen = unseenIn(this.#parts, this.#sessionId);
    const why = isUnseen ? "when Bellhop sees its terminal again, or that it has ended" : undefined;
    await unhold(this.#parts, mailboxesOf(this.#parts, this.#sessionId), why);
    if (!isUnseen) return "on-signal";
    await lookForEnded();
    return unseenIn(this.#parts, this.#sessionId)
      ? context.clock.now() + NOT_STARTED_AGAIN_MS
      : context.clock.now();
  }

  /** Nobody says when a program is installed or a folder made: what it keeps waiting is looked at again. */
  #obstacle(seat: Seat): string | undefined {
    const { runner, obstacle } = this.#parts;
    const { autoRun, session } = seat;
    const folder = folderOf(this.#parts, seat);
    if (folder === undefined)
      return `when it has a folder to work in: auto_run: { cwd: … } of ${session.agent} in config.yaml`;
    return obstacle() ?? runner.obstacle(autoRun.runner, autoRun.command, folder);
  }

  async #hold(items: readonly Item[], releaseOf: (item: Item) => string, next: Next): Promise<Next> {
    await hold(this.#parts, items, releaseOf);
    return next;
  }

  async #take(seat: Seat, items: readonly Item[], how: How): Promise<Next> {
    const { context, takePlace } = this.#parts;
    const { clock, store } = context;
    const sorted = how === "asked-for" ? everything(items) : sortByRules(seat, items);
    if (sorted.rejected.length > 0) await decline(this.#parts, sorted.rejected);
    const going = seat.autoRun.triageModel === "" ? sorted : together(sorted);
    const left = [...going.accepted, ...going.open];
    if (left.length === 0 || this.#stop.signal.aborted) return clock.now();
    const budget =
      how === "asked-for" ? WITHIN : mayBegin(store.read, seat.session.agent, seat.autoRun, clock.now());
    if (budget.kind === "spent") return this.#waitForBudget(seat, left, budget);
    const leave = takePlace(this, seat.session.agent);
    if (leave === undefined) {
      const most = context.settings().turns.atOnce;
      return this.#hold(left, () => `when one of the ${most} turns that run has ended`, "on-signal");
    }
    try {
      return await this.#turn(seat, going, how);
    } finally {
      leave();
    }
  }

  async #turn(seat: Seat, going: Going, how: How): Promise<Next> {
    const { context, waitsForBudget } = this.#parts;
    this.#current = new AbortController();
    waitsForBudget(this.#sessionId, undefined);
    try {
      const signals = { current: this.#current.signal, stop: this.#stop.signal };
      const turn = oneTurn(this.#parts, seat, going, how, signals);
      this.#turnIsOver = turn.catch(() => {});
      const ended = await turn;
      if (ended.kind === "spent")
        return this.#waitForBudget(seat, [...going.accepted, ...going.open], ended.spent);
      if (ended.kind === "not-started") this.#notBefore = context.clock.now() + NOT_STARTED_AGAIN_MS;
      return context.clock.now();
    } finally {
      this.#current = undefined;
    }
  }

  async #waitForBudget(
    seat: Seat,
    items: readonly Item[],
    spent: Extract<BudgetVerdict, { kind: "spent" }>,
  ): Promise<Next> {
    const { going: waiting } = waitingFor(this.#parts, seat, "front");
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
}

type Going = Pick<Sorted, "accepted" | "open" | "because">;

function everything(items: readonly Item[]): Sorted {
  return { open: [], accepted: items, rejected: [] };
}

/** What a rule accepts goes without the others: those are looked at after it. */
function together({ accepted, open, because }: Sorted): Going {
  return accepted.length > 0
    ? { accepted, open: [], ...(because === undefined ? {} : { because }) }
    : { accepted, open: judgedTogether(open) };
}
