import type { Address, Delivery, Instant } from "../../core/message.ts";
import { LADDER, PRIORITIES } from "../../core/priority.ts";
import { byDrain, type Placed } from "../../core/queue.ts";
import type { Item, StoreReader } from "../../ports/store.ts";

const FURTHER = 4;

/**
 * What waits for a terminal, in delivery order. Each priority is limited separately, so that a long queue of one does
 * not hide another. `exceptFrom`: without what these sent.
 */
export function outgoing(
  read: StoreReader,
  mailboxes: readonly Address[] | "all",
  mostOfEach: number,
  exceptFrom: readonly Address[] = [],
): readonly Item[] {
  const isAny = mailboxes === "all" || exceptFrom.length > 0;
  const few = isAny ? undefined : read.fewQueued(mailboxes, mostOfEach);
  const waiting =
    few ??
    PRIORITIES.flatMap((priority) =>
      read.deliveries({
        ...(mailboxes === "all" ? {} : { mailboxes }),
        states: ["queued"],
        priority,
        forTerminals: true,
        newestFirst: LADDER[priority].order === "last-in-first-out",
        limit: mostOfEach,
        ...(exceptFrom.length === 0 ? {} : { exceptFrom }),
      }),
    );
  return waiting.toSorted((a, b) => byDrain(placed(a), placed(b)));
}

/** The same, but further on where people hold back everything that comes first: what is behind may go. */
export function outgoingPastHeld(
  read: StoreReader,
  mailboxes: readonly Address[],
  mostOfEach: number,
): readonly Item[] {
  for (let most = mostOfEach; ; most *= FURTHER) {
    const items = outgoing(read, mailboxes, most);
    const areHeld = items.every(({ delivery }) => delivery.release === "withheld");
    if (!areHeld || items.length < most) return items;
  }
}

function placed({ delivery: { id, priority, position, release } }: Item): Placed {
  return { deliveryId: id, priority, position, release };
}

/** Grouped by owner; the owners are in the order of their first items. */
export function byOwner(items: readonly Item[], ownerOf: (mailbox: Address) => string): readonly Item[] {
  const ofOwner = new Map<string, Item[]>();
  for (const item of items) {
    const owner = ownerOf(item.delivery.to);
    const list = ofOwner.get(owner);
    if (list === undefined) ofOwner.set(owner, [item]);
    else list.push(item);
  }
  return [...ofOwner.values()].flat();
}

export function isOverdue({ timeoutAt }: Delivery, now: Instant): boolean {
  return timeoutAt !== undefined && timeoutAt <= now;
}
