import type { Address, Delivery, Instant } from "../core/message.ts";
import { LADDER, PRIORITIES } from "../core/priority.ts";
import type { Item, StoreReader } from "../ports/store.ts";

/**
 * What waits for a terminal, in the order it would go out. Each priority by itself, and of each no more than the limit:
 * a long queue of one must not hide another.
 */
export function outgoing(
  read: StoreReader,
  mailboxes: readonly Address[],
  mostOfEach: number,
): readonly Item[] {
  return PRIORITIES.flatMap((priority) =>
    read.deliveries({
      mailboxes,
      states: ["queued"],
      priority,
      forTerminals: true,
      newestFirst: LADDER[priority].order === "last-in-first-out",
      limit: mostOfEach,
    }),
  );
}

/** Nobody took it in time. */
export function isOverdue({ timeoutAt }: Delivery, now: Instant): boolean {
  return timeoutAt !== undefined && timeoutAt <= now;
}
