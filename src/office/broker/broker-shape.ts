/** How messages and subscriptions are shown. Used by mailboxes, dead letters, listeners and views; read-only. */
import { splitAddress } from "../../core/address.ts";
import { assertNever } from "../../core/errors.ts";
import type { Address, Delivery, DeliveryState, Json, Message, SessionId } from "../../core/message.ts";
import type { Writable } from "../../core/writable.ts";
import type { StoreReader, Subscription } from "../../ports/store.ts";
import type { BrokerMessage, HandledBy, ShownSubscription } from "../../wire/shapes/broker.ts";

const PLAIN_COMMAND = "message";
/** The source of a message that did not come from an outside system. */
export const INSIDE = "internal";

/** Without a delivery, the message is shown as it was sent. Field by field: every listener waits for it. */
export function brokerMessage(
  message: Message,
  delivery: Delivery | undefined,
  read: StoreReader,
): BrokerMessage {
  const shown = sentMessage(message, delivery);
  if (delivery === undefined) return shown;
  if (delivery.to.startsWith("agent/")) shown.handled = delivery.handledBy !== undefined;
  if (delivery.handledBy !== undefined)
    shown.handledBy = delivery.handledBy.flatMap((session) => handledBy(session, read));
  if (delivery.possibleDuplicate) shown.redelivered = true;
  return shown;
}

/** As its sender is shown it: only how it stands. */
export function sentMessage(message: Message, delivery: Delivery | undefined): Writable<BrokerMessage> {
  const { id, shortId, to, command = PLAIN_COMMAND, body, createdAt } = message;
  const shown: Writable<BrokerMessage> = {
    id,
    shortId,
    from: bareSender(message.from),
    path: to,
    command,
    payload: message.payload === undefined ? { text: body } : message.payload,
    body,
    status: delivery === undefined ? "pending" : statusOf(delivery.state),
    timestamp: createdAt,
    source: message.channel ?? INSIDE,
    externalId: message.externalId ?? null,
  };
  if (delivery !== undefined) shown.state = delivery.state;
  return shown;
}

export function shownSubscription({ pattern, addedAt }: Subscription): ShownSubscription {
  return { pattern, addedAt };
}

/** The protocol has one word for waiting and one for delivered; the other states keep their names. */
function statusOf(state: DeliveryState): BrokerMessage["status"] {
  switch (state) {
    case "queued":
    case "delivering":
      return "pending";
    case "delivered":
    case "read":
    case "replied":
    case "unconfirmed":
      return "delivered";
    case "expired":
    case "cancelled":
    case "failed":
      return state;
    default:
      return assertNever(state);
  }
}

export function handledBy(session: SessionId, read: StoreReader): readonly HandledBy[] {
  const stored = read.session(session);
  return stored === undefined ? [] : [{ agentId: stored.agent, sessionId: stored.name ?? stored.id }];
}

/** The text that an agent reads if a message has only a command and a payload: all of it, as plain as possible. */
export function bodyOf(
  body: string | undefined,
  command: string | undefined,
  payload: Json | undefined,
): string {
  if (body !== undefined && (body !== "" || (command === undefined && payload === undefined))) return body;
  const said = textOf(payload) ?? (isEmpty(payload) ? "" : JSON.stringify(payload));
  const asked = command === undefined || command === PLAIN_COMMAND ? "" : command;
  return [asked, said].filter((part) => part !== "").join(" ") || PLAIN_COMMAND;
}

/** The text of a payload that contains nothing else. */
function textOf(payload: Json | undefined): string | undefined {
  if (typeof payload === "string" && payload.trim() !== "") return payload;
  if (payload === null || typeof payload !== "object" || Array.isArray(payload)) return undefined;
  const { text, ...more } = payload as { readonly text?: Json };
  return typeof text === "string" && text.trim() !== "" && isEmpty(more) ? text : undefined;
}

function isEmpty(payload: Json | undefined): boolean {
  if (payload === undefined || payload === null) return true;
  return typeof payload === "object" && Object.keys(payload).length === 0;
}

function bareSender(from: Address): string {
  const { kind, rest } = splitAddress(from);
  if (kind === "agent") return rest;
  return from.startsWith("program/") ? from.slice("program/".length) : from;
}
