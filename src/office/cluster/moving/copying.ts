/** A message that follows its agent as a new one, of the same sender and in the place of the old one. */
import type { Address, Delivery, Instant, Message } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { Item, StoreWriter } from "../../../ports/store.ts";
import type { Submission } from "../../accept/submission.ts";

export function copyOf({ message, delivery }: Item, to: Address, now: Instant): Submission {
  const { body, form, command, payload, channel, externalId, fromSession } = message;
  const { priority, timeoutAt, owes, require, anyWayIn, atMostOnce } = delivery;
  return {
    to,
    sender: { address: message.from, source: message.source, ...present({ sessionId: fromSession }) },
    ...{ body, form, priority, atMostOnce },
    timeoutMs: timeoutAt === undefined ? 0 : Math.max(1, timeoutAt - now),
    ...present({ command, payload, channel, externalId, owes, require, anyWayIn }),
  };
}

/** Whoever it was for did not get it by this delivery, and will not. */
export function cameToNothing({ state }: Delivery): boolean {
  return state === "failed" || state === "expired" || state === "cancelled";
}

/**
 * Inside the transaction in which the copy is accepted. What a person decided about the old one stays. `perhapsTwice`: the
 * agent may have heard it where it is now, too.
 */
export function inPlaceOf(
  tx: StoreWriter,
  copy: Message,
  { position, release, ...old }: Delivery,
  perhapsTwice: boolean,
): void {
  const possibleDuplicate = old.possibleDuplicate || perhapsTwice;
  for (const { id } of tx.deliveriesOf(copy.id))
    tx.updateDelivery(id, { position, release, possibleDuplicate });
}
