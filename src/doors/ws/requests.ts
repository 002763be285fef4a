/** The table of the WebSocket protocol: type → use-case → fields of its answer. Field names are the protocol's. */
import type { z } from "zod";
import { BellhopError } from "../../core/errors.ts";
import { present } from "../../core/present.ts";
import type { UnmatchedReason } from "../../core/routing/route.ts";
import { nearest } from "../../core/text/nearest.ts";
import { malformed } from "../../wire/lines.ts";
import type { RouteResponse } from "../../wire/shapes/broker.ts";
import type { MailboxRequest } from "../../wire/verbs/broker.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { AskedUseCases, RequestOf, ResponseOf, Verb } from "../../wire/verbs/index.ts";
import { isWsType, WS_SCHEMAS, WS_TYPES, type WsRequest, type WsType } from "../../wire/ws/schemas.ts";
import { isPlainPublish } from "../caller/plain-publish.ts";
import { answerRequest, type Caller, refusal } from "../caller/requests.ts";

/** Without auth, which the connection handles, and requests with more than one answer. */
export type WsQuestion = Exclude<
  WsType,
  | "auth"
  | "msg.listen"
  | "msg.session.listen"
  | "routes"
  | "unroutes"
  | "watch"
  | "unwatch"
  | `screen.${string}`
>;

export function readType(type: unknown): WsType {
  if (typeof type !== "string")
    throw malformed('The message has no "type".', 'Name what you want, such as {"type":"ping"}.');
  if (isWsType(type)) return type;
  const meant = nearest(type, WS_TYPES);
  throw malformed(
    `There is no type ${JSON.stringify(type.slice(0, 64))}.`,
    meant === undefined ? `Use one of: ${WS_TYPES.join(", ")}.` : `Did you mean "${meant}"?`,
  );
}

export function readFrame<Type extends WsType>(
  type: Type,
  fields: Readonly<Record<string, unknown>>,
): WsRequest<Type> {
  if (isPlainPublish(type, fields)) return fields as WsRequest<Type>;
  const schema: z.ZodType = WS_SCHEMAS[type];
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data as WsRequest<Type>;
  throw refusal(type, schema, parsed.error, (key) => key);
}

export class AdmittedCaller {
  readonly claims: Claims;
  readonly #useCases: AskedUseCases;

  constructor(useCases: AskedUseCases, { user, agent }: Pick<Caller, "user" | "agent">) {
    this.#useCases = useCases;
    this.claims = agent === undefined ? { user } : { user, agent };
  }

  ask<V extends Verb>(verb: V, request: RequestOf<V>): Promise<ResponseOf<V>> {
    return answerRequest(this.#useCases, verb, { request, claims: this.claims });
  }

  mailbox({ agentId, sessionId }: { readonly agentId: string; readonly sessionId?: string }): MailboxRequest {
    return { agent: agentId, ...present({ session: sessionId }), claims: this.claims };
  }
}

type Answers = {
  readonly [Type in WsQuestion]: (request: WsRequest<Type>, caller: AdmittedCaller) => Promise<object>;
};

const ANSWERS: Answers = {
  ping: async () => ({}),
  "msg.send": async (frame, caller) => {
    const { to } = frame;
    // A word with a slash is a path, such as `agent/researcher`.
    if (to.includes("/")) return sent(await route(caller, to, frame));
    const response = await route(caller, `agent/${to}`, frame);
    if (response.reason === NOBODY) throw noSuchAgent(to, response);
    return sent(response);
  },
  "msg.route": (frame, caller) => route(caller, frame.path, frame).then(routed),
  "msg.broadcast": async (frame, caller) => sent(await route(caller, "agent/**", frame)),
  "msg.receive": async (request, caller) => ({
    agentId: request.agentId,
    ...(await caller.ask("receive", { ...caller.mailbox(request), ...request.options })),
  }),
  "msg.history": async (request, caller) => ({
    agentId: request.agentId,
    ...(await caller.ask("mailbox_history", { ...caller.mailbox(request), ...request.options })),
  }),
  "msg.ack": async ({ messageId: id, agentId, sessionId }, caller) => {
    const { messageId } = await caller.ask("ack", {
      id,
      ...present({ agent: agentId, session: sessionId }),
      claims: caller.claims,
    });
    return { messageId };
  },
  "msg.sub.add": async ({ agentId, pattern }, caller) => {
    const { subscriptions } = await caller.ask("sub_add", { ...caller.mailbox({ agentId }), pattern });
    return { agentId, pattern, subscriptions };
  },
  "msg.sub.remove": async ({ agentId, pattern }, caller) => {
    const { subscriptions } = await caller.ask("sub_remove", { ...caller.mailbox({ agentId }), pattern });
    return { agentId, pattern, subscriptions };
  },
  "msg.sub.list": async ({ agentId }, caller) => {
    const { subscriptions } = await caller.ask("sub_list", caller.mailbox({ agentId }));
    return { agentId, subscriptions };
  },
  "msg.unmatched": async ({ options }, caller) => caller.ask("unmatched", { ...options }),
  "msg.unmatched.clear": async (_, caller) => {
    await caller.ask("unmatched_clear", {});
    return { cleared: true };
  },
  "msg.session.sub.add": async ({ agentId, sessionId, pattern }, caller) => {
    const mailbox = caller.mailbox({ agentId, sessionId });
    const { subscriptions } = await caller.ask("sub_add", { ...mailbox, pattern });
    return { agentId, sessionId, subscriptions };
  },
  "msg.session.sub.remove": async ({ agentId, sessionId, pattern }, caller) => {
    const mailbox = caller.mailbox({ agentId, sessionId });
    const { subscriptions } = await caller.ask("sub_remove", { ...mailbox, pattern });
    return { agentId, sessionId, subscriptions };
  },
  "msg.session.sub.list": async (request, caller) => {
    const { subscriptions } = await caller.ask("sub_list", caller.mailbox(request));
    return { subscriptions };
  },
  "msg.session.receive": async (request, caller) =>
    caller.ask("receive", { ...caller.mailbox(request), ...request.options }),
  "msg.session.history": async (request, caller) =>
    caller.ask("mailbox_history", { ...caller.mailbox(request), ...request.options }),
  turns: async ({ agentId, sessionId, options }, caller) =>
    caller.ask("turns", { ...present({ agent: agentId, session: sessionId }), ...options }),
  "turn.trigger": async ({ messages, ...whose }, caller) => {
    const started = await caller.ask("turn_trigger", { ...caller.mailbox(whose), ...present({ messages }) });
    return { agentId: started.agent, sessionId: started.sessionId, messages: started.messages };
  },
  "autoRun.set": async ({ agentId, sessionId, autoRun }, caller) => {
    const whose = { agent: agentId, ...present({ session: sessionId }) };
    return {
      agentId,
      ...present({ sessionId }),
      ...(await caller.ask("auto_run_set", { ...whose, autoRun })),
    };
  },
  conversation: async ({ agentId, sessionId, options }, caller) => ({
    agentId,
    ...present({ sessionId }),
    ...(await caller.ask("conversation", { agent: agentId, ...present({ session: sessionId }), ...options })),
  }),
};

export function answerQuestion<Type extends WsQuestion>(
  type: Type,
  request: WsRequest<Type>,
  caller: AdmittedCaller,
): Promise<object> {
  const answer: Answers[Type] = ANSWERS[type];
  return answer(request, caller);
}

/** Field by field: most frames have few, and copies of what is left of them take longer than routing the message. */
function route(
  caller: AdmittedCaller,
  path: string,
  frame: WsRequest<"msg.send" | "msg.route" | "msg.broadcast">,
): Promise<RouteResponse> {
  const request: Record<string, unknown> = { path, claims: caller.claims };
  for (const field in frame) {
    const value = frame[field as keyof typeof frame];
    switch (field) {
      case "type":
      case "reqId":
      case "to":
      case "path":
        break;
      case "source":
        if (value !== "internal") request.channel = value;
        break;
      case "externalId":
        if (value !== null) request.externalId = value;
        break;
      default:
        request[field] = value;
    }
  }
  return caller.ask("route", request as unknown as RequestOf<"route">);
}

function routed({
  messageId,
  delivered,
  deliveredTo,
  deliveredToSessions,
  deliveredToHosts,
}: RouteResponse): object {
  if (!delivered) return { delivered, unmatched: true, messageId };
  if (deliveredToSessions.length === 0 && deliveredToHosts === undefined)
    return { delivered, deliveredTo, messageId };
  return {
    delivered,
    deliveredTo,
    ...(deliveredToSessions.length === 0 ? {} : { deliveredToSessions }),
    ...present({ deliveredToHosts }),
    messageId,
  };
}

function sent({ messageId, message, delivered, reason }: RouteResponse): object {
  if (delivered) return { messageId, message };
  return { messageId, message, delivered, unmatched: true, ...present({ reason }) };
}

const NOBODY: UnmatchedReason = "nobody has this address";

/** An unknown name is most often misspelt: an answer that says ok would hide that. */
function noSuchAgent(to: string, { shortId }: RouteResponse): BellhopError {
  return new BellhopError("recipient.unknown", {
    message: `There is no agent "${to.slice(0, 64)}": #${shortId} is kept among the dead letters.`,
    next: 'Send it to a name that "bellhop agent list" shows; or add that agent, then "bellhop unmatched reroute".',
  });
}
