/**
 * A message as it is pushed over the Unix socket. A program that hears many may ask for them briefly: what most messages
 * have in common is left out, and the text is there once. Both directions are here, so that they cannot disagree.
 *
 *   [id, short_id, from, path, body, timestamp]               the usual
 *   [id, short_id, from, path, body, timestamp, { … }]        with the fields in which it is not
 */
import type { Address, Instant, Json, MessageId } from "../core/message.ts";
import { toCamel, toSnake } from "./casing.ts";
import type { BrokerMessage, HandledBy } from "./shapes/broker.ts";

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };
type Unusual = Writable<Partial<Omit<Told, "state" | "handled">>> & {
  state?: Told["state"] | null;
  handled?: boolean | null;
};
type Told = Omit<BrokerMessage, "shortId" | "externalId" | "handledBy"> & {
  readonly short_id: string;
  readonly external_id: string | null;
  readonly handled_by?: readonly unknown[];
};

const USUAL = {
  command: "message",
  status: "pending",
  state: "queued",
  source: "internal",
  external_id: null,
  handled: false,
} as const;

export function briefly(message: BrokerMessage): readonly unknown[] {
  const { id, shortId, from, path, body, timestamp } = message;
  const unusual = unusualOf(message);
  return unusual === undefined
    ? [id, shortId, from, path, body, timestamp]
    : [id, shortId, from, path, body, timestamp, unusual];
}

function unusualOf(message: BrokerMessage): Unusual | undefined {
  const { command, payload, body, status, state, source, externalId, handled, handledBy } = message;
  const isUsual =
    command === USUAL.command &&
    status === USUAL.status &&
    state === USUAL.state &&
    source === USUAL.source &&
    externalId === USUAL.external_id &&
    handled === USUAL.handled &&
    handledBy === undefined &&
    message.redelivered === undefined &&
    isOnly(payload, body);
  if (isUsual) return undefined;
  const unusual: Unusual = {};
  if (command !== USUAL.command) unusual.command = command;
  if (status !== USUAL.status) unusual.status = status;
  // A field that the message does not have is written as null: absent, it would be the usual one.
  if (state !== USUAL.state) unusual.state = state ?? null;
  if (source !== USUAL.source) unusual.source = source;
  if (externalId !== USUAL.external_id) unusual.external_id = externalId;
  if (handled !== USUAL.handled) unusual.handled = handled ?? null;
  if (handledBy !== undefined) unusual.handled_by = toSnake(handledBy) as readonly unknown[];
  if (message.redelivered !== undefined) unusual.redelivered = message.redelivered;
  if (!isOnly(payload, body)) unusual.payload = payload;
  return unusual;
}

/** Whether the payload is nothing but the text. */
function isOnly(payload: Json, text: string): boolean {
  if (payload === null || typeof payload !== "object" || Array.isArray(payload)) return false;
  for (const field in payload) if (field !== "text") return false;
  return (payload as { readonly text?: Json }).text === text;
}

export function messageFromBrief(heard: unknown): BrokerMessage {
  if (!Array.isArray(heard)) throw notAMessage();
  const [id, shortId, from, path, body, timestamp, unusual] = heard as unknown as Brief;
  if (typeof id !== "string" || typeof body !== "string") throw notAMessage();
  const message: Writable<BrokerMessage> = {
    id,
    shortId,
    from,
    path,
    command: USUAL.command,
    payload: { text: body },
    body,
    status: USUAL.status,
    timestamp,
    source: USUAL.source,
    externalId: USUAL.external_id,
    state: USUAL.state,
    handled: USUAL.handled,
  };
  return unusual === undefined ? message : withUnusual(message, unusual);
}

type Brief = readonly [
  id: MessageId,
  shortId: string,
  from: string,
  path: Address,
  body: string,
  timestamp: Instant,
  unusual?: Unusual,
];

function withUnusual(message: Writable<BrokerMessage>, unusual: Unusual): BrokerMessage {
  const { state, handled, handled_by: handledBy, external_id: externalId, ...same } = unusual;
  Object.assign(message, same);
  if (externalId !== undefined) message.externalId = externalId;
  if (state === null) delete message.state;
  else if (state !== undefined) message.state = state;
  if (handled === null) delete message.handled;
  else if (handled !== undefined) message.handled = handled;
  if (handledBy !== undefined) message.handledBy = toCamel(handledBy) as readonly HandledBy[];
  return message;
}

/** Field by field: a listener hears many, and a general renaming takes longer than all the rest. */
export function messageFrom(heard: unknown): BrokerMessage {
  const told = heard as Told;
  const { id, from, path, command, payload, body, status, state, timestamp, source, handled } = told;
  if (typeof id !== "string") throw notAMessage();
  const message: Writable<BrokerMessage> = {
    id,
    shortId: told.short_id,
    from,
    path,
    command,
    payload,
    body,
    status,
    timestamp,
    source,
    externalId: told.external_id,
  };
  if (state !== undefined) message.state = state;
  if (handled !== undefined) message.handled = handled;
  if (told.handled_by !== undefined) message.handledBy = toCamel(told.handled_by) as readonly HandledBy[];
  if (told.redelivered === true) message.redelivered = true;
  return message;
}

function notAMessage(): Error {
  return new Error("this is no message");
}
