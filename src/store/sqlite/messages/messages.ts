import { BellhopError } from "../../../core/errors.ts";
import { type Json, type Message, type MessageForm, type MessageId, SOURCES } from "../../../core/message.ts";
import { PRIORITIES } from "../../../core/priority.ts";
import type { MessageKey, NewMessage } from "../../../ports/store.ts";
import {
  choice,
  EXACT_TEXT,
  isRecord,
  isTexts,
  json,
  type Kind,
  NUMBER,
  number,
  optional,
  optionalNumber,
  TEXT,
  text,
} from "../columns.ts";
import type { Connection } from "../connection.ts";
import type { NewestMessage } from "../memory.ts";
import { isConstraint } from "../sqlite-errors.ts";
import { Table } from "../table.ts";
import { PLACES, sequenceOf } from "./delivery-ids.ts";

const OTHER_FORM = optional(json(isForm));
const FORM: Kind<MessageForm> = {
  bind: (form) => OTHER_FORM.bind(form.kind === "text" ? undefined : form),
  read: (value, column) => OTHER_FORM.read(value, column) ?? { kind: "text" },
};

/** Shorter prefixes match too many. */
const SHORTEST_PREFIX = 4;

/** For a table aliased `m`. */
export const MESSAGES = new Table<Message>({
  name: "messages",
  key: "m_id",
  alias: "m",
  fields: {
    id: ["id", TEXT],
    shortId: ["short_id", TEXT],
    from: ["from_address", TEXT],
    to: ["to_address", TEXT],
    body: ["body", EXACT_TEXT],
    form: ["form", FORM],
    priority: ["priority", choice(PRIORITIES)],
    source: ["source", choice(SOURCES)],
    hops: ["hops", NUMBER],
    createdAt: ["created_at", NUMBER],
    file: ["file", TEXT],
    fromSession: ["from_session", optional(TEXT)],
    command: ["command", optional(TEXT)],
    payload: ["payload", optional(json(isAnyJson))],
    channel: ["channel", optional(TEXT)],
    externalId: ["external_id", optional(TEXT)],
    replyTo: ["reply_to", optional(TEXT)],
    bound: ["bound", optional(choice(["explicit", "implicit"]))],
  },
});
const SELECT = `SELECT ${MESSAGES.selected} FROM messages m`;

const BY_KEY = `SELECT ${MESSAGES.selected}, m.content_digest FROM messages m WHERE m.idempotency_key = ?`;
const INSERT = `INSERT INTO messages (${MESSAGES.columns}, idempotency_key, content_digest)
  VALUES (${MESSAGES.marks}, ?, ?) ON CONFLICT (short_id) DO NOTHING`;

/** Each bound value costs time: most messages have nothing but these. A text without a NUL needs no bytes of its own. */
const INSERT_PLAIN = `INSERT INTO messages
    (id, short_id, from_address, to_address, body, priority, source, hops, created_at, file, from_session)
  VALUES (?, ?, ?, ?, CAST(? AS BLOB), ?, ?, ?, ?, ?, ?) ON CONFLICT (short_id) DO NOTHING`;
/** With the key that a client library gives each message. */
const INSERT_PLAIN_ONCE = `INSERT INTO messages
    (id, short_id, from_address, to_address, body, priority, source, hops, created_at, file, from_session,
     idempotency_key, content_digest)
  VALUES (?, ?, ?, ?, CAST(? AS BLOB), ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (short_id) DO NOTHING`;

export const messageReads = { message, findMessages, answerTo, byIdempotencyKey };

export function insertMessage(
  connection: Connection,
  message: NewMessage,
  key: MessageKey = message,
): "stored" | "short-id-taken" {
  try {
    const number = isPlain(message)
      ? insertPlain(connection, message, key)
      : connection.sql(INSERT).insert(...MESSAGES.values(message, key.idempotencyKey, key.contentDigest));
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

function isPlain(message: Message): boolean {
  return (
    message.form.kind === "text" &&
    message.command === undefined &&
    message.payload === undefined &&
    message.channel === undefined &&
    message.externalId === undefined &&
    message.replyTo === undefined &&
    !message.body.includes("\0")
  );
}

function insertPlain(
  connection: Connection,
  message: Message,
  { idempotencyKey: key, contentDigest: digest }: MessageKey,
): number | undefined {
  const { id, shortId, from, to, body, priority, source, hops, createdAt, file, fromSession } = message;
  if (key === undefined)
    return connection
      .sql(INSERT_PLAIN)
      .insert(id, shortId, from, to, body, priority, source, hops, createdAt, file, fromSession);
  return connection
    .sql(INSERT_PLAIN_ONCE)
    .insert(id, shortId, from, to, body, priority, source, hops, createdAt, file, fromSession, key, digest);
}

function message(connection: Connection, id: MessageId): Message | undefined {
  return MESSAGES.read(connection, connection.sql(`${SELECT} WHERE m.id = ?`).get(id));
}

function byIdempotencyKey(
  connection: Connection,
  key: string,
): { readonly message: Message; readonly contentDigest: string } | undefined {
  const row = connection.sql(BY_KEY).get(key);
  const found = MESSAGES.read(connection, row);
  if (row === undefined || found === undefined) return undefined;
  const contentDigest = optional(TEXT).read(row.value("content_digest"), "content_digest");
  return contentDigest === undefined ? undefined : { message: found, contentDigest };
}

const ANSWER_TO = `${SELECT} WHERE m.reply_to = ? AND m.source <> 'bellhop' ORDER BY m.number LIMIT 1`;

function answerTo(connection: Connection, id: MessageId): Message | undefined {
  return MESSAGES.read(connection, connection.sql(ANSWER_TO).get(id));
}

/** What a new delivery needs from its message. */
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

function findMessages(connection: Connection, wanted: string, limit: number): readonly Message[] {
  if (limit < 1 || wanted === "") return [];
  const exact = messagesNamed(connection, wanted);
  if (exact.length > 0 || wanted.length < SHORTEST_PREFIX) return exact.slice(0, limit);
  return messagesStartingWith(connection, wanted, limit);
}

const NAMED = `${SELECT} WHERE m.number IN (
  SELECT number FROM messages WHERE id = ?1
  UNION ALL SELECT number FROM messages WHERE short_id = ?1
  UNION ALL SELECT sequence / ${PLACES} FROM deliveries WHERE sequence = ?2)`;

function messagesNamed(connection: Connection, name: string): readonly Message[] {
  const rows = connection.sql(NAMED).all(name, sequenceOf(connection, name));
  return MESSAGES.readAll(connection, rows);
}

/** A delivery's id starts with its message's id. */
const STARTING_WITH = `${SELECT} WHERE m.number IN (
  SELECT number FROM messages WHERE id >= ?1 AND id < ?2
  UNION ALL SELECT number FROM messages WHERE short_id >= ?1 AND short_id < ?2)
LIMIT 0 + ?3`;

function messagesStartingWith(connection: Connection, prefix: string, limit: number): readonly Message[] {
  const rows = connection.sql(STARTING_WITH).all(prefix, `${prefix}\u{10ffff}`, limit);
  return MESSAGES.readAll(connection, rows);
}

function isForm(value: unknown): value is MessageForm {
  if (!isRecord(value)) return false;
  if (value.kind === "text") return true;
  return value.kind === "raw" && isTexts(value.keys) && ["string", "undefined"].includes(typeof value.dialog);
}

function isAnyJson(_value: unknown): _value is Json {
  return true;
}
