/**
 * Repeating reminders for someone who does not take them: one of them waits, and the next are skipped until it is
 * taken. Asked by timers inside their transactions, and when a reminder is shown.
 */
import type { Address, Delivery, Instant, Message, MessageId } from "../../core/message.ts";
import type { Reminder, StoreReader, StoreWriter } from "../../ports/store.ts";

type Work = Reminder["work"];

/** The last one, while not everyone has taken it. */
export function stillWaiting(read: StoreReader, { lastMessage }: Work): Message | undefined {
  if (lastMessage === undefined || !read.deliveriesOf(lastMessage).some(waits)) return undefined;
  return read.message(lastMessage);
}

/**
 * Whether it would be there twice: with every recipient that it reaches now, or as a dead letter. If some have taken
 * the last one, or are new, the next is for them.
 */
export function isLeftOut(read: StoreReader, { lastMessage }: Work, reached: readonly Address[]): boolean {
  if (lastMessage === undefined) return false;
  if (reached.length === 0) return read.isUnmatched(lastMessage);
  const holders = new Set(mailboxesOf(read.deliveriesOf(lastMessage).filter(waits)));
  return reached.every((mailbox) => holders.has(mailbox));
}

/** Cancels the deliveries of the last one that the next replaces. Returns the messages whose state changed. */
export function giveWay(
  tx: StoreWriter,
  { lastMessage, sessionId }: Work,
  next: Message,
  at: Instant,
): readonly MessageId[] {
  if (lastMessage === undefined) return [];
  tx.removeUnmatched(lastMessage);
  const came = new Set(mailboxesOf(tx.deliveriesOf(next.id)));
  // A session's reminder goes to its agent once the session has ended, and back once it continues: still only one.
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
