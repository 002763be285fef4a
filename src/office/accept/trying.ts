/** Who would get a message, and why, without sending it. Accept calls it; it reads only. */
import { agentAddress } from "../../core/address.ts";
import { recipientThere } from "../../core/cluster/hosts.ts";
import { present } from "../../core/present.ts";
import type { Pattern } from "../../core/routing/pattern.ts";
import type { Decision, RoutedDelivery } from "../../core/routing/route.ts";
import { type Ears, whyItHears } from "../../core/routing/why.ts";
import type { StoreReader } from "../../ports/store.ts";
import type { RouteTried, TriedRecipient } from "../../wire/shapes/broker.ts";
import { Lineage } from "../presence/lineage.ts";
import type { AcceptParts } from "./incoming.ts";

/** Recipients in one answer. */
export const MOST_TRIED = 200;

const SENDER_LEFT_OUT = "Its sender would not get it: what is said to many is not heard by who says it.";

export function tried(
  parts: Pick<AcceptParts, "directory">,
  read: StoreReader,
  { from, path, decision, isHeardBySender }: Tried,
): RouteTried {
  const deliveries = decision.kind === "deliver" ? decision.deliveries : [];
  const ears = earsOf(read);
  const recipients = deliveries.slice(0, MOST_TRIED).map(
    (delivery): TriedRecipient => ({
      to: delivery.to,
      ...present({ recipient: recipientThere(delivery.to, path.text) }),
      owner: ownerOf(delivery),
      why: whyItHears(delivery, path, ears),
    }),
  );
  const sender = parts.directory.ownerOf(from);
  const isLeftOut = isHeardBySender && deliveries.every((delivery) => ownerOf(delivery) !== sender);
  return {
    path: path.text,
    from,
    recipients,
    more: deliveries.length - recipients.length,
    ...(decision.kind === "unmatched" ? { reason: decision.reason } : {}),
    notes: isLeftOut ? [SENDER_LEFT_OUT] : [],
  };
}

interface Tried {
  readonly from: string;
  readonly path: Pattern;
  readonly decision: Decision;
  /** Apart from the rule that leaves the sender out. */
  readonly isHeardBySender: boolean;
}

function earsOf(read: StoreReader): Ears {
  const lineage = new Lineage(read);
  return {
    placesOf: (agent) => lineage.addressesOf(agent),
    subscriptionsOf: (agent) => read.subscriptionsOf({ kind: "agent", agent }).map(({ pattern }) => pattern),
    subscriptionsOfSession: (sessionId) =>
      read.subscriptionsOf({ kind: "session", sessionId }).map(({ pattern }) => pattern),
    nameOf: (session) => read.session(session)?.name ?? session,
  };
}

function ownerOf(delivery: RoutedDelivery): string {
  return delivery.kind === "agent" || delivery.kind === "session"
    ? agentAddress(delivery.agent)
    : delivery.to;
}
