/** What goes to a host that may have had it before, and does not know that any more. Both sides of dispatch call it. */
import type { Delivery, Instant } from "../../../core/message.ts";
import type { SentLetter } from "../../../ports/cluster-store.ts";
import type { StoreWriter } from "../../../ports/store.ts";

/** Undefined: it was to go at most once, and does not go again. */
export function markedTwice(
  tx: StoreWriter,
  letter: SentLetter,
  delivery: Delivery,
  now: Instant,
): Delivery | undefined {
  if (!delivery.atMostOnce) return tx.updateDelivery(delivery.id, { possibleDuplicate: true });
  const note = `${letter.host} may have had it and forgotten that, and it was to go at most once`;
  tx.moveDelivery(delivery.id, { at: now, state: "failed", note }, { hold: null });
  tx.putSentLetter({ ...letter, isOver: true });
  return undefined;
}
