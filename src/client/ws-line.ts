/** A line over the daemon's WebSocket, for programs that cannot reach its Unix socket. */
import { present } from "../core/present.ts";
import type { BoardChanges, BoardFrame, BoardSnapshot } from "../wire/shapes/board.ts";
import type { BrokerMessage, Routed } from "../wire/shapes/broker.ts";
import { messageFromBrief } from "../wire/told-message.ts";
import type { Line, Question, Questions, Whose } from "./line.ts";
import { type Fields, openConnection, type Request } from "./transport/connection.ts";
import { keptOpen } from "./transport/kept-open.ts";
import { listenAt, listenBriefly } from "./transport/stream.ts";
import { isFields, type WsTarget, webSocket } from "./transport/web-socket.ts";

/** The protocol's field names, question by question. */
const SPOKEN: {
  readonly [Q in Question]: {
    say(ask: Questions[Q]["ask"]): Request;
    hear(answer: Fields): Questions[Q]["answer"];
  };
} = {
  send: {
    say: ({ to, ...content }) => ({ type: "msg.send", fields: { to, ...said(content) } }),
    hear: sentFrom,
  },
  route: {
    say: ({ path, ...content }) => ({ type: "msg.route", fields: { path, ...said(content) } }),
    hear: sentFrom,
  },
  receive: { say: (whose) => ofMailbox("receive", whose), hear: messagesFrom },
  history: {
    say: ({ limit, fromTime, toTime, ...whose }) =>
      ofMailbox("history", whose, { options: { limit, fromTime, toTime } }),
    hear: messagesFrom,
  },
  ack: {
    say: ({ messageId, agent, session }) => ({
      type: "msg.ack",
      fields: { messageId, agentId: agent, sessionId: session },
    }),
    hear: () => undefined,
  },
  subscribe: {
    say: ({ pattern, ...whose }) => ofMailbox("sub.add", whose, { pattern }),
    hear: subscriptionsFrom,
  },
  unsubscribe: {
    say: ({ pattern, ...whose }) => ofMailbox("sub.remove", whose, { pattern }),
    hear: subscriptionsFrom,
  },
  subscriptions: { say: (whose) => ofMailbox("sub.list", whose), hear: subscriptionsFrom },
  unmatched: { say: (options) => ({ type: "msg.unmatched", fields: { options } }), hear: messagesFrom },
  turns: {
    say: ({ agent, session, limit }) => ({
      type: "turns",
      fields: { agentId: agent, sessionId: session, options: { limit } },
    }),
    hear: (answer) => answer as unknown as Questions["turns"]["answer"],
  },
  triggerTurn: {
    say: ({ messages, ...whose }) => ({ type: "turn.trigger", fields: { ...named(whose), messages } }),
    hear: ({ agentId, sessionId, messages }) => ({
      agent: String(agentId),
      sessionId: String(sessionId),
      messages: listed(messages).map(String),
    }),
  },
  setAutoRun: {
    say: ({ autoRun, ...whose }) => ({ type: "autoRun.set", fields: { ...named(whose), autoRun } }),
    hear: (answer) => answer as unknown as Questions["setAutoRun"]["answer"],
  },
  conversation: {
    say: ({ limit, before, ...whose }) => ({
      type: "conversation",
      fields: { ...named(whose), options: { limit, before } },
    }),
    hear: ({ entries, before }) => ({
      entries: listed(entries) as Questions["conversation"]["answer"]["entries"],
      ...(typeof before === "number" ? { before } : {}),
    }),
  },
  clearUnmatched: { say: () => ({ type: "msg.unmatched.clear", fields: {} }), hear: () => undefined },
};

export function wsLine(target: WsTarget): Line {
  const place = webSocket(target);
  const connection = keptOpen(() => openConnection(place));
  return {
    async ask<Q extends Question>(question: Q, ask: Questions[Q]["ask"]) {
      const { say, hear } = SPOKEN[question] as (typeof SPOKEN)[Q];
      return (await connection.get()).ask(say(ask), hear);
    },
    listen({ consume, agentSince: known, ...whose }, ear) {
      const asked = { consume, agentSince: known ?? null };
      return listenBriefly(
        ofMailbox("listen", whose, asked),
        ofMailbox("listen", whose, { brief: true, ...asked }),
        (one) => listenAt(place, one, messageIn, ear),
      );
    },
    routes: (ear) => listenAt(place, { type: "routes", fields: {} }, routeIn, ear),
    board: (topics, ear) =>
      listenAt(place, { type: "watch", fields: present({ topics }) }, boardFrameIn, ear),
    close: () => connection.close(),
  };
}

function said({ text, command, payload, ...rest }: Omit<Questions["send"]["ask"], "to">): Fields {
  const data = payload ?? (text === undefined ? undefined : { text });
  return { command, payload: data, ...rest };
}

function ofMailbox(what: string, { agent, session }: Whose, more: Fields = {}): Request {
  return session === undefined
    ? { type: `msg.${what}`, fields: { agentId: agent, ...more } }
    : { type: `msg.session.${what}`, fields: { agentId: agent, sessionId: session, ...more } };
}

function named({ agent, session }: Whose): Fields {
  return { agentId: agent, sessionId: session };
}

function sentFrom({ messageId, unmatched }: Fields): Questions["send"]["answer"] {
  if (typeof messageId !== "string") throw new Error("this names no message");
  return { messageId, unmatched: unmatched === true };
}

function messagesFrom({ messages }: Fields): readonly BrokerMessage[] {
  return listed(messages).map(readMessage);
}

function subscriptionsFrom({ subscriptions }: Fields): Questions["subscriptions"]["answer"] {
  return listed(subscriptions) as Questions["subscriptions"]["answer"];
}

function listed(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error("this is no list");
  return value;
}

function messageIn({ type, message, brief }: Fields): BrokerMessage | undefined {
  if (type !== "msg.push" && type !== "msg.session.push") return undefined;
  return brief === undefined ? readMessage(message) : messageFromBrief(brief);
}

function routeIn({ type, route }: Fields): Routed | undefined {
  if (type !== "routes.push") return undefined;
  if (!isFields(route)) throw new Error("this is no route");
  return route as unknown as Routed;
}

function boardFrameIn({ type, ...shown }: Fields): BoardFrame | undefined {
  if (type === "watch.snapshot") return { snapshot: shown as unknown as BoardSnapshot };
  return type === "watch.changes" ? { changes: shown as unknown as BoardChanges } : undefined;
}

function readMessage(value: unknown): BrokerMessage {
  if (!isFields(value) || typeof value.id !== "string") throw new Error("this is no message");
  return value as unknown as BrokerMessage;
}
