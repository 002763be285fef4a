/**
 * A message as it is pushed to who listens. A program that hears many may ask for them briefly: what most messages have in
 * common is left out, and the text is there once. Both directions are here, so that they cannot disagree.
 *
 *   [id, shortId, from, path, body, timestamp, state]               the usual; without a state, null
 *   [id, shortId, from, path, body, timestamp, state, { … }]        with the fields in which it is not
 *
 * On the Unix socket, the names of those fields are in snake_case, as everything there.
 */
import type { Address, Instant, Json, MessageId } from "../core/message.ts";
import type { Writable } from "../core/writable.ts";
import { toCamel, toSnake } from "./casing.ts";
import type { BrokerMessage, HandledBy } from "./shapes/broker.ts";

type State = NonNullable<BrokerMessage["state"]>;
/** If the message has no `handled`, that is null: absent, it would be the usual one. */
type Unusual = Writable<Partial<Omit<BrokerMessage, "state" | "handled">>> & { handled?: boolean | null };
type Brief = readonly [
  id: MessageId,
  shortId: string,
  from: string,
  path: Address,
  body: string,
  timestamp: Instant,
  state: State | null,
  unusual?: Unusual,
];

/** Where those fields are in which it is not. */
const UNUSUAL = 7;

const USUAL = {
  command: "message",
  status: "pending",
  source: "internal",
  externalId: null,
  handled: false,
} as const;

export function briefly(message: BrokerMessage): Brief {
  const { id, shortId, from, path, body, timestamp, state = null } = message;
  const unusual = unusualOf(message);
  return unusual === undefined
    ? [id, shortId, from, path, body, timestamp, state]
    : [id, shortId, from, path, body, timestamp, state, unusual];
}

function unusualOf(message: BrokerMessage): Unusual | undefined {
  const { command, payload, body, status, source, externalId, handled, handledBy } = message;
  const { redelivered } = message;
  const isUsual =
    command === USUAL.command &&
    status === USUAL.status &&
    source === USUAL.source &&
    externalId === USUAL.externalId &&
    handled === USUAL.handled &&
    handledBy === undefined &&
    redelivered === undefined &&
    isOnly(payload, body);
  if (isUsual) return undefined;
  const unusual: Unusual = {};
  if (command !== USUAL.command) unusual.command = command;
  if (status !== USUAL.status) unusual.status = status;
  if (source !== USUAL.source) unusual.source = source;
  if (externalId !== USUAL.externalId) unusual.externalId = externalId;
  if (handled !== USUAL.handled) unusual.handled = handled ?? null;
  if (handledBy !== undefined) unusual.handledBy = handledBy;
  if (redelivered !== undefined) unusual.redelivered = redelivered;
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
  const [id, shortId, from, path, body, timestamp, state, unusual] = heard as unknown as Brief;
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
    externalId: USUAL.externalId,
    handled: USUAL.handled,
  };
  if (state !== null) message.state = state;
  return unusual === undefined ? message : withUnusual(message, toCamel(unusual) as Unusual);
}

function withUnusual(message: Writable<BrokerMessage>, unusual: Unusual): BrokerMessage {
  const { handled, ...same } = unusual;
  Object.assign(message, same);
  if (handled === null) delete message.handled;
  else if (handled !== undefined) message.handled = handled;
  return message;
}

export function brieflyInSnake(message: BrokerMessage): readonly unknown[] {
  const brief = briefly(message);
  return brief[UNUSUAL] === undefined ? brief : brief.map(toSnake);
}

type Told = Omit<BrokerMessage, "shortId" | "externalId" | "handledBy"> & {
  readonly short_id: string;
  readonly external_id: string | null;
  readonly handled_by?: readonly unknown[];
};

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
