/**
 * What comes again and again to somebody who takes nothing: one of them waits, and the next are left out until it is
 * taken. Asked by timers inside their transactions, and by whoever shows a reminder.
 */
import type { Address, Delivery, Instant, Message, MessageId } from "../../core/message.ts";
import type { Reminder, StoreReader, StoreWriter } from "../../ports/store.ts";

type Work = Reminder["work"];

/** The one that came last, while nobody, or not everybody, has taken it. */
export function stillWaiting(read: StoreReader, { lastMessage }: Work): Message | undefined {
  if (lastMessage === undefined || !read.deliveriesOf(lastMessage).some(waits)) return undefined;
  return read.message(lastMessage);
}

/**
 * It would lie there twice: with everyone whom it reaches now, or as a dead letter. Where some have taken it, or have
 * come since, the next is for them.
 */
export function isLeftOut(read: StoreReader, { lastMessage }: Work, reached: readonly Address[]): boolean {
  if (lastMessage === undefined) return false;
  if (reached.length === 0) return read.isUnmatched(lastMessage);
  const holders = new Set(mailboxesOf(read.deliveriesOf(lastMessage).filter(waits)));
  return reached.every((mailbox) => holders.has(mailbox));
}

/** What still waits of the last one gives way where the next has come in its place. Says whose state has changed. */
export function giveWay(
  tx: StoreWriter,
  { lastMessage, sessionId }: Work,
  next: Message,
  at: Instant,
): readonly MessageId[] {
  if (lastMessage === undefined) return [];
  tx.removeUnmatched(lastMessage);
  const came = new Set(mailboxesOf(tx.deliveriesOf(next.id)));
  // A session's goes to its agent when it has ended, and back when it goes on: there is one of it all the same.
  const replaced = ({ to }: Delivery) => came.has(to) || (sessionId !== undefined && came.size > 0);
  const left = tx.deliveriesOf(lastMessage).filter((one) => one.state === "queued" && replaced(one));
  for (const { id } of left) {
    const note = `#${next.shortId} came in its place`;
    tx.moveDelivery(id, { at, state: "cancelled", note }, { hold: null });
  }
  return left.length === 0 ? [] : [lastMessage];
}

function mailboxesOf(deliveries: readonly Delivery[]): readonly Address[] {
  return deliveries.map(({ to }) => to);
}

function waits({ state }: Delivery): boolean {
  return state === "queued" || state === "delivering";
}
