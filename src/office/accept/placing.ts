/** Puts a routed message into the mailboxes, inside accept's transaction. */
import { splitAddress } from "../../core/address.ts";
import type { Address, Delivery, Hold, Instant, Message, Wishes } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { RoutedDelivery } from "../../core/routing/route.ts";
import type { StoreReader, StoreWriter } from "../../ports/store.ts";
import { offlineHold } from "../base/offline.ts";
import type { Directory } from "../presence/directory.ts";

export function place(
  tx: StoreWriter,
  message: Message,
  wishes: Wishes,
  timeoutAt: Instant | undefined,
  routed: readonly RoutedDelivery[],
  { directory, now }: { readonly directory: Directory; readonly now: Instant },
): readonly Delivery[] {
  return routed.map((one) => {
    const handledBy =
      one.kind === "agent" && one.handled ? one.handledBy.map(({ sessionId }) => sessionId) : undefined;
    return tx.insertDelivery({
      messageId: message.id,
      to: one.to,
      priority: message.priority,
      state: "queued",
      release: "by-rule",
      atMostOnce: wishes.atMostOnce ?? false,
      queuedAt: now,
      ...present({ require: wishes.require }),
      ...(wishes.anyWayIn === true ? { anyWayIn: true } : {}),
      ...(timeoutAt === undefined ? {} : { timeoutAt, ...asked(wishes) }),
      ...(wishes.owes === undefined || handledBy !== undefined ? {} : { owes: wishes.owes }),
      ...(handledBy === undefined
        ? firstHold(one.to, directory, now, message.shortId, tx)
        : { handledBy, hold: receivableHold(one.to, now) }),
    });
  });
}

function asked({ timeoutMs }: Wishes): Pick<Delivery, "timeoutMs"> {
  return timeoutMs === undefined ? {} : { timeoutMs };
}

function firstHold(
  to: Address,
  directory: Directory,
  now: Instant,
  shortId: string,
  read: StoreReader,
): Pick<Delivery, "hold"> | Record<never, never> {
  return directory.takerOfMailbox(to) === undefined ? { hold: offlineHold(to, now, shortId, read) } : {};
}

/** Never typed, so nothing that a program does releases it. */
function receivableHold(to: Address, since: Instant): Hold {
  const { rest } = splitAddress(to);
  const release = `when it is received (bellhop inbox ${rest} --take); a session of ${rest} got it too`;
  return { reason: "offline", since, release };
}
