/** A line over the daemon's WebSocket, for whoever cannot reach its Unix socket. */
import WebSocket from "ws";
import type { BellhopError, ErrorDetail } from "../core/errors.ts";
import type { BrokerMessage } from "../wire/shapes/broker.ts";
import { CLIENT_LIMITS, errorFrom, unreachable } from "./connect.ts";
import {
  agentSinceIn,
  type Ear,
  type Line,
  type Listening,
  type Question,
  type Questions,
  type Whose,
} from "./line.ts";

export interface WsTarget {
  readonly url: string;
  readonly token: string;
}

interface Answer {
  readonly type: string;
  readonly reqId?: unknown;
  readonly [field: string]: unknown;
}

/** Field names of the protocol, question by question. */
const SPOKEN: {
  readonly [Q in Question]: {
    say(ask: Questions[Q]["ask"]): Readonly<Record<string, unknown>>;
    hear(answer: Answer): Questions[Q]["answer"];
  };
} = {
  send: {
    say: ({ to, ...content }) => ({ type: "msg.send", to, ...said(content) }),
    hear: sentFrom,
  },
  route: {
    say: ({ path, ...content }) => ({ type: "msg.route", path, ...said(content) }),
    hear: sentFrom,
  },
  receive: { say: (whose) => ofMailbox("receive", whose), hear: messagesFrom },
  history: {
    say: ({ limit, fromTime, toTime, ...whose }) => ({
      ...ofMailbox("history", whose),
      options: { limit, fromTime, toTime },
    }),
    hear: messagesFrom,
  },
  ack: {
    say: ({ messageId, agent, session }) => ({
      type: "msg.ack",
      messageId,
      agentId: agent,
      sessionId: session,
    }),
    hear: () => undefined,
  },
  subscribe: {
    say: ({ pattern, ...whose }) => ({ ...ofMailbox("sub.add", whose), pattern }),
    hear: subscriptionsFrom,
  },
  unsubscribe: {
    say: ({ pattern, ...whose }) => ({ ...ofMailbox("sub.remove", whose), pattern }),
    hear: subscriptionsFrom,
  },
  subscriptions: { say: (whose) => ofMailbox("sub.list", whose), hear: subscriptionsFrom },
  unmatched: { say: (options) => ({ type: "msg.unmatched", options }), hear: messagesFrom },
  clearUnmatched: { say: () => ({ type: "msg.unmatched.clear" }), hear: () => undefined },
};

export function wsLine(target: WsTarget): Line {
  let open: Promise<Connection> | undefined;
  let closed = false;
  const connection = (): Promise<Connection> => {
    if (closed) throw unreachable("This client was closed.");
    open ??= connect(target, {
      told: () => {},
      over: () => {
        open = undefined;
      },
    });
    open.catch(() => {
      open = undefined;
    });
    return open;
  };
  return {
    async ask<Q extends Question>(question: Q, ask: Questions[Q]["ask"]) {
      const { say, hear } = SPOKEN[question] as (typeof SPOKEN)[Q];
      return hear(await (await connection()).ask(say(ask)));
    },
    listen: (request, ear) => listenOn(target, request, ear),
    close() {
      closed = true;
      open?.then((one) => one.close()).catch(() => {});
    },
  };
}

async function listenOn(
  target: WsTarget,
  { consume, agentSince: known, ...whose }: Parameters<Line["listen"]>[0],
  ear: Ear,
): ReturnType<Line["listen"]> {
  const one = await connect(target, {
    told: ({ type, message }) => {
      if (type === "msg.push" || type === "msg.session.push") ear.hear(message as BrokerMessage);
    },
    over: (error) => ear.over(error),
  });
  try {
    const asked = { ...ofMailbox("listen", whose), consume, agentSince: known ?? null };
    return { ...one, ...agentSinceIn(await one.ask(asked)) };
  } catch (error) {
    one.close();
    throw error;
  }
}

interface Connection extends Listening {
  ask(frame: Readonly<Record<string, unknown>>): Promise<Answer>;
}

function connect(
  { url, token }: WsTarget,
  { told, over }: { told(push: Answer): void; over(error: BellhopError): void },
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: BellhopError): void }>();
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: CLIENT_LIMITS.connectMs,
      maxPayload: CLIENT_LIMITS.answerBytes,
      perMessageDeflate: false,
    });
    let asked = 0;
    let ended: BellhopError | undefined;
    const end = (error: BellhopError): void => {
      if (ended !== undefined) return;
      ended = error;
      for (const { reject: refuse } of waiting.values()) refuse(error);
      waiting.clear();
      reject(error);
      over(error);
      socket.terminate();
    };
    socket.on("error", (error) => end(unreachable(`The daemon cannot be reached on ${url}.`, error)));
    socket.on("unexpected-response", (_request, response) =>
      end(unreachable(`The daemon refused the connection (${response.statusCode}): check the token.`)),
    );
    socket.on("close", () => end(unreachable("The daemon closed the connection.")));
    socket.on("message", (data) => {
      const answer = JSON.parse(String(data)) as Answer;
      const call = typeof answer.reqId === "number" ? waiting.get(answer.reqId) : undefined;
      if (call === undefined || typeof answer.reqId !== "number") return told(answer);
      waiting.delete(answer.reqId);
      if (answer.type.endsWith(".error")) call.reject(errorFrom(answer as Partial<ErrorDetail>));
      else call.resolve(answer);
    });
    socket.on("open", () =>
      resolve({
        ask(frame) {
          if (ended !== undefined) return Promise.reject(ended);
          asked += 1;
          const reqId = asked;
          return new Promise<Answer>((answered, refused) => {
            const timer = setTimeout(() => {
              waiting.delete(reqId);
              refused(unreachable(`The daemon did not answer within ${CLIENT_LIMITS.callMs / 1_000} s.`));
            }, CLIENT_LIMITS.callMs);
            waiting.set(reqId, {
              resolve: (answer) => {
                clearTimeout(timer);
                answered(answer);
              },
              reject: (error) => {
                clearTimeout(timer);
                refused(error);
              },
            });
            socket.send(JSON.stringify({ ...frame, reqId }));
          });
        },
        pause: () => socket.pause(),
        resume: () => socket.resume(),
        close: () => end(unreachable("This side closed the connection.")),
      }),
    );
  });
}

function said({
  text,
  command,
  payload,
  ...rest
}: Omit<Questions["send"]["ask"], "to">): Readonly<Record<string, unknown>> {
  const data = payload ?? (text === undefined ? undefined : { text });
  return { command, payload: data, ...rest };
}

function ofMailbox(what: string, { agent, session }: Whose): Readonly<Record<string, unknown>> {
  return session === undefined
    ? { type: `msg.${what}`, agentId: agent }
    : { type: `msg.session.${what}`, agentId: agent, sessionId: session };
}

function sentFrom(answer: Answer): Questions["send"]["answer"] {
  return { messageId: String(answer.messageId), unmatched: answer.unmatched === true };
}

function messagesFrom(answer: Answer): readonly BrokerMessage[] {
  return answer.messages as readonly BrokerMessage[];
}

function subscriptionsFrom(answer: Answer): Questions["subscriptions"]["answer"] {
  return answer.subscriptions as Questions["subscriptions"]["answer"];
}
