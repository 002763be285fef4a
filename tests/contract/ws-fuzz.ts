/** Frames of every type, every field with values that fit, nearly fit, or are anything at all. */
import fc from "fast-check";
import { WS_TYPES } from "../../src/wire/ws/schemas.ts";

const word = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "main",
    "s",
    "agent/a",
    "slack/**",
    "**",
    "x/y",
    "",
    "../..",
    "__proto__",
    "\u0000",
    "\ud800",
  ),
  fc.string({ maxLength: 40 }),
);
const value = fc.oneof(
  { weight: 5, arbitrary: word },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, [], {}, { limit: 2 }, { limit: -1 }, { fromTime: 0 }),
);
const FIELDS = [
  "from",
  "to",
  "path",
  "command",
  "payload",
  "body",
  "source",
  "externalId",
  "priority",
  "re",
  "idempotencyKey",
  "timeoutMs",
  "agentId",
  "sessionId",
  "pattern",
  "options",
  "consume",
  "messageId",
  "messages",
  "autoRun",
  "topics",
  "screen",
  "who",
  "take",
  "keys",
  "__proto__",
  "reqId",
  "token",
];
const KNOWN = WS_TYPES.filter((type) => type !== "auth");
export const frame = fc.record(
  {
    type: fc.oneof({ weight: 8, arbitrary: fc.constantFrom<unknown>(...KNOWN) }, value),
    fields: fc.oneof(
      fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 1 }),
      fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 6 }),
    ),
    fitting: fc.boolean(),
  },
  { requiredKeys: ["type", "fields", "fitting"] },
);
const FITTING: Readonly<Record<string, unknown>> = {
  agentId: "a",
  to: "b",
  path: "x/y",
  pattern: "x/**",
  sessionId: "s",
  messageId: "ffff",
  screen: 1,
  who: "a",
  take: true,
  keys: "\ud800\u0000x",
};

/** Not an answer: what a board or a terminal shows, after it was asked for. */
export function isTold({ type }: { readonly type: string }): boolean {
  return /^(watch\.(snapshot|changes)|screen\.(snapshot|output|state|ended))$/.test(type);
}

export function written({
  type,
  fields,
  fitting,
}: {
  type: unknown;
  fields: object;
  fitting: boolean;
}): string {
  const whole = { ...(fitting ? fittingFor(type) : {}), ...fields, type };
  // Whatever it is called, this one must not end the connection: that has tests of its own.
  return JSON.stringify(whole.type === "auth" ? { ...whole, type: "ping" } : whole);
}

const FITTING_NAMES = new Map<string, readonly string[]>([
  ["msg.send", ["to"]],
  ["msg.route", ["path"]],
  ["msg.ack", ["messageId"]],
  ...["ping", "msg.broadcast", "routes", "unroutes", "watch", "unwatch"].map((type): [string, string[]] => [
    type,
    [],
  ]),
  ["screen.open", ["screen", "who"]],
  ["screen.close", ["screen"]],
  ["screen.keyboard", ["screen", "take"]],
  ["screen.keys", ["screen", "keys"]],
]);

function fittingFor(type: unknown): object {
  const text = typeof type === "string" ? type : "";
  const names = FITTING_NAMES.get(text) ?? [
    "agentId",
    ...(text.includes("session") ? ["sessionId"] : []),
    ...(text.includes("sub.") ? ["pattern"] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, FITTING[name]]));
}
