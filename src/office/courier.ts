/**
 * Empties the mailboxes of one live session, one batch at a time: load → choose → deliver → record → sleep.
 * Started and stopped by the couriers. It never decides (core/queue does) and never types (its endpoint does).
 */
import { evidenceOfSubmit, isAtLeast, strongest } from "../core/evidence.ts";
import type {
  Address,
  Delivery,
  DeliveryId,
  Evidence,
  HoldReason,
  Instant,
  Transport,
} from "../core/message.ts";
import { LADDER, PRIORITIES } from "../core/priority.ts";
import { choose } from "../core/queue.ts";
import { KEYBOARD_TAKEN } from "../core/screen.ts";
import type { Batch, Endpoint, Handover, Outcome } from "../ports/endpoint.ts";
import type { DeliveryPatch, Item, StoreWriter } from "../ports/store.ts";
import type { OfficeContext } from "./context.ts";
import { pause } from "./deadline.ts";
import type { Directory } from "./directory.ts";
import type { LiveSession } from "./live-session.ts";
import type { StateWatch } from "./state-watch.ts";

/** More than a batch, so that every waiting message gets its hold; the rest waits unseen. */
const LOOK_AHEAD = 100;
const OUTPUT_PAUSE_MS = 400;
const AFTER_FAILURE_MS = 2_000;
/** Chosen, but by another way in than those before it. */
const BEHIND = { reason: "busy", release: "when the messages before it are in" } as const;

export interface CourierParts {
  readonly context: OfficeContext;
  readonly directory: Directory;
  readonly session: LiveSession;
  readonly endpoint: TerminalRungs;
  readonly states: StateWatch;
  isTakenElsewhere(mailbox: Address): boolean;
  /** Drops whatever nobody took in time. */
  expire(): Promise<void>;
  /** The program in the terminal is gone. */
  onGone(session: LiveSession): void;
}

/** What the courier asks its endpoint before it chooses. */
export interface TerminalRungs extends Endpoint {
  /** A rung is open that reaches a busy program without a key. */
  reachesBusy(): Promise<boolean>;
  /** The longest leading run that one rung can take together. */
  together(items: readonly Item[]): readonly Item[];
}

export class Courier {
  readonly #parts: CourierParts;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: CourierParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  wake(): void {
    this.#parts.session.bell.ring();
  }

  /** Finishes the delivery in hand. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { session, context } = this.#parts;
    while (!this.#stop.signal.aborted) {
      let next: Instant | "on-signal";
      try {
        next = await this.#round();
      } catch (cause) {
        // A store that cannot write (disk full) must not end the courier: nothing was typed, so look again.
        context.log.error("courier.round_failed", { session: session.record.id, cause: String(cause) });
        next = context.clock.now() + AFTER_FAILURE_MS;
      }
      if (this.#stop.signal.aborted) return;
      await this.#sleep(next);
    }
  }

  async #sleep(next: Instant | "on-signal"): Promise<void> {
    const { session, context } = this.#parts;
    if (next === "on-signal") return session.bell.sleep(next);
    let armed: (() => void) | undefined;
    const stop = session.onOutput(() => {
      armed ??= context.clock.after(OUTPUT_PAUSE_MS, () => session.bell.ring());
    });
    try {
      await session.bell.sleep(next);
    } finally {
      stop();
      armed?.();
    }
  }

  async #round(): Promise<Instant | "on-signal"> {
    const { context, directory, session, endpoint } = this.#parts;
    const { store, clock } = context;
    const mailboxes = directory
      .mailboxesOf(session)
      .filter((mailbox) => !this.#parts.isTakenElsewhere(mailbox));
    const items = await this.#inTime(mailboxes);
    if (items.length === 0) return "on-signal";
    const { screen } = await session.observe();
    const readiness = session.queueReadiness();
    const shut = readiness.kind === "blocked" ? items.filter(isRawForComposer) : [];
    const open = items.filter((item) => !shut.includes(item));
    const choice = choose(
      open.map(({ delivery, message }) => ({
        deliveryId: delivery.id,
        priority: delivery.priority,
        position: delivery.position,
        raw: message.form.kind === "raw",
        release: delivery.release,
      })),
      readiness,
      {
        paused: store.read.agent(session.record.agent)?.paused ?? false,
        attached: screen?.mode === KEYBOARD_TAKEN,
        maxBatch: context.settings().maxBatch,
        reachesBusy: await endpoint.reachesBusy(),
        canDismiss: session.profile.dismiss !== undefined,
      },
    );
    const chosen =
      choice.kind !== "deliver"
        ? []
        : choice.deliveryIds.flatMap((id) => items.find(({ delivery }) => delivery.id === id) ?? []);
    const going = endpoint.together(chosen);
    const behind = chosen.filter((item) => !going.includes(item));
    await this.#recordHolds(items, [
      ...(choice.kind === "nothing" ? [] : choice.holds),
      ...shut.map(({ delivery }) => ({ deliveryId: delivery.id, ...NOT_FOR_THIS_DIALOG })),
      ...behind.map(({ delivery }) => ({ deliveryId: delivery.id, ...BEHIND })),
    ]);
    const lookAgainAt = Math.min(
      readiness.until ?? Number.POSITIVE_INFINITY,
      clock.now() + context.settings().inputPollMs,
    );
    if (choice.kind !== "deliver") return Math.max(lookAgainAt, clock.now() + 20);
    return this.#deliver(going, choice.interrupting);
  }

  /** After a sleep or a restart this look may be the first after a deadline. */
  async #inTime(mailboxes: readonly Address[]): Promise<readonly Item[]> {
    const items = this.#waiting(mailboxes);
    if (!items.some(({ delivery }) => isOver(delivery, this.#parts.context.clock.now()))) return items;
    await this.#parts.expire();
    return this.#waiting(mailboxes);
  }

  /** Each priority by itself: a long queue of one must not hide another. */
  #waiting(mailboxes: readonly Address[]): readonly Item[] {
    const { read } = this.#parts.context.store;
    return PRIORITIES.flatMap((priority) =>
      read.deliveries({
        mailboxes,
        states: ["queued"],
        priority,
        forTerminals: true,
        newestFirst: LADDER[priority].order === "last-in-first-out",
        limit: LOOK_AHEAD,
      }),
    );
  }

  async #deliver(items: readonly Item[], interrupting: boolean): Promise<Instant | "on-signal"> {
    const { context, session, endpoint } = this.#parts;
    context.checkpoint("deliver.chosen");
    const batch: Batch = { items };
    let begun: Transport | undefined;
    let settled: Outcome | undefined;
    const handover: Handover = {
      signal: this.#stop.signal,
      interrupting,
      begin: async (attempt) => {
        await this.#begin(items, {
          attempt: { ...attempt, sessionId: session.record.id, startedAt: context.clock.now() },
          transport: attempt.transport,
        });
        begun = attempt.transport;
        context.checkpoint("deliver.marked");
      },
      settle: async (outcome) => {
        await this.#recordUntilWritten(items, outcome, begun !== undefined);
        settled = outcome;
      },
    };
    const outcome = await endpoint.deliver(batch, handover).catch((cause: unknown): Outcome => {
      if (begun === undefined) throw cause;
      // Once it is marked, a failure leaves open what went in: nobody else would ever settle it.
      context.log.error("courier.delivery_failed", { session: session.record.id, cause: String(cause) });
      return {
        kind: "unconfirmed",
        transport: begun,
        note: "its delivery failed midway: the text may be in",
      };
    });
    if (outcome !== settled) await this.#recordUntilWritten(items, outcome, begun !== undefined);
    context.checkpoint("deliver.recorded");
    if (outcome.kind === "gone" || outcome.kind === "ended") {
      this.#parts.onGone(session);
      return "on-signal";
    }
    return outcome.kind === "hold" ? outcome.retryAt : context.clock.now();
  }

  async #begin(items: readonly Item[], patch: Pick<DeliveryPatch, "attempt" | "transport">): Promise<void> {
    const { store, clock, log } = this.#parts.context;
    await store.write((tx) => {
      for (const { delivery } of items) {
        const now = tx.findDelivery(delivery.id);
        // A cancel or an expiry may have come between the choice and this commit.
        if (now?.state !== "queued" || isOver(now, clock.now())) throw new StateMoved(delivery.id);
        tx.updateDelivery(delivery.id, {
          ...patch,
          state: "delivering",
          attempts: now.attempts + 1,
          hold: null,
        });
        tx.appendReceipt(delivery.id, {
          at: clock.now(),
          state: "delivering",
          ...(patch.transport == null ? {} : { transport: patch.transport }),
        });
      }
    });
    log.info("delivery.begun", {
      deliveries: items.map(({ delivery }) => delivery.id),
      transport: patch.transport,
    });
    this.#parts.states.changed(items.map(({ message }) => message.id));
  }

  /** What was typed cannot be taken back: its record is tried until the disk takes it. */
  async #recordUntilWritten(items: readonly Item[], outcome: Outcome, begun: boolean): Promise<void> {
    const { clock, log } = this.#parts.context;
    for (;;) {
      try {
        return await this.#record(items, outcome, begun);
      } catch (cause) {
        if (!begun || this.#stop.signal.aborted) throw cause;
        log.error("courier.record_failed", { session: this.#parts.session.record.id, cause: String(cause) });
        await pause(clock, AFTER_FAILURE_MS);
      }
    }
  }

  async #record(items: readonly Item[], outcome: Outcome, begun: boolean): Promise<void> {
    const { context, directory, session } = this.#parts;
    const { store, clock, log } = context;
    await store.write((tx) => {
      for (const { delivery } of items) recordOutcome(tx, delivery, outcome, begun, clock.now());
      // Its program may have ended meanwhile, and its record says so.
      const isThere = directory.get(session.record.id) === session;
      if (outcome.kind === "delivered" && isThere) {
        session.record = { ...session.record, lastActiveAt: clock.now() };
        tx.putSession(session.record);
      }
    });
    const heldBefore = items.every(
      ({ delivery }) => outcome.kind === "hold" && delivery.hold?.reason === outcome.reason,
    );
    if (!heldBefore)
      log.info("delivery.outcome", {
        deliveries: items.map(({ delivery }) => delivery.id),
        session: session.record.id,
        outcome: outcome.kind,
        ...(outcome.kind === "delivered" ? { transport: outcome.transport, evidence: outcome.evidence } : {}),
        ...(outcome.kind === "hold" ? { reason: outcome.reason, release: outcome.release } : {}),
      });
    this.#parts.states.changed(items.map(({ message }) => message.id));
  }

  async #recordHolds(
    items: readonly Item[],
    holds: readonly {
      readonly deliveryId: DeliveryId;
      readonly reason: HoldReason;
      readonly release: string;
    }[],
  ): Promise<void> {
    const { store, clock } = this.#parts.context;
    const changed = holds.filter(({ deliveryId, reason, release }) => {
      const hold = items.find(({ delivery }) => delivery.id === deliveryId)?.delivery.hold;
      return hold?.reason !== reason || hold.release !== release;
    });
    if (changed.length === 0) return;
    await store.write((tx) => {
      for (const { deliveryId, reason, release } of changed) {
        const now = tx.findDelivery(deliveryId);
        if (now?.state === "queued")
          tx.updateDelivery(deliveryId, { hold: nextHold(now, reason, release, clock.now()) });
      }
    });
    const held = new Set(changed.map(({ deliveryId }) => deliveryId));
    this.#parts.states.changed(
      items.filter(({ delivery }) => held.has(delivery.id)).map(({ message }) => message.id),
    );
  }
}

function isOver({ timeoutAt }: Delivery, now: Instant): boolean {
  return timeoutAt !== undefined && timeoutAt <= now;
}

/** It would only wait there, and keep the answer behind it from the dialog. */
function isRawForComposer({ message: { form } }: Item): boolean {
  return form.kind === "raw" && form.dialog === undefined;
}

const NOT_FOR_THIS_DIALOG = {
  reason: "blocked",
  release: "when this dialog is answered: the raw text was not sent for it",
} as const;

export class StateMoved extends Error {
  override readonly name = "StateMoved";
  readonly deliveryId: DeliveryId;
  constructor(deliveryId: DeliveryId) {
    super(`delivery ${deliveryId} is not queued any more`);
    this.deliveryId = deliveryId;
  }
}

function nextHold(delivery: Delivery, reason: HoldReason, release: string, now: Instant) {
  const since = delivery.hold?.reason === reason ? delivery.hold.since : now;
  return { reason, since, release };
}

function recordOutcome(
  tx: StoreWriter,
  delivery: Delivery,
  outcome: Outcome,
  begun: boolean,
  at: Instant,
): void {
  const now = tx.findDelivery(delivery.id);
  if (now === undefined) return;
  if (outcome.kind === "hold" || outcome.kind === "gone") {
    const [reason, release] =
      outcome.kind === "hold"
        ? ([outcome.reason, outcome.release] as const)
        : (["offline", "when the program runs again"] as const);
    if (begun && now.state === "delivering") {
      tx.updateDelivery(delivery.id, {
        state: "queued",
        attempt: null,
        hold: nextHold(now, reason, release, at),
      });
      tx.appendReceipt(delivery.id, { at, state: "queued", note: `nothing was typed: held ${reason}` });
    } else if (now.state === "queued") {
      tx.updateDelivery(delivery.id, { hold: nextHold(now, reason, release, at) });
    }
    return;
  }
  if (outcome.kind === "ended" && !now.atMostOnce) {
    if (now.state !== "delivering") return;
    const release = "when the program runs again";
    const note = `${outcome.note}: it goes out again as a possible duplicate`;
    tx.updateDelivery(delivery.id, {
      state: "queued",
      attempt: null,
      possibleDuplicate: true,
      hold: nextHold(now, "offline", release, at),
    });
    tx.appendReceipt(delivery.id, { at, state: "queued", note });
    return;
  }
  if (outcome.kind === "failed") {
    if (now.state !== "queued") return;
    tx.updateDelivery(delivery.id, { state: "failed", hold: null });
    tx.appendReceipt(delivery.id, { at, state: "failed", note: outcome.note });
    return;
  }
  // A hook may have proven it, or an answer may have come, while the endpoint was still waiting.
  if (now.state !== "delivering" && now.state !== "unconfirmed") return;
  const meanwhile = provenMeanwhile(tx, now);
  if ((outcome.kind === "unconfirmed" || outcome.kind === "ended") && meanwhile === undefined) {
    tx.updateDelivery(delivery.id, { state: "unconfirmed", transport: outcome.transport });
    tx.appendReceipt(delivery.id, {
      at,
      state: "unconfirmed",
      transport: outcome.transport,
      note: outcome.note,
    });
    return;
  }
  const { transport } = outcome;
  const told = outcome.kind === "delivered" ? [outcome.evidence] : [];
  const evidence = strongest(meanwhile === undefined ? told : [...told, meanwhile]);
  if (evidence === undefined) return;
  const enough = now.require === undefined || isAtLeast(evidence, now.require);
  const state = enough ? "delivered" : "unconfirmed";
  tx.updateDelivery(delivery.id, { state, transport, evidence, release: "by-rule" });
  tx.appendReceipt(delivery.id, {
    at,
    state,
    transport,
    evidence,
    ...(enough ? {} : { note: `required: ${now.require}` }),
  });
}

/** By a hook that came when the endpoint had stopped waiting, but before this commit: nobody else records it. */
function provenMeanwhile(tx: StoreWriter, { attempt }: Delivery): Evidence | undefined {
  if (attempt === undefined) return undefined;
  const told = tx
    .hookEvents(attempt.sessionId, attempt.startedAt)
    .some(
      ({ event, tokens, promptDigest, subAgent }) =>
        event === "prompt-submitted" &&
        subAgent === undefined &&
        (tokens.includes(attempt.token) || promptDigest === attempt.promptDigest),
    );
  return told ? evidenceOfSubmit(attempt.transport, attempt.wasBusy) : undefined;
}
