import { splitAddress } from "../../core/address.ts";
import { type HostName, hostOfMailbox } from "../../core/cluster/hosts.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, AgentName } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { hasWildcards, parsePattern } from "../../core/routing/pattern.ts";
import type { StoreReader } from "../../ports/store.ts";
import type { HandledBy } from "../../wire/shapes/broker.ts";
import type { broker } from "../../wire/verbs/broker.ts";
import type { RequestOf, ResponseOf, UseCasesOf } from "../../wire/verbs/index.ts";
import type { Accepted } from "../accept/submission.ts";
import { listSubscriptions, subscribe, unsubscribe } from "../arrivals/subscribing.ts";
import { handledBy, sentMessage } from "../broker/broker-shape.ts";
import { MOST_RECEIVED } from "../broker/mailboxes.ts";
import { submit } from "../sending/submitting.ts";
import type { UseCaseParts } from "./parts.ts";

export function brokerVerbs(parts: UseCaseParts): UseCasesOf<typeof broker> {
  const { mailboxes, deadLetters, queries } = parts;
  return {
    route: async (request) => {
      const to = parsePattern(request.path).text;
      const sender = parts.directory.bringer(request.claims, request.from, request.channel);
      const words = hasText(request)
        ? request
        : { ...request, payload: request.payload === undefined ? {} : request.payload, body: "" };
      const accepted = await submit(parts, words, to, sender);
      return published(accepted, parts.context.store.read);
    },
    route_try: async ({ path, from, claims }) =>
      parts.accept.tried({
        to: await triedPath(parts, path),
        sender: parts.directory.bringer(claims, from, undefined),
      }),
    traffic: async ({ withinMs }) => parts.traffic.within(withinMs),
    sub_all: async (request) => parts.hearing.all(request),
    receive: async ({ limit, claims, ...request }) => ({
      messages: await mailboxes.receive(mailboxes.meant(request).address, claims, limit),
    }),
    mailbox_history: async (request) => ({
      messages: mailboxes.history(mailboxes.meant(request).address, request),
    }),
    ack: async ({ id, agent, session, claims }) => {
      const message = queries.message(id);
      const mailbox =
        agent === undefined ? undefined : mailboxes.meant({ agent, ...present({ session }) }).address;
      return { messageId: message.id, states: await mailboxes.acknowledge(message.id, mailbox, claims) };
    },
    inbox: async ({ who, take, limit = MOST_RECEIVED, claims }) => {
      const { address, mailboxes: meant } = who === undefined ? mailboxes.own(claims) : mailboxes.named(who);
      const items =
        take === true
          ? await mailboxes.take(meant, claims, limit)
          : parts.context.store.read.deliveries({ mailboxes: meant, states: ["queued"], limit });
      return { who: address, entries: parts.history.entries(items) };
    },
    sub_add: (request) => subscribe(parts, request),
    sub_remove: (request) => unsubscribe(parts, request),
    sub_list: async (request) => listSubscriptions(parts, request),
    unmatched: async (window) => ({ messages: deadLetters.list(window) }),
    unmatched_clear: async () => ({ cleared: await deadLetters.clear() }),
    unmatched_reroute: async ({ id }) =>
      deadLetters.reroute(id === undefined ? undefined : queries.message(id).id),
  };
}

function hasText(request: RequestOf<"route">): request is RequestOf<"route"> & { readonly body: string } {
  return request.body !== undefined && request.body !== "";
}

/** A word means whom `send` would reach by it; one that nobody has may be a path. */
async function triedPath({ registrar }: UseCaseParts, path: string): Promise<Address> {
  const pattern = parsePattern(path);
  if (hasWildcards(pattern)) return pattern.text;
  try {
    return await registrar.resolveAnywhere(pattern.text);
  } catch (error) {
    const isNobody = error instanceof BellhopError && error.code === "recipient.unknown";
    if (!isNobody || /[:@]/u.test(path)) throw error;
    return pattern.text;
  }
}

function published(
  { message, deliveries, unmatched, reason }: Accepted,
  read: StoreReader,
): ResponseOf<"route"> {
  const deliveredTo: AgentName[] = [];
  const deliveredToSessions: HandledBy[] = [];
  const hosts: HostName[] = [];
  for (const { to } of deliveries) {
    const { kind, rest } = splitAddress(to);
    if (kind === "agent") deliveredTo.push(rest);
    else if (kind === "session") deliveredToSessions.push(...handledBy(rest, read));
    const host = hostOfMailbox(to);
    if (host !== undefined) hosts.push(host);
  }
  const published = {
    messageId: message.id,
    shortId: message.shortId,
    delivered: !unmatched,
    unmatched,
    deliveredTo,
    deliveredToSessions,
    message: sentMessage(message, deliveries[0]),
  };
  if (reason === undefined && hosts.length === 0) return published;
  return { ...published, ...present({ reason }), ...(hosts.length === 0 ? {} : { deliveredToHosts: hosts }) };
}
