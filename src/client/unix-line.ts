/** A line over the daemon's Unix socket: the file's mode is the credential, the environment identifies us. */

import { present } from "../core/present.ts";
import type { BrokerMessage } from "../wire/shapes/broker.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import { type Client, connect, unixSocket } from "./connect.ts";
import type { Line, Question, Questions } from "./line.ts";
import { keptOpen } from "./transport/kept-open.ts";
import { listenAt } from "./transport/stream.ts";

export function unixLine(socketPath: string, claims: Claims): Line {
  const client = keptOpen(() => connect(socketPath, claims));
  return {
    async ask<Q extends Question>(question: Q, ask: Questions[Q]["ask"]) {
      const asked: (one: Client, what: Questions[Q]["ask"], own: Claims) => Promise<Questions[Q]["answer"]> =
        ASKED[question];
      return asked(await client.get(), ask, claims);
    },
    listen: (request, ear) =>
      listenAt(
        unixSocket(socketPath),
        { ...request, claims, type: "listen" },
        ({ message }) => message as BrokerMessage,
        ear,
      ),
    close: () => client.close(),
  };
}

const ASKED: {
  readonly [Q in Question]: (
    client: Client,
    ask: Questions[Q]["ask"],
    claims: Claims,
  ) => Promise<Questions[Q]["answer"]>;
} = {
  async send(client, { text = "", source, ...ask }, claims) {
    const request = { ...ask, body: text, ...present({ channel: source }), claims };
    const { messageId, unmatched } = await client.call("send", request);
    return { messageId, unmatched };
  },
  async route(client, { text, source, ...ask }, claims) {
    const { messageId, unmatched } = await client.call("route", {
      ...ask,
      ...present({ body: text, channel: source }),
      claims,
    });
    return { messageId, unmatched };
  },
  receive: async (client, ask, claims) => (await client.call("receive", { ...ask, claims })).messages,
  history: async (client, ask, claims) => (await client.call("mailbox_history", { ...ask, claims })).messages,
  async ack(client, { messageId, ...ask }, claims) {
    await client.call("ack", { id: messageId, ...ask, claims });
    return undefined;
  },
  subscribe: async (client, ask, claims) => (await client.call("sub_add", { ...ask, claims })).subscriptions,
  unsubscribe: async (client, ask, claims) =>
    (await client.call("sub_remove", { ...ask, claims })).subscriptions,
  subscriptions: async (client, ask, claims) =>
    (await client.call("sub_list", { ...ask, claims })).subscriptions,
  unmatched: async (client, ask) => (await client.call("unmatched", ask)).messages,
  async clearUnmatched(client) {
    await client.call("unmatched_clear", {});
    return undefined;
  },
};
