/** WebSocket requests: one schema for each type, camelCase. */
import { z } from "zod";
import { boardTopics } from "../verbs/board.ts";
import {
  address,
  body,
  duration,
  id,
  json,
  limit,
  line,
  name,
  REQUEST_LIMITS,
  reqId,
  timeWindow,
} from "../verbs/fields.ts";
import { autoRun, TURN_LIMITS } from "../verbs/turns.ts";

export const WS_PATH = "/ws";

export type ReqId = string | number;

function frame<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.strictObject({ type: z.literal(type), reqId: reqId.exactOptional(), ...shape });
}

const said = {
  from: address.exactOptional(),
  command: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  payload: json.exactOptional(),
  body: body.exactOptional(),
  /** The outside system it came from, and its id there. */
  source: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  externalId: line(REQUEST_LIMITS.addressCharacters).nullable().exactOptional(),
  priority: line(REQUEST_LIMITS.keyNameCharacters).exactOptional(),
  re: id.exactOptional(),
  idempotencyKey: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  timeoutMs: duration.exactOptional(),
  anyWayIn: z.boolean().exactOptional(),
};

const agent = { agentId: address };
const session = { agentId: address, sessionId: name };
const window = { options: timeWindow.exactOptional() };
const most = { options: z.strictObject({ limit: limit.exactOptional() }).exactOptional() };
const listening = {
  consume: z.boolean().exactOptional(),
  /** `null`: not known yet. A caller that sends this field gets it in the answer. */
  agentSince: z.int().nullable().exactOptional(),
  /** Pushed without what most messages have in common. */
  brief: z.boolean().exactOptional(),
};
/** The caller's own number for a terminal that it looks at. */
const screen = z.int().min(1).max(1_000_000);
const pattern = { pattern: address };
const turnsOf = { agentId: address, sessionId: name.exactOptional() };

export const WS_SCHEMAS = {
  auth: frame("auth", {
    token: z.string().min(1).max(REQUEST_LIMITS.addressCharacters).exactOptional(),
    /** Of a browser that is logged in; its cookie came when it connected. */
    key: z.string().min(1).max(REQUEST_LIMITS.addressCharacters).exactOptional(),
  }).refine(({ token, key }) => (token === undefined) !== (key === undefined), {
    error: 'or "key" is needed, and not both',
    path: ["token"],
  }),
  ping: frame("ping", {}),
  "msg.send": frame("msg.send", { ...said, to: address }),
  "msg.route": frame("msg.route", { ...said, path: address }),
  "msg.broadcast": frame("msg.broadcast", said),
  "msg.receive": frame("msg.receive", { ...agent, ...most }),
  "msg.listen": frame("msg.listen", { ...agent, ...listening }),
  "msg.history": frame("msg.history", { ...agent, ...window }),
  "msg.ack": frame("msg.ack", {
    messageId: id,
    agentId: address.exactOptional(),
    sessionId: name.exactOptional(),
  }).refine(({ agentId, sessionId }) => sessionId === undefined || agentId !== undefined, {
    error: 'needs an "agentId" beside it',
    path: ["sessionId"],
  }),
  "msg.sub.add": frame("msg.sub.add", { ...agent, ...pattern }),
  "msg.sub.remove": frame("msg.sub.remove", { ...agent, ...pattern }),
  "msg.sub.list": frame("msg.sub.list", agent),
  "msg.unmatched": frame("msg.unmatched", window),
  "msg.unmatched.clear": frame("msg.unmatched.clear", {}),
  "msg.session.sub.add": frame("msg.session.sub.add", { ...session, ...pattern }),
  "msg.session.sub.remove": frame("msg.session.sub.remove", { ...session, ...pattern }),
  "msg.session.sub.list": frame("msg.session.sub.list", session),
  "msg.session.listen": frame("msg.session.listen", { ...session, ...listening }),
  "msg.session.receive": frame("msg.session.receive", { ...session, ...most }),
  "msg.session.history": frame("msg.session.history", { ...session, ...window }),
  routes: frame("routes", {}),
  unroutes: frame("unroutes", {}),
  watch: frame("watch", { topics: boardTopics }),
  unwatch: frame("unwatch", {}),
  "screen.open": frame("screen.open", { screen, who: address }),
  "screen.close": frame("screen.close", { screen }),
  "screen.keyboard": frame("screen.keyboard", { screen, take: z.boolean() }),
  "screen.keys": frame("screen.keys", { screen, keys: z.string().min(1).max(REQUEST_LIMITS.keysCharacters) }),
  turns: frame("turns", { agentId: address.exactOptional(), sessionId: name.exactOptional(), ...most }),
  "turn.trigger": frame("turn.trigger", {
    ...turnsOf,
    messages: z.array(body).max(TURN_LIMITS.messages).exactOptional(),
  }),
  "autoRun.set": frame("autoRun.set", { ...turnsOf, autoRun: autoRun.nullable() }),
  conversation: frame("conversation", {
    ...turnsOf,
    options: z
      .strictObject({ limit: limit.exactOptional(), before: z.int().min(0).exactOptional() })
      .exactOptional(),
  }),
} as const;

export type WsType = keyof typeof WS_SCHEMAS;
export type WsRequest<Type extends WsType = WsType> = z.output<(typeof WS_SCHEMAS)[Type]>;

export const WS_TYPES = Object.keys(WS_SCHEMAS) as readonly WsType[];

export function isWsType(text: string): text is WsType {
  return Object.hasOwn(WS_SCHEMAS, text);
}
