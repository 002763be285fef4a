/** The verbs of the broker: routes, mailboxes, subscriptions, dead letters. Thin, like the other use-cases. */
import { splitAddress } from "../../core/address.ts";
import { parsePattern } from "../../core/routing/pattern.ts";
import type { SubscriptionOwner } from "../../ports/store.ts";
import type { RouteResponse, SubscriptionsResponse } from "../../wire/shapes/broker.ts";
import type { MailboxRequest } from "../../wire/verbs/broker.ts";
import type { RequestOf, UseCases } from "../../wire/verbs/index.ts";
import { brokerMessage, handledBy, standing } from "../broker/broker-shape.ts";
import { type Mailbox, MOST_RECEIVED } from "../broker/mailboxes.ts";
import { submit } from "../sending/submitting.ts";
import { shownSubscription } from "../views/shown.ts";
import type { UseCaseParts } from "./parts.ts";

type BrokerVerb =
  | "route"
  | "receive"
  | "mailbox_history"
  | "ack"
  | "inbox"
  | "sub_add"
  | "sub_remove"
  | "sub_list"
  | "unmatched"
  | "unmatched_clear"
  | "unmatched_reroute"
  | "export"
  | "session_add";

export function brokerUseCases(parts: UseCaseParts): Pick<UseCases, BrokerVerb> {
  const { mailboxes, subscriptions, agents, deadLetters, queries } = parts;
  return {
    route: (request) => route(parts, request),
    receive: async ({ limit, claims, ...request }) => ({
      messages: await mailboxes.receive(mailboxes.meant(request).address, claims, limit),
    }),
    mailbox_history: async (request) => ({
      messages: mailboxes.history(mailboxes.meant(request).address, request),
    }),
    ack: async ({ id, agent, session, claims }) => {
      const message = queries.message(id);
      const mailbox =
        agent === undefined
          ? undefined
          : mailboxes.meant({ agent, ...(session === undefined ? {} : { session }) }).address;
      return { messageId: message.id, states: await mailboxes.acknowledge(message.id, mailbox, claims) };
    },
    inbox: (request) => inbox(parts, request),
    sub_add: async (request) => {
      // Before a session is made for it.
      parsePattern(request.pattern);
      const mailbox = await withSession(parts, request);
      await subscriptions.add(ownerOf(mailbox), request.pattern, mailbox.agent);
      return listed(parts, mailbox, request.session);
    },
    sub_remove: async (request) => {
      const mailbox = mailboxes.meant(request);
      await subscriptions.remove(ownerOf(mailbox), request.pattern, mailbox.agent);
      return listed(parts, mailbox, request.session);
    },
    sub_list: async (request) => listed(parts, mailboxes.meant(request), request.session),
    unmatched: async (window) => ({ messages: deadLetters.list(window) }),
    unmatched_clear: async () => ({ cleared: await deadLetters.clear() }),
    unmatched_reroute: async ({ id }) =>
      deadLetters.reroute(id === undefined ? undefined : queries.message(id).id),
    export: async (request) => parts.history.exported(request),
    session_add: async ({ agent, name, title }) => {
      const owner = queries.agent(agent).name;
      const session = await agents.ensureSession(owner, name, title);
      return { agent: owner, sessionId: session.id, name: session.name ?? name };
    },
  };
}

async function route(parts: UseCaseParts, request: RequestOf<"route">): Promise<RouteResponse> {
  const { context } = parts;
  const { path, body = "", payload = body === "" ? {} : undefined, ...rest } = request;
  const { message, deliveries, unmatched, reason } = await submit(
    parts,
    { ...rest, body, ...(payload === undefined ? {} : { payload }) },
    parsePattern(path).text,
    parts.directory.bringer(request.claims, request.from, request.channel),
  );
  const { read } = context.store;
  const [first] = deliveries;
  const places = deliveries.map(({ to }) => splitAddress(to));
  return {
    messageId: message.id,
    shortId: message.shortId,
    delivered: !unmatched,
    unmatched,
    ...(reason === undefined ? {} : { reason }),
    deliveredTo: places.filter(({ kind }) => kind === "agent").map(({ rest: name }) => name),
    deliveredToSessions: places
      .filter(({ kind }) => kind === "session")
      .flatMap(({ rest: session }) => handledBy(session, read)),
    message: { ...brokerMessage(message, undefined, read), ...(first === undefined ? {} : standing(first)) },
  };
}

async function inbox(parts: UseCaseParts, { who, take, limit = MOST_RECEIVED, claims }: RequestOf<"inbox">) {
  const { mailboxes, history, context } = parts;
  const { address, mailboxes: meant } = who === undefined ? mailboxes.own(claims) : mailboxes.named(who);
  const items =
    take === true
      ? await mailboxes.take(meant, claims, limit)
      : context.store.read.deliveries({ mailboxes: meant, states: ["queued"], limit });
  return { who: address, entries: history.entries(items) };
}

/** Subscribing a session that is not there yet makes it: sessions wake up when something comes for them. */
async function withSession(parts: UseCaseParts, request: MailboxRequest): Promise<Mailbox> {
  const { mailboxes, agents } = parts;
  const { agent } = mailboxes.meant({ agent: request.agent });
  if (request.session !== undefined && mailboxes.session(agent, request.session) === undefined)
    await agents.ensureSession(agent, request.session);
  return mailboxes.meant(request);
}

function ownerOf({ agent, session }: Mailbox): SubscriptionOwner {
  return session === undefined ? { kind: "agent", agent } : { kind: "session", sessionId: session.id };
}

function listed(parts: UseCaseParts, mailbox: Mailbox, session: string | undefined): SubscriptionsResponse {
  return {
    agent: mailbox.agent,
    ...(session === undefined ? {} : { session }),
    subscriptions: parts.subscriptions.list(ownerOf(mailbox)).map(shownSubscription),
  };
}
