/** How the broker's protocol shows a message. Asked by mailboxes, dead letters and listeners; it changes nothing. */
import { splitAddress } from "../core/address.ts";
import type { Address, Delivery, Json, Message, SessionId } from "../core/message.ts";
import type { StoreReader } from "../ports/store.ts";
import type { BrokerMessage, HandledBy } from "../wire/shapes.ts";

const PLAIN_COMMAND = "message";

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
    payload: message.payload ?? { text: body },
    body,
    status: delivery === undefined || delivery.state === "queued" ? "pending" : "delivered",
    timestamp: createdAt,
    source: message.channel ?? "internal",
    externalId: message.externalId ?? null,
    ...(forAgent ? { handled: delivery.handledBy !== undefined } : {}),
    ...(delivery?.handledBy === undefined
      ? {}
      : { handledBy: delivery.handledBy.flatMap((session) => handledBy(session, read)) }),
    ...(delivery?.possibleDuplicate === true ? { redelivered: true } : {}),
  };
}

export function handledBy(session: SessionId, read: StoreReader): readonly HandledBy[] {
  const stored = read.session(session);
  return stored === undefined ? [] : [{ agentId: stored.agent, sessionId: stored.name ?? stored.id }];
}

/** What an agent reads of a message that has only a command and a payload. */
export function bodyOf(
  body: string | undefined,
  command: string | undefined,
  payload: Json | undefined,
): string {
  if (body !== undefined && (body !== "" || (command === undefined && payload === undefined))) return body;
  const said = textOf(payload);
  if (said !== undefined) return said;
  const data = isEmpty(payload) ? "" : JSON.stringify(payload);
  return [command ?? (data === "" ? PLAIN_COMMAND : ""), data].filter((part) => part !== "").join(" ");
}

function textOf(payload: Json | undefined): string | undefined {
  if (typeof payload === "string" && payload.trim() !== "") return payload;
  if (payload === null || typeof payload !== "object" || Array.isArray(payload)) return undefined;
  const { text } = payload as { readonly text?: Json };
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
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
