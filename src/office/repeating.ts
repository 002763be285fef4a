/**
 * What comes again and again to somebody who takes nothing: one of them waits, and the next are left out until it is
 * taken. Asked by timers inside their transactions, and by whoever shows a reminder.
 */
import type { Address, Delivery, Instant, Message, MessageId } from "../core/message.ts";
import type { Reminder, StoreReader, StoreWriter } from "../ports/store.ts";

type Work = Reminder["work"];

/** The one that came last, while nobody, or not everybody, has taken it. */
export function stillWaiting(read: StoreReader, { lastMessage }: Work): Message | undefined {
  if (lastMessage === undefined || !read.deliveriesOf(lastMessage).some(waits)) return undefined;
  return read.message(lastMessage);
}

/** It would lie there twice. Where some have taken it, the next is for them. */
export function isLeftOut(read: StoreReader, { lastMessage }: Work, to: Address): boolean {
  const last = lastMessage === undefined ? undefined : read.message(lastMessage);
  if (last === undefined) return false;
  const deliveries = read.deliveriesOf(last.id);
  if (deliveries.length === 0 || !deliveries.every(waits)) return false;
  // Its recipient may have another name by now; or it goes elsewhere, where nobody has it yet.
  return last.to === to || deliveries.every((delivery) => delivery.to === to);
}

/** What still waits of the last one gives way. Says whose state has changed. */
export function giveWay(
  tx: StoreWriter,
  { lastMessage }: Work,
  next: Message,
  at: Instant,
): readonly MessageId[] {
  if (lastMessage === undefined) return [];
  tx.removeUnmatched(lastMessage);
  const left = tx.deliveriesOf(lastMessage).filter(({ state }) => state === "queued");
  for (const { id } of left) {
    tx.updateDelivery(id, { state: "cancelled", hold: null });
    tx.appendReceipt(id, { at, state: "cancelled", note: `#${next.shortId} came in its place` });
  }
  return left.length === 0 ? [] : [lastMessage];
}

function waits({ state }: Delivery): boolean {
  return state === "queued" || state === "delivering";
}
