/** Messages of which nothing shows that they arrived, for the lists of a person. Read-only. */
import { hostOfMailbox } from "../../core/cluster/hosts.ts";
import type { Delivery } from "../../core/message.ts";
import type { Item, QueueFilter, StoreReader } from "../../ports/store.ts";

const FURTHER = 4;

/** At most so many, without those at which nobody need look any more. */
export function unconfirmed(
  read: StoreReader,
  filter: Omit<QueueFilter, "states" | "limit">,
  most: number,
): readonly Item[] {
  for (let limit = most; ; limit *= FURTHER) {
    const items = read.deliveries({ ...filter, states: ["unconfirmed"], limit });
    const open = items.filter(({ delivery }) => !isSettled(read, delivery));
    if (open.length >= most || items.length < limit) return open.slice(0, most);
  }
}

/** Nobody knows whether it arrived, and nobody need look at it any more. */
function isSettled(read: StoreReader, { id, to }: Delivery): boolean {
  return hostOfMailbox(to) !== undefined && read.sentLetter(id)?.settledAt !== undefined;
}
