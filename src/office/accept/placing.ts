/** Puts a routed message into the mailboxes, inside accept's transaction. */
import { splitAddress } from "../../core/address.ts";
import type { Address, Delivery, Hold, Instant, Message, Wishes } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { RoutedDelivery } from "../../core/routing/route.ts";
import type { NewDelivery, StoreWriter } from "../../ports/store.ts";
import { offlineHold } from "../base/offline.ts";
import type { Ground } from "../presence/ground.ts";
import type { AcceptParts } from "./incoming.ts";

export function place(
  { context, directory, neighbours, told }: Pick<AcceptParts, keyof Ground | "told">,
  tx: StoreWriter,
  message: Message,
  wishes: Wishes,
  timeoutAt: Instant | undefined,
  routed: readonly RoutedDelivery[],
): readonly Delivery[] {
  const now = context.clock.now();
  const copy = {
    messageId: message.id,
    priority: message.priority,
    state: "queued",
    release: "by-rule",
    atMostOnce: wishes.atMostOnce ?? false,
    queuedAt: now,
    ...present({ require: wishes.require, timeoutAt }),
    ...(wishes.anyWayIn === true ? { anyWayIn: true } : {}),
    ...(timeoutAt === undefined ? {} : present({ timeoutMs: wishes.timeoutMs })),
  } as const;
  const owing = wishes.owes === undefined ? copy : { owes: wishes.owes, ...copy };
  const keptOrSoon = () => neighbours.keptFromTurns(message.from, message.shortId) ?? SOON;
  const deliveries = routed.map((one): NewDelivery => {
    const { to } = one;
    if (one.kind === "agent" && one.handled) {
      const handledBy = one.handledBy.map(({ sessionId }) => sessionId);
      return { to, handledBy, hold: receivableHold(to, now), ...copy };
    }
    const obstacle = one.kind === "host" ? neighbours.current?.obstacle(one.host) : undefined;
    if (obstacle !== undefined)
      return { to, hold: { reason: "offline", since: now, release: obstacle }, ...owing };
    if (one.kind === "outlet" || one.kind === "host" || directory.takerOfMailbox(to) !== undefined)
      return { to, ...owing };
    if (message.form.kind === "text" && told.takesTurns(to))
      return { to, hold: { reason: "turn", since: now, release: keptOrSoon() }, ...owing };
    return { to, hold: offlineHold(to, now, message.shortId, tx), ...owing };
  });
  return tx.insertDeliveries(deliveries);
}

/** What a message in a mailbox with automatic turns waits for first. */
const SOON = "when nobody has written for a moment";

/** This copy is never typed, so no program can release it. */
function receivableHold(to: Address, since: Instant): Hold {
  const { rest } = splitAddress(to);
  const release = `when it is received (bellhop inbox ${rest} --take); a session of ${rest} got it too`;
  return { reason: "offline", since, release };
}
