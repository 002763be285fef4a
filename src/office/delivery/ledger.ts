/**
 * Records what becomes of a session's batches: held, begun, settled, and read once their turn is over. Called by its
 * courier and by the code that sees a turn end; tells those who wait for a message. It never chooses and never types.
 */
import { UNOPENED } from "../../core/evidence.ts";
import type { Attempt, Evidence, Instant, SessionId } from "../../core/message.ts";
import type { ChosenHold } from "../../core/queue.ts";
import { isTurnBoundary } from "../../core/readiness/readiness.ts";
import { isElsewhere } from "../../core/session.ts";
import { SENT_WITH_OTHER_TEXT } from "../../core/text/whole-prompt.ts";
import type { DeliveryOutcome } from "../../ports/endpoint.ts";
import type { Item, StoreReader, StoreWriter } from "../../ports/store.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { isByReference } from "../typing/openings.ts";
import { isOverdue } from "./outgoing.ts";
import { heldFor, mixedByHook, provenByHook, settlement, submissionOf } from "./settlement.ts";

const TOLD_AFTER_MS = 1;

export interface LedgerParts extends Ground {
  readonly session: LiveSession;
  /** They were sent together with text that is not ours. */
  onMixed(sessionId: SessionId, items: readonly Item[]): void;
}

export class Ledger {
  readonly #parts: LedgerParts;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  /** An unchanged hold is not written again. */
  async hold(items: readonly Item[], holds: readonly ChosenHold[]): Promise<void> {
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
          tx.updateDelivery(deliveryId, { hold: heldFor(now, reason, release, clock.now()) });
      }
    });
    const held = new Set(changed.map(({ deliveryId }) => deliveryId));
    this.#tell(items.filter(({ delivery }) => held.has(delivery.id)));
  }

  /**
   * Rejects if one of them is no longer queued, or if a person changed the queue since it was read (`order`): then
   * nothing of the batch may be typed.
   */
  async begin(
    items: readonly Item[],
    marked: Omit<Attempt, "sessionId" | "startedAt">,
    order: number,
  ): Promise<void> {
    const { context, session } = this.#parts;
    const { store, clock, log } = context;
    const { transport } = marked;
    const attempt: Attempt = { ...marked, sessionId: session.record.id, startedAt: clock.now() };
    await store.write((tx) => {
      if (session.order !== order) throw new StateMoved("the order was changed");
      for (const { delivery } of items) {
        const now = tx.findDelivery(delivery.id);
        // It may have been cancelled or have expired between the choice and this commit.
        if (now?.state !== "queued" || isOverdue(now, clock.now()))
          throw new StateMoved(`${delivery.id} is not queued any more`);
        tx.moveDelivery(
          delivery.id,
          { at: clock.now(), state: "delivering", transport },
          { attempt, transport, attempts: now.attempts + 1, hold: null },
        );
      }
    });
    // Not now: the next that this thread does is to send the keys.
    clock.after(TOLD_AFTER_MS, () => {
      log.info("delivery.begun", { deliveries: items.map(({ delivery }) => delivery.id), transport });
      try {
        this.#tell(items);
      } catch (cause) {
        log.error("delivery.untold", { cause: String(cause) });
      }
    });
  }

  /** After a crash it tells that only the proof is missing, not the keys. */
  submitted(items: readonly Item[]): void {
    const { store, clock, log } = this.#parts.context;
    const submittedAt = clock.now();
    store
      .write((tx) => {
        for (const { delivery } of items) {
          const now = tx.findDelivery(delivery.id);
          if (now?.state !== "delivering" || now.attempt === undefined) continue;
          tx.updateDelivery(delivery.id, { attempt: { ...now.attempt, submittedAt } });
        }
      })
      .catch((cause: unknown) => log.warn("delivery.submit_not_recorded", { cause: String(cause) }));
  }

  async settle(items: readonly Item[], outcome: DeliveryOutcome, begun: boolean): Promise<void> {
    const { context, directory, session } = this.#parts;
    const { store, clock } = context;
    const mixed: Item[] = [];
    await store.write((tx) => {
      mixed.length = 0;
      for (const { delivery, message } of items) {
        const now = tx.findDelivery(delivery.id);
        if (now === undefined) continue;
        const settled = settlement(now, outcome, {
          at: clock.now(),
          begun,
          provenMeanwhile: () => hookProof(tx, now.attempt),
          mixedMeanwhile: () => hookMixed(tx, now.attempt),
        });
        if (settled === undefined) continue;
        if (settled.receipt === undefined) tx.updateDelivery(delivery.id, settled.patch);
        else tx.moveDelivery(delivery.id, settled.receipt, settled.patch);
        if (
          settled.receipt?.state === "delivered" &&
          hasEndedSince(tx, now.attempt, settled.receipt.evidence)
        )
          recordTurnEnd(tx, { delivery: now }, { at: clock.now(), note: "the agent has ended its turn" });
        if (settled.receipt?.note === SENT_WITH_OTHER_TEXT) mixed.push({ delivery: now, message });
      }
      // Its program may have ended meanwhile, and its record says so.
      const isThere = directory.get(session.record.id) === session;
      if (outcome.kind === "delivered" && isThere) {
        session.record = { ...session.record, lastActiveAt: clock.now() };
        tx.putSession(session.record);
      }
    });
    this.#log(items, outcome);
    this.#tell(items);
    if (mixed.length > 0) this.#parts.onMixed(session.record.id, mixed);
  }

  #log(items: readonly Item[], outcome: DeliveryOutcome): void {
    const { context, session } = this.#parts;
    const heldBefore = items.every(
      ({ delivery }) => outcome.kind === "hold" && delivery.hold?.reason === outcome.reason,
    );
    if (heldBefore) return;
    context.log.info("delivery.outcome", {
      deliveries: items.map(({ delivery }) => delivery.id),
      session: session.record.id,
      outcome: outcome.kind,
      ...(outcome.kind === "delivered" ? { transport: outcome.transport, evidence: outcome.evidence } : {}),
      ...(outcome.kind === "hold" ? { reason: outcome.reason, release: outcome.release } : {}),
    });
  }

  #tell(items: readonly Item[]): void {
    this.#parts.states.changed(items.map(({ message }) => message.id));
  }
}

/** The delivery's turn is over: it is read, unless its text was in a file, which the end of a turn does not tell. */
export function recordTurnEnd(
  tx: StoreWriter,
  item: Pick<Item, "delivery">,
  receipt: { readonly at: Instant; readonly evidence?: "screen"; readonly note: string },
): void {
  const { id } = item.delivery;
  if (!isByReference(item)) {
    tx.moveDelivery(id, { ...receipt, state: "read" });
    return;
  }
  if (tx.receiptsOf(id).some(({ note }) => note === UNOPENED)) return;
  tx.appendReceipt(id, { at: receipt.at, state: "delivered", note: UNOPENED });
}

/**
 * The end of a quick turn may be reported before its delivery is on disk as delivered. No hook reports the beginning of a
 * turn that a hook's answer began or joined; there it may also come before the session file was seen to show the text.
 */
function hasEndedSince(
  read: StoreReader,
  attempt: Attempt | undefined,
  evidence: Evidence | undefined,
): boolean {
  if (attempt === undefined || (evidence !== "submitted" && evidence !== "transcript")) return false;
  const { sessionId, startedAt, transport } = attempt;
  const own = read.hookEvents(sessionId, startedAt).filter(({ subAgent }) => subAgent === undefined);
  if (transport === "hook")
    return own.some(({ event, emittedAt }) => event === "turn-ended" && emittedAt > startedAt);
  const prompt = submissionOf(attempt, own);
  if (prompt === undefined) return false;
  // Another prompt in between: whether that took the turn of this one over, nobody knows.
  const next = own
    .slice(own.indexOf(prompt) + 1)
    .find((told) => isTurnBoundary(told.event) && !isElsewhere(prompt, told));
  return next?.event === "turn-ended" && next.emittedAt >= prompt.emittedAt;
}

function hookProof(read: StoreReader, attempt: Attempt | undefined): Evidence | undefined {
  if (attempt === undefined) return undefined;
  return provenByHook(attempt, read.hookEvents(attempt.sessionId, attempt.startedAt));
}

function hookMixed(read: StoreReader, attempt: Attempt | undefined): boolean {
  return attempt !== undefined && mixedByHook(attempt, read.hookEvents(attempt.sessionId, attempt.startedAt));
}

/** What was chosen is no longer what should go: to be chosen again. */
export class StateMoved extends Error {
  override readonly name = "StateMoved";
}
