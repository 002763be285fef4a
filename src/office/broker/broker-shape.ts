/** How messages and subscriptions are shown. Asked by mailboxes, dead letters, listeners and views; it changes nothing. */
import { splitAddress } from "../../core/address.ts";
import { assertNever } from "../../core/errors.ts";
import type { Address, Delivery, DeliveryState, Json, Message, SessionId } from "../../core/message.ts";
import type { StoreReader, Subscription } from "../../ports/store.ts";
import type { BrokerMessage, HandledBy, ShownSubscription } from "../../wire/shapes/broker.ts";

const PLAIN_COMMAND = "message";
/** The source of what came from no outside system. */
export const INSIDE = "internal";

/** Without a delivery: as it was sent. */
export function brokerMessage(
  message: Message,
  delivery: Delivery | undefined,
  read: StoreReader,
): BrokerMessage {
  const { id, shortId, to, command = PLAIN_COMMAND, body, createdAt } = message;
  const forAgent = delivery !== undefined && splitAddress(delivery.to).kind === "agent";
  return {
    id,
    shortId,
    from: bareSender(message.from),
    path: to,
    command,
    payload: message.payload === undefined ? { text: body } : message.payload,
    body,
    status: "pending",
    ...(delivery === undefined ? {} : standing(delivery)),
    timestamp: createdAt,
    source: message.channel ?? INSIDE,
    externalId: message.externalId ?? null,
    ...(forAgent ? { handled: delivery.handledBy !== undefined } : {}),
    ...(delivery?.handledBy === undefined
      ? {}
      : { handledBy: delivery.handledBy.flatMap((session) => handledBy(session, read)) }),
    ...(delivery?.possibleDuplicate === true ? { redelivered: true } : {}),
  };
}

export function shownSubscription({ pattern, addedAt }: Subscription): ShownSubscription {
  return { pattern, addedAt };
}

export function standing({ state }: Delivery): Pick<BrokerMessage, "status" | "state"> {
  return { status: statusOf(state), state };
}

/** The protocol has a word for who waits and one for who has it; everything else is said as it is. */
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

/** What an agent reads of a message that has only a command and a payload: all of it, as plainly as it goes. */
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

/** A payload that is nothing but a text. */
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
