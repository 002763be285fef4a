/** A line over the daemon's Unix socket: the file's mode is the credential, the environment identifies us. */
import { present } from "../core/present.ts";
import { toCamel } from "../wire/casing.ts";
import type { BoardFrame } from "../wire/shapes/board.ts";
import type { BrokerMessage, Routed } from "../wire/shapes/broker.ts";
import { messageFrom, messageFromBrief } from "../wire/told-message.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import { type CallOptions, type Client, connect, unixSocket } from "./connect.ts";
import type { Content, Ear, Line, Question, Questions, SendOptions, Sent } from "./line.ts";
import type { Fields } from "./transport/connection.ts";
import { keptOpen } from "./transport/kept-open.ts";
import { listenAt, listenBriefly } from "./transport/stream.ts";

export function unixLine(socketPath: string, claims: Claims): Line {
  const client = keptOpen(() => connect(socketPath, claims));
  return {
    ask<Q extends Question>(question: Q, ask: Questions[Q]["ask"]) {
      const asked: (one: Client, what: Questions[Q]["ask"], own: Claims) => Promise<Questions[Q]["answer"]> =
        ASKED[question];
      const { open } = client;
      return open === undefined
        ? client.get().then((one) => asked(one, ask, claims))
        : asked(open, ask, claims);
    },
    listen(request, ear) {
      const asked = { type: "listen", fields: { ...request }, claims };
      // What a consumer has got counts as taken: nothing more may come behind a message that cannot be read.
      const atOnce: Ear = { hear: (message) => ear.hear(message), over: (error) => ear.over(error) };
      return listenBriefly(asked, { brief: true, ...asked }, (one) =>
        listenAt(unixSocket(socketPath), one, heardIn, request.consume === true ? atOnce : ear),
      );
    },
    routes: (ear) =>
      listenAt(
        unixSocket(socketPath),
        { type: "routes", fields: {}, claims },
        ({ route }) => toCamel(route) as Routed,
        ear,
      ),
    board: (topics, ear) =>
      listenAt(
        unixSocket(socketPath),
        { type: "watch_all", fields: { ...present({ topics }) }, claims },
        boardFrameFrom,
        ear,
      ),
    close: () => client.close(),
  };
}

function heardIn({ brief, message }: Fields): BrokerMessage {
  return brief === undefined ? messageFrom(message) : messageFromBrief(brief);
}

export function boardFrameFrom({ snapshot, changes }: Fields): BoardFrame {
  return toCamel(present({ snapshot, changes })) as BoardFrame;
}

const BRIEF: CallOptions = { brief: true };

const ASKED: {
  readonly [Q in Question]: (
    client: Client,
    ask: Questions[Q]["ask"],
    claims: Claims,
  ) => Promise<Questions[Q]["answer"]>;
} = {
  send: (client, ask) => client.ask("send", { body: "", ...onWire(ask) }, sentFrom, BRIEF),
  route: (client, ask) => client.ask("route", onWire(ask), sentFrom, BRIEF),
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
  turns: (client, ask) => client.call("turns", ask),
  triggerTurn: (client, ask, claims) => client.call("turn_trigger", { ...ask, claims }),
  setAutoRun: (client, ask) => client.call("auto_run_set", ask),
  conversation: (client, ask) => client.call("conversation", ask),
};

/** The wire says `body` for a text and `channel` for a source. */
type OnWire<Ask> = Omit<Ask, "text" | "source"> & { readonly body?: string; readonly channel?: string };

function onWire<Ask extends Content & SendOptions>(ask: Ask): OnWire<Ask> {
  const fields: Record<string, unknown> = {};
  for (const key in ask) {
    const name = key === "text" ? "body" : key === "source" ? "channel" : key;
    if (ask[key] !== undefined) fields[name] = ask[key];
  }
  return fields as OnWire<Ask>;
}

/** Of an answer in full, too, only what is needed. */
function sentFrom({ message_id: messageId, unmatched }: Fields): Sent {
  if (typeof messageId !== "string") throw new Error("this names no message");
  return { messageId, unmatched: unmatched === true };
}
