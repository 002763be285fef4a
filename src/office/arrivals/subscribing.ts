/** Who is to hear which path, from the verbs of the broker. It routes nothing. */

import { heardHere } from "../../core/cluster/heard-here.ts";
import { present } from "../../core/present.ts";
import { parsePattern } from "../../core/routing/pattern.ts";
import type { SubscriptionOwner } from "../../ports/store.ts";
import type { SubscriptionsResponse } from "../../wire/shapes/broker.ts";
import type { MailboxRequest } from "../../wire/verbs/broker.ts";
import type { RequestOf } from "../../wire/verbs/index.ts";
import { shownSubscription } from "../broker/broker-shape.ts";
import type { Mailbox, Mailboxes } from "../broker/mailboxes.ts";
import type { Subscriptions } from "../broker/subscriptions.ts";
import type { Neighbours } from "../presence/neighbourhood.ts";
import type { Agents } from "./agents.ts";

export interface SubscribingParts {
  readonly mailboxes: Mailboxes;
  readonly subscriptions: Subscriptions;
  readonly agents: Agents;
  readonly neighbours: Neighbours;
}

export async function subscribe(
  parts: SubscribingParts,
  request: RequestOf<"sub_add">,
): Promise<SubscriptionsResponse> {
  // Validated before a session is created for it.
  const { text } = parsePattern(heardHere(request.pattern, parts.neighbours.current));
  const mailbox = await withSession(parts, request);
  await parts.subscriptions.add(ownerOf(mailbox), text, mailbox.agent);
  return listed(parts, mailbox, request.session);
}

export async function unsubscribe(
  parts: SubscribingParts,
  request: RequestOf<"sub_remove">,
): Promise<SubscriptionsResponse> {
  const mailbox = parts.mailboxes.meant(request);
  await parts.subscriptions.remove(ownerOf(mailbox), request.pattern, mailbox.agent);
  return listed(parts, mailbox, request.session);
}

export function listSubscriptions(parts: SubscribingParts, request: MailboxRequest): SubscriptionsResponse {
  return listed(parts, parts.mailboxes.meant(request), request.session);
}

/** Subscribing a session that does not exist creates it: sessions wake up when something comes for them. */
async function withSession(
  { mailboxes, agents }: SubscribingParts,
  request: MailboxRequest,
): Promise<Mailbox> {
  const { agent } = mailboxes.meant({ agent: request.agent });
  if (request.session !== undefined && mailboxes.session(agent, request.session) === undefined)
    await agents.ensureSession(agent, request.session);
  return mailboxes.meant(request);
}

function ownerOf({ agent, session }: Mailbox): SubscriptionOwner {
  return session === undefined ? { kind: "agent", agent } : { kind: "session", sessionId: session.id };
}

function listed(
  { subscriptions }: SubscribingParts,
  mailbox: Mailbox,
  session: string | undefined,
): SubscriptionsResponse {
  return {
    agent: mailbox.agent,
    ...present({ session }),
    subscriptions: subscriptions.list(ownerOf(mailbox)).map(shownSubscription),
  };
}
