/** Puts a routed message into the mailboxes, inside accept's transaction. */
import { splitAddress } from "../../core/address.ts";
import type { Address, Delivery, Hold, Instant, Message, Wishes } from "../../core/message.ts";
import type { RoutedDelivery } from "../../core/routing/route.ts";
import type { Writable } from "../../core/writable.ts";
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
  const keptOrSoon = () => neighbours.keptFromTurns(message.from, message.shortId) ?? SOON;
  /** What a delivery waits for; undefined if somebody is there to take it. */
  const holdOf = (one: RoutedDelivery): Hold | undefined => {
    const { to } = one;
    const obstacle = one.kind === "host" ? neighbours.current?.obstacle(one.host) : undefined;
    if (obstacle !== undefined) return { reason: "offline", since: now, release: obstacle };
    if (one.kind === "outlet" || one.kind === "host" || directory.takerOfMailbox(to) !== undefined)
      return undefined;
    if (message.form.kind === "text" && told.takesTurns(to))
      return { reason: "turn", since: now, release: keptOrSoon() };
    return offlineHold(to, now, message.shortId, tx);
  };
  const deliveries: NewDelivery[] = [];
  // Field by field: one message may have thousands of them, and a copy of some fields takes longer than all of them.
  for (const one of routed) {
    const isHandled = one.kind === "agent" && one.handled;
    const delivery: Writable<NewDelivery> = {
      messageId: message.id,
      to: one.to,
      priority: message.priority,
      state: "queued",
      release: "by-rule",
      atMostOnce: wishes.atMostOnce ?? false,
      queuedAt: now,
    };
    const hold = isHandled ? receivableHold(one.to, now) : holdOf(one);
    if (hold !== undefined) delivery.hold = hold;
    if (wishes.require !== undefined) delivery.require = wishes.require;
    if (wishes.anyWayIn === true) delivery.anyWayIn = true;
    if (timeoutAt !== undefined) {
      delivery.timeoutAt = timeoutAt;
      if (wishes.timeoutMs !== undefined) delivery.timeoutMs = wishes.timeoutMs;
    }
    if (isHandled) delivery.handledBy = one.handledBy.map(({ sessionId }) => sessionId);
    else if (wishes.owes !== undefined) delivery.owes = wishes.owes;
    deliveries.push(delivery);
  }
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
