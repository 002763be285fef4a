/** Paths, subscriptions, mailboxes and dead letters. */
import { z } from "zod";
import type { Address, DeliveryState, MessageId } from "../../core/message.ts";
import { mail, mailOf, NOTHING, ofMailbox, ofMessage, queueOf, toSay } from "../../core/rights/needs.ts";
import type { BrokerMessage, RouteResponse, SubscriptionsResponse } from "../shapes/broker.ts";
import type { HistoryEntry } from "../shapes/messages.ts";
import { claims } from "./claims.ts";
import { address, body, id, limit, name, nothing, reqId, timeWindow } from "./fields.ts";
import { KEYS_WITHOUT_RAW, keysAreRaw, said } from "./messages.ts";
import { type Checked, stream, typed, verb } from "./verb.ts";

/** One mailbox: an agent's, or that of one of its sessions (its id, the name it was made by, or `main`). */
const mailbox = z.strictObject({ agent: address, session: name.exactOptional(), claims });
export type MailboxRequest = Checked<typeof mailbox>;

export const broker = {
  /** To whoever subscribes to a path; without a body, command and payload are the message. */
  route: verb(
    z
      .strictObject({ ...said, body: body.exactOptional(), path: address, re: id.exactOptional() })
      .refine(keysAreRaw, KEYS_WITHOUT_RAW),
    typed<RouteResponse>(),
    toSay,
  ),
  /** Takes what waits. */
  receive: verb(
    z.strictObject({ ...mailbox.shape, limit: limit.exactOptional() }),
    typed<{ readonly messages: readonly BrokerMessage[] }>(),
    mailOf,
  ),
  /** Oldest first; of many, the newest. */
  mailbox_history: verb(
    z.strictObject({ ...mailbox.shape, ...timeWindow.shape }),
    typed<{ readonly messages: readonly BrokerMessage[] }>(),
    mailOf,
  ),
  /** The reader has it. */
  ack: verb(
    z.strictObject({ id, agent: address.exactOptional(), session: name.exactOptional(), claims }),
    typed<{ readonly messageId: MessageId; readonly states: readonly DeliveryState[] }>(),
    ({ id: message, agent }) => [
      ...ofMessage({ id: message }),
      ...(agent === undefined ? [] : mailOf({ agent })),
    ],
  ),
  /** Without `who`: one's own. Only looks, unless told to take. */
  inbox: verb(
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
    z.strictObject({ ...mailbox.shape, pattern: address }),
    typed<SubscriptionsResponse>(),
    ({ agent, pattern }) => [
      { right: "subscribe" },
      ...queueOf({ agent }),
      ...mail({ kind: "pattern", pattern }),
    ],
  ),
  sub_remove: verb(
    z.strictObject({ ...mailbox.shape, pattern: address }),
    typed<SubscriptionsResponse>(),
    ({ agent }) => [{ right: "subscribe" }, ...queueOf({ agent })],
  ),
  sub_list: verb(mailbox, typed<SubscriptionsResponse>(), queueOf),
  /** Dead letters, oldest first; of many, the newest. */
  unmatched: verb(
    timeWindow,
    typed<{ readonly messages: readonly (BrokerMessage & { readonly reason: string })[] }>(),
    () => mail(),
  ),
  unmatched_clear: verb(nothing, typed<{ readonly cleared: number }>(), () => [{ right: "admin" }]),
  /** Those that somebody is there for now. */
  unmatched_reroute: verb(
    z.strictObject({ id: id.exactOptional() }),
    typed<{ readonly rerouted: number; readonly left: number }>(),
    () => [{ right: "admin" }],
  ),
};

export const brokerStreams = {
  listen: stream(
    z.strictObject({
      ...mailbox.shape,
      /** Takes each message by hearing it; without it, listening changes nothing. */
      consume: z.boolean().exactOptional(),
      /** From an earlier answer: refused if another agent has the name by now. */
      agentSince: z.int().exactOptional(),
    }),
    mailOf,
  ),
  unlisten: stream(z.strictObject({ listen: reqId }), () => NOTHING),
};

export type ListenRequest = Checked<typeof brokerStreams.listen.request>;
