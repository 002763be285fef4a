import { BellhopError } from "../../../core/errors.ts";
import type { Message, MessageForm, MessageId, Priority, Source } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { NewMessage } from "../../../ports/store.ts";
import {
  choice,
  decode,
  decodeAll,
  exactText,
  isRecord,
  isTexts,
  number,
  optionalChoice,
  optionalJson,
  optionalNumber,
  optionalText,
  text,
  toExactBytes,
  toJson,
} from "../columns.ts";
import type { Connection, Row } from "../connection.ts";
import type { NewestMessage } from "../memory.ts";
import { isConstraint } from "../sqlite-errors.ts";
import { PLACES, sequenceOf } from "./delivery-ids.ts";

export const PRIORITIES = [
  "interrupt",
  "normal",
  "idle-first",
  "idle",
] as const satisfies readonly Priority[];
const SOURCES = [
  "person",
  "agent",
  "script",
  "bridge",
  "webhook",
  "bellhop",
] as const satisfies readonly Source[];

const PLAIN_TEXT: MessageForm = { kind: "text" };

/** Shorter prefixes name too many. */
const SHORTEST_PREFIX = 4;

/** Of a table called `m`. */
export const MESSAGE_COLUMNS = `
  m.id AS message_id, m.short_id, m.from_address, m.from_session, m.to_address, m.form,
  m.priority AS message_priority, m.command, m.source, m.external_id, m.reply_to, m.bound, m.hops, m.created_at,
  m.file, m.channel, m.payload, m.body`;

export function insertMessage(connection: Connection, message: NewMessage): "stored" | "short-id-taken" {
  try {
    const number = connection
      .sql(
        `INSERT INTO messages (id, short_id, from_address, from_session, to_address, form, priority, command,
           source, external_id, reply_to, bound, hops, created_at, file, idempotency_key, content_digest, channel,
           payload, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (short_id) DO NOTHING`,
      )
      .insert(
        message.id,
        message.shortId,
        message.from,
        message.fromSession,
        message.to,
        message.form.kind === "text" ? undefined : toJson(message.form),
        message.priority,
        message.command,
        message.source,
        message.externalId,
        message.replyTo,
        message.bound,
        message.hops,
        message.createdAt,
        message.file,
        message.idempotencyKey,
        message.contentDigest,
        message.channel,
        message.payload === undefined ? undefined : toJson(message.payload),
        toExactBytes(message.body),
      );
    if (number === undefined) return "short-id-taken";
    connection.memory.newest = { id: message.id, number, from: message.from, deliveries: 0 };
    return "stored";
  } catch (error) {
    if (!isConstraint(error)) throw error;
    throw new BellhopError("message.conflict", {
      message: "A message with this id or idempotency key is already stored.",
      next: "Use another key for another message.",
      cause: error,
    });
  }
}

const BY_ID = `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.id = ?`;

export function messageById(connection: Connection, id: MessageId): Message | undefined {
  return toMessage(connection, connection.sql(BY_ID).get(id));
}

export function messageByIdempotencyKey(
  connection: Connection,
  key: string,
): { readonly message: Message; readonly contentDigest: string } | undefined {
  const row = connection
    .sql(`SELECT ${MESSAGE_COLUMNS}, m.content_digest FROM messages m WHERE m.idempotency_key = ?`)
    .get(key);
  const message = toMessage(connection, row);
  const contentDigest = row === undefined ? undefined : optionalText(row, "content_digest");
  return message === undefined || contentDigest === undefined ? undefined : { message, contentDigest };
}

const ANSWER_TO = `SELECT ${MESSAGE_COLUMNS} FROM messages m
WHERE m.reply_to = ? AND m.source <> 'bellhop' ORDER BY m.number LIMIT 1`;

export function answerTo(connection: Connection, id: MessageId): Message | undefined {
  return toMessage(connection, connection.sql(ANSWER_TO).get(id));
}

/** What a new delivery needs to know of its message. */
export function messageOrigin(connection: Connection, id: MessageId): NewestMessage | undefined {
  const { newest } = connection.memory;
  if (newest?.id === id) return newest;
  const row = connection
    .sql(
      `SELECT number, from_address, (SELECT max(sequence) FROM deliveries
         WHERE sequence > m.number * ${PLACES} AND sequence < (m.number + 1) * ${PLACES}) AS last
       FROM messages m WHERE id = ?`,
    )
    .get(id);
  if (row === undefined) return undefined;
  const last = optionalNumber(row, "last");
  return {
    id,
    number: number(row, "number"),
    from: text(row, "from_address"),
    deliveries: last === undefined ? 0 : last % PLACES,
  };
}

export function findMessages(connection: Connection, wanted: string, limit: number): readonly Message[] {
  if (limit < 1 || wanted === "") return [];
  const exact = messagesNamed(connection, wanted);
  if (exact.length > 0 || wanted.length < SHORTEST_PREFIX) return exact.slice(0, limit);
  return messagesStartingWith(connection, wanted, limit);
}

const NAMED = `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.number IN (
  SELECT number FROM messages WHERE id = ?1
  UNION ALL SELECT number FROM messages WHERE short_id = ?1
  UNION ALL SELECT sequence / ${PLACES} FROM deliveries WHERE sequence = ?2)`;

function messagesNamed(connection: Connection, name: string): readonly Message[] {
  const rows = connection.sql(NAMED).all(name, sequenceOf(connection, name));
  return decodeAll(connection, "messages", "message_id", rows, readMessage);
}

/** The start of a delivery's id is the start of its message's. */
const STARTING_WITH = `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.number IN (
  SELECT number FROM messages WHERE id >= ?1 AND id < ?2
  UNION ALL SELECT number FROM messages WHERE short_id >= ?1 AND short_id < ?2)
LIMIT ?3`;

function messagesStartingWith(connection: Connection, prefix: string, limit: number): readonly Message[] {
  const rows = connection.sql(STARTING_WITH).all(prefix, `${prefix}\u{10ffff}`, limit);
  return decodeAll(connection, "messages", "message_id", rows, readMessage);
}

export function toMessage(connection: Connection, row: Row | undefined): Message | undefined {
  return decode(connection, "messages", "message_id", row, readMessage);
}

function readMessage(row: Row): Message {
  return {
    id: text(row, "message_id"),
    shortId: text(row, "short_id"),
    from: text(row, "from_address"),
    to: text(row, "to_address"),
    body: exactText(row, "body"),
    form: optionalJson(row, "form", isForm) ?? PLAIN_TEXT,
    priority: choice(row, "message_priority", PRIORITIES),
    source: choice(row, "source", SOURCES),
    hops: number(row, "hops"),
    createdAt: number(row, "created_at"),
    file: text(row, "file"),
    ...present({
      fromSession: optionalText(row, "from_session"),
      command: optionalText(row, "command"),
      payload: optionalJson(row, "payload", isAnyJson),
      channel: optionalText(row, "channel"),
      externalId: optionalText(row, "external_id"),
      replyTo: optionalText(row, "reply_to"),
      bound: optionalChoice(row, "bound", ["explicit", "implicit"]),
    }),
  };
}

function isForm(value: unknown): value is MessageForm {
  if (!isRecord(value)) return false;
  if (value.kind === "text") return true;
  return value.kind === "raw" && isTexts(value.keys) && ["string", "undefined"].includes(typeof value.dialog);
}

function isAnyJson(_value: unknown): _value is NonNullable<Message["payload"]> {
  return true;
}
