/** What is written down about letters that are on their way. Dispatch calls each inside a transaction. */
import type { Delivery, DeliveryId, Instant, MessageId } from "../../../core/message.ts";
import type { SentLetter } from "../../../ports/cluster-store.ts";
import type { StoreWriter } from "../../../ports/store.ts";
import { isOverdue } from "../../delivery/outgoing.ts";
import { heldFor } from "../../delivery/settlement.ts";

/** The engine has them. */
export function stored(tx: StoreWriter, letters: readonly DeliveryId[], now: Instant): void {
  for (const delivery of letters) {
    const letter = tx.sentLetter(delivery);
    if (letter === undefined || letter.storedAt !== undefined) continue;
    tx.putSentLetter({ ...letter, storedAt: now });
    if (letter.heeded < 0) says(tx, delivery, `when ${letter.host} takes it: NATS has it`, now);
  }
}

/** Whether the engine has them is unknown. */
export function unsure(tx: StoreWriter, letters: readonly DeliveryId[], why: string, now: Instant): void {
  for (const delivery of letters)
    says(tx, delivery, `when NATS answers: ${why} (it may be on its way already)`, now);
}

/**
 * The engine said no, and they never went before: they wait here again, as if they had not been chosen, or are cancelled
 * if somebody asked for them back meanwhile. Whether it has those that went before is unknown.
 */
export function refused(
  tx: StoreWriter,
  letters: readonly DeliveryId[],
  { why, release }: { readonly why: string; readonly release: string },
  now: Instant,
): void {
  for (const id of letters) {
    const delivery = tx.findDelivery(id);
    const letter = tx.sentLetter(id);
    if (delivery?.state !== "delivering" || letter?.attempts !== 1) {
      unsure(tx, [id], why, now);
      continue;
    }
    tx.removeSentLetter(id);
    // What never left was no attempt: a person who reads "2 attempts" must not suspect a duplicate.
    const patch = { attempts: delivery.attempts - 1, transport: null } as const;
    const hold = heldFor(delivery, "offline", release, now);
    tx.moveDelivery(id, { at: now, state: "queued", note: `it has not left: ${why}` }, { ...patch, hold });
    if (letter.withdrawn !== undefined && !isOverdue(delivery, now))
      tx.moveDelivery(id, { at: now, state: "cancelled", note: letter.withdrawn }, { hold: null });
  }
}

/** They cannot be handed to the engine. The messages that say so now. */
export function inTrouble(
  tx: StoreWriter,
  letters: readonly SentLetter[],
  release: string,
  now: Instant,
): readonly MessageId[] {
  return letters.flatMap(({ delivery }) => {
    says(tx, delivery, release, now);
    return tx.findDelivery(delivery)?.messageId ?? [];
  });
}

/** The engine has them, and their host says nothing. The messages that say so now. */
export function doubted(
  tx: StoreWriter,
  letters: readonly DeliveryId[],
  release: string,
  now: Instant,
): readonly MessageId[] {
  const unheard = letters.flatMap((delivery) => tx.sentLetter(delivery) ?? []);
  return inTrouble(
    tx,
    unheard.filter(({ storedAt, heeded }) => storedAt !== undefined && heeded < 0),
    release,
    now,
  );
}

/** While nobody has asked for it back. */
function says(tx: StoreWriter, id: DeliveryId, release: string, now: Instant): void {
  const delivery: Delivery | undefined = tx.findDelivery(id);
  if (delivery?.state !== "delivering" || tx.sentLetter(id)?.withdrawn !== undefined) return;
  tx.updateDelivery(id, { hold: heldFor(delivery, "offline", release, now) });
}
