/**
 * Delivers the mail of one live session, one batch at a time: load → choose → deliver → record → sleep.
 * Started and stopped by the couriers. It never decides (next-batch and settlement do), never types (its endpoint does)
 * and never writes (its ledger does).
 */
import { BellhopError } from "../../core/errors.ts";
import type { HookMoment } from "../../core/hook-answer.ts";
import { type Address, type Instant, LIMITS, type Message, type Transport } from "../../core/message.ts";
import type { QueuePolicy } from "../../core/queue.ts";
import type { Readiness } from "../../core/readiness/readiness.ts";
import { KEYBOARD_TAKEN } from "../../core/readiness/screen.ts";
import type { DeliveryOutcome, Handover } from "../../ports/endpoint.ts";
import type { Item } from "../../ports/store.ts";
import { pause } from "../base/deadline.ts";
import type { HookWindow } from "../presence/hook-windows.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Observation } from "../presence/observation.ts";
import type { TerminalEndpoint } from "./endpoints/terminal.ts";
import { ForHooks, knownPolicy } from "./for-hooks.ts";
import { Ledger, type LedgerParts, StateMoved } from "./ledger.ts";
import { LookAhead } from "./look-ahead.ts";
import { nextBatch } from "./next-batch.ts";
import { isOverdue, outgoingPastHeld } from "./outgoing.ts";

/** More than a batch, so that the next messages get their hold; the rest are not looked at. */
const LOOK_AHEAD = LIMITS.batch + 20;
const OUTPUT_PAUSE_MS = 400;
const AFTER_FAILURE_MS = 2_000;

export interface CourierParts extends LedgerParts {
  readonly endpoint: TerminalEndpoint;
  /** A listener consumes this mailbox. */
  isTakenElsewhere(mailbox: Address): boolean;
  /** Someone waits for this answer and is shown it there. */
  isAwaited(message: Message): boolean;
  /** Drops what nobody took in time. */
  expire(): Promise<void>;
  /** The program in the terminal has ended. */
  onGone(session: LiveSession): void;
}

interface DeliverHow {
  readonly order: number;
  readonly interrupting?: boolean;
  readonly looked?: Observation;
  /** The hook that waits for it. */
  readonly window?: HookWindow;
}

export class Courier {
  readonly #parts: CourierParts;
  readonly #ledger: Ledger;
  readonly #forHooks: ForHooks;
  readonly #lookAhead: LookAhead;
  readonly #stop = new AbortController();
  #isAsleep = false;
  #running: Promise<void> | undefined;

  constructor(parts: CourierParts) {
    this.#parts = parts;
    this.#ledger = new Ledger(parts);
    this.#forHooks = new ForHooks(parts);
    this.#lookAhead = new LookAhead(parts.session, parts.context.clock);
  }

  start(): void {
    this.#running = this.#run();
  }

  wake(): void {
    this.#parts.session.wakeSignal.ring();
  }

  /** Mail may be here in a moment. Whoever is awake looks when they get to it. */
  expect(): void {
    if (this.#isAsleep && !this.#stop.signal.aborted) this.#lookAhead.begin();
  }

  /** Finishes the delivery under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.wake();
    await this.#running;
    this.#forHooks.none();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      let next: Instant | "on-signal";
      try {
        next = await this.#round();
      } catch (cause) {
        next = this.#afterFailure(cause);
      }
      if (this.#stop.signal.aborted) return;
      this.#isAsleep = true;
      await this.#sleep(next);
      this.#isAsleep = false;
    }
  }

  /** Nothing was typed. */
  #afterFailure(cause: unknown): Instant {
    const { session, context } = this.#parts;
    // A person was faster: what goes now is chosen again.
    if (cause instanceof StateMoved) return context.clock.now();
    // A store that cannot write (disk full) must not end the courier.
    context.log.error("courier.round_failed", { session: session.record.id, cause: String(cause) });
    return context.clock.now() + AFTER_FAILURE_MS;
  }

  async #sleep(next: Instant | "on-signal"): Promise<void> {
    const { session, context } = this.#parts;
    if (next === "on-signal") return session.wakeSignal.sleep(next);
    let armed: (() => void) | undefined;
    const stop = session.onOutput(() => {
      armed ??= context.clock.after(OUTPUT_PAUSE_MS, () => session.wakeSignal.ring());
    });
    try {
      await session.wakeSignal.sleep(next);
    } finally {
      stop();
      armed?.();
    }
  }

  async #round(): Promise<Instant | "on-signal"> {
    const { context, session, endpoint } = this.#parts;
    const { store, clock } = context;
    // If `delivering` cannot be recorded, nothing is begun: no key is pressed, not even to interrupt.
    if (store.trouble() !== undefined) return clock.now() + AFTER_FAILURE_MS;
    const { order } = session;
    const items = await this.#inTime(this.#mailboxes());
    if (items.length === 0) {
      this.#forHooks.none();
      return "on-signal";
    }
    const looked = await this.#lookAhead.taken();
    const { screen, suspension, hasEnded } = looked;
    if (hasEnded === true) {
      this.#parts.onGone(session);
      return "on-signal";
    }
    const readiness = session.queueReadiness();
    const policy: QueuePolicy = {
      ...knownPolicy(this.#parts),
      attached: screen?.mode === KEYBOARD_TAKEN,
      suspended: suspension !== undefined,
      reachesBusy: await endpoint.reachesBusy(),
      takesHooks: await endpoint.takesHooks(),
    };
    this.#forHooks.wanted(policy.takesHooks === true);
    const window = session.hooks.open;
    const forHook = window === undefined ? [] : this.#forHooks.batch(window, items, policy);
    if (window !== undefined && forHook.length > 0)
      return (await this.#deliver(forHook, { order, window })).lookAgain;
    const next = nextBatch(items, readiness, policy, endpoint);
    await this.#ledger.hold(items, next.holds);
    if (next.kind === "wait") {
      const lookAgainAt = Math.min(
        readiness.until ?? Number.POSITIVE_INFINITY,
        clock.now() + context.settings().inputPollMs,
      );
      return Math.max(lookAgainAt, clock.now() + 20);
    }
    const { interrupting } = next;
    const after = await this.#deliver(next.items, { interrupting, order, looked });
    if (!after.held || !policy.reachesBusy) return after.lookAgain;
    return (await this.#passBy(next.items, items, readiness, policy, order)) ?? after.lookAgain;
  }

  /** Whether something waits that may go in the answer to a hook of this moment. */
  async hasForHook(moment: HookMoment): Promise<boolean> {
    if (this.#stop.signal.aborted) return false;
    return this.#forHooks.has(this.#outgoing(this.#mailboxes()), moment);
  }

  #mailboxes(): readonly Address[] {
    const { directory, session } = this.#parts;
    return directory.mailboxesOf(session).filter((mailbox) => !this.#parts.isTakenElsewhere(mailbox));
  }

  /** While messages that must be typed wait for the composer, those that need not be typed pass them. */
  async #passBy(
    held: readonly Item[],
    items: readonly Item[],
    readiness: Readiness,
    policy: QueuePolicy,
    order: number,
  ): Promise<Instant | "on-signal" | undefined> {
    const { endpoint } = this.#parts;
    const isTypedOnly = (item: Item) => endpoint.waysIn(item) === "typed-only";
    // While an interrupt waits, nothing else is handed over.
    if (!held.every((item) => isTypedOnly(item) && item.delivery.priority !== "interrupt")) return undefined;
    const others = items.filter((item) => !isTypedOnly(item));
    const next = nextBatch(others, readiness, policy, endpoint);
    return next.kind === "wait"
      ? undefined
      : (await this.#deliver(next.items, { interrupting: next.interrupting, order })).lookAgain;
  }

  /** After a sleep or a restart, this may be the first look after a deadline. */
  async #inTime(mailboxes: readonly Address[]): Promise<readonly Item[]> {
    const { clock } = this.#parts.context;
    const items = this.#outgoing(mailboxes);
    if (!items.some(({ delivery }) => isOverdue(delivery, clock.now()))) return items;
    await this.#parts.expire();
    return this.#outgoing(mailboxes);
  }

  #outgoing(mailboxes: readonly Address[]): readonly Item[] {
    const items = outgoingPastHeld(this.#parts.context.store.read, mailboxes, LOOK_AHEAD);
    return items.filter(({ message }) => !this.#parts.isAwaited(message));
  }

  async #deliver(
    items: readonly Item[],
    how: DeliverHow,
  ): Promise<{ readonly held: boolean; readonly lookAgain: Instant | "on-signal" }> {
    const { context, session, endpoint } = this.#parts;
    const { interrupting = false, order, looked, window } = how;
    context.checkpoint("deliver.chosen");
    let begun: Transport | undefined;
    let settled: DeliveryOutcome | undefined;
    const handover: Handover = {
      signal: this.#stop.signal,
      interrupting,
      begin: async (attempt) => {
        await this.#ledger.begin(items, attempt, order);
        begun = attempt.transport;
        context.checkpoint("deliver.marked");
      },
      submitted: () => this.#ledger.submitted(items),
      settle: async (outcome) => {
        await this.#settleUntilWritten(items, outcome, begun !== undefined);
        settled = outcome;
      },
    };
    const delivering =
      window === undefined
        ? endpoint.deliver({ items }, handover, looked)
        : endpoint.deliverByHook({ items }, handover, window);
    const outcome = await delivering.catch((cause: unknown): DeliveryOutcome => {
      if (begun === undefined) throw cause;
      // After `begin`, a failure leaves it open what was typed, and nobody else would settle it.
      context.log.error("courier.delivery_failed", { session: session.record.id, cause: String(cause) });
      return {
        kind: "unconfirmed",
        transport: begun,
        note: "its delivery failed midway: the text may be in",
      };
    });
    if (outcome.kind === "apart")
      return this.#deliver(items.slice(0, outcome.first), { interrupting, order });
    if (outcome !== settled) await this.#settleUntilWritten(items, outcome, begun !== undefined);
    context.checkpoint("deliver.recorded");
    if (outcome.kind === "gone" || outcome.kind === "ended") {
      this.#parts.onGone(session);
      return { held: false, lookAgain: "on-signal" };
    }
    return outcome.kind === "hold"
      ? { held: true, lookAgain: outcome.retryAt }
      : { held: false, lookAgain: context.clock.now() };
  }

  /** Typed text cannot be taken back, so recording it is retried until it succeeds. */
  async #settleUntilWritten(items: readonly Item[], outcome: DeliveryOutcome, begun: boolean): Promise<void> {
    const { clock, log } = this.#parts.context;
    for (;;) {
      try {
        return await this.#ledger.settle(items, outcome, begun);
      } catch (cause) {
        if (!begun || this.#stop.signal.aborted || hasMovedOn(cause)) throw cause;
        log.error("courier.record_failed", { session: this.#parts.session.record.id, cause: String(cause) });
        await pause(clock, AFTER_FAILURE_MS);
      }
    }
  }
}

/** Its outcome was recorded elsewhere: a retry would be refused too. */
function hasMovedOn(cause: unknown): boolean {
  return cause instanceof BellhopError && cause.code === "delivery.moved_on";
}
