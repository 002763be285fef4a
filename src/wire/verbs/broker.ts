/** Paths, subscriptions, mailboxes and dead letters. */
import { z } from "zod";
import type { Address, DeliveryState, MessageId } from "../../core/message.ts";
import {
  mail,
  mailOf,
  NOTHING,
  ofMailbox,
  ofMessage,
  queue,
  queueOf,
  toSay,
} from "../../core/rights/needs.ts";
import type {
  BrokerMessage,
  EverySubscription,
  RouteResponse,
  RouteTried,
  SubscriptionsResponse,
  Traffic,
} from "../shapes/broker.ts";
import type { HistoryEntry } from "../shapes/messages.ts";
import { claims } from "./claims.ts";
import {
  address,
  body,
  duration,
  id,
  limit,
  line,
  name,
  nothing,
  REQUEST_LIMITS,
  reqId,
  timeWindow,
} from "./fields.ts";
import { KEYS_WITHOUT_RAW, keysAreRaw, said } from "./messages.ts";
import { type Checked, stream, typed, verb } from "./verb.ts";

/** One mailbox: an agent's, or that of one of its sessions (by id, by the name it was created with, or `main`). */
const mailbox = z.strictObject({ agent: address, session: name.exactOptional(), claims });
export type MailboxRequest = Checked<typeof mailbox>;

export const broker = {
  /** To the subscribers of a path; without a body, command and payload are the message. */
  route: verb(
    () =>
      z
        .strictObject({ ...said, body: body.exactOptional(), path: address, re: id.exactOptional() })
        .refine(keysAreRaw, KEYS_WITHOUT_RAW),
    typed<RouteResponse>(),
    toSay,
  ),
  /** Who would get a message to this path, and why. Nothing is sent. It tells who subscribes to what. */
  route_try: verb(
    () => z.strictObject({ path: address, from: address.exactOptional(), claims }),
    typed<RouteTried>(),
    () => queue(),
  ),
  /** Who wrote to whom, and how often, in this time until now; without it, as long as messages are kept. */
  traffic: verb(
    () => z.strictObject({ withinMs: duration.exactOptional() }),
    typed<Traffic>(),
    () => mail(),
  ),
  /** Takes what waits. */
  receive: verb(
    () => z.strictObject({ ...mailbox.shape, limit: limit.exactOptional() }),
    typed<{ readonly messages: readonly BrokerMessage[] }>(),
    mailOf,
  ),
  /** Oldest first; if there are many, only the newest. */
  mailbox_history: verb(
    () => z.strictObject({ ...mailbox.shape, ...timeWindow.shape }),
    typed<{ readonly messages: readonly BrokerMessage[] }>(),
    mailOf,
  ),
  /** Confirms that the reader has it. */
  ack: verb(
    () => z.strictObject({ id, agent: address.exactOptional(), session: name.exactOptional(), claims }),
    typed<{ readonly messageId: MessageId; readonly states: readonly DeliveryState[] }>(),
    ({ id: message, agent }) => [
      ...ofMessage({ id: message }),
      ...(agent === undefined ? [] : mailOf({ agent })),
    ],
  ),
  /** Without `who`: the caller's own. Only shows messages, unless told to take them. */
  inbox: verb(
    () =>
      z.strictObject({
        who: address.exactOptional(),
        take: z.boolean().exactOptional(),
        limit: limit.exactOptional(),
        claims,
      }),
    typed<{ readonly who: Address; readonly entries: readonly HistoryEntry[] }>(),
    ({ who }) => (who === undefined ? NOTHING : ofMailbox({ who })),
  ),
  sub_add: verb(
    () => z.strictObject({ ...mailbox.shape, pattern: address }),
    typed<SubscriptionsResponse>(),
    ({ agent, pattern }) => [
      { right: "subscribe" },
      ...queueOf({ agent }),
      ...mail({ kind: "pattern", pattern }),
    ],
  ),
  sub_remove: verb(
    () => z.strictObject({ ...mailbox.shape, pattern: address }),
    typed<SubscriptionsResponse>(),
    ({ agent }) => [{ right: "subscribe" }, ...queueOf({ agent })],
  ),
  sub_list: verb(() => mailbox, typed<SubscriptionsResponse>(), queueOf),
  /** Of all agents and sessions, page by page, and who listens now. */
  sub_all: verb(
    () =>
      z.strictObject({
        limit: limit.exactOptional(),
        /** The `next` of the page before. */
        after: line(2 * REQUEST_LIMITS.addressCharacters).exactOptional(),
      }),
    typed<EverySubscription>(),
    () => queue(),
  ),
  /** Dead letters, oldest first; if there are many, only the newest. */
  unmatched: verb(
    () => timeWindow,
    typed<{ readonly messages: readonly (BrokerMessage & { readonly reason: string })[] }>(),
    () => mail(),
  ),
  unmatched_clear: verb(
    () => nothing,
    typed<{ readonly cleared: number }>(),
    () => [{ right: "admin" }],
  ),
  /** Delivers those that now have a recipient. */
  unmatched_reroute: verb(
    () => z.strictObject({ id: id.exactOptional() }),
    typed<{ readonly rerouted: number; readonly left: number }>(),
    () => [{ right: "admin" }],
  ),
};

export const brokerStreams = {
  listen: stream(
    () =>
      z.strictObject({
        ...mailbox.shape,
        /** Each message heard is also taken; without this, listening changes nothing. */
        consume: z.boolean().exactOptional(),
        /** From an earlier answer: refused if another agent has the name by now. */
        agentSince: z.int().exactOptional(),
      }),
    mailOf,
  ),
  unlisten: stream(
    () => z.strictObject({ listen: reqId }),
    () => NOTHING,
  ),
};

export type ListenRequest = Checked<typeof brokerStreams.listen.request>;
