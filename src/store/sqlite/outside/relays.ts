/** What the desk did with arrivals, what it asked, and which dialogs it may answer. */

import type { Candidate } from "../../../core/desk/candidates.ts";
import { type Considered, RULES } from "../../../core/desk/resolve.ts";
import type { Address, Instant, MessageId, SessionId } from "../../../core/message.ts";
import type { AskedBack, DialogKey, Relay } from "../../../ports/outside-store.ts";
import { choice, FLAG, json, NUMBER, optional, SHOWN_TEXT, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { PLACES } from "../messages/delivery-ids.ts";
import { Table } from "../table.ts";

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
const isConsidered = (value: unknown): value is readonly Considered[] =>
  Array.isArray(value) && value.every((one) => isRecord(one) && typeof one.why === "string");
const isCandidates = (value: unknown): value is readonly Candidate[] =>
  Array.isArray(value) && value.every((one) => isRecord(one) && typeof one.session === "string");

const RELAYS = new Table<Relay>({
  name: "relays",
  key: "message_id",
  fields: {
    messageId: ["message_id", TEXT],
    at: ["at", NUMBER],
    path: ["path", TEXT],
    considered: ["considered", json(isConsidered)],
    outcome: ["outcome", choice(["relayed", "asked", "refused", "answered-dialog", "undone"])],
    rule: ["rule", optional(choice(RULES))],
    relayed: ["relayed", optional(TEXT)],
    label: ["label", optional(SHOWN_TEXT)],
    despite: ["despite", optional(TEXT)],
    owesConfirmation: ["owes_confirmation", FLAG],
  },
});

const ASKED = new Table<AskedBack>({
  name: "asked_back",
  key: "message_id",
  fields: {
    messageId: ["message_id", TEXT],
    path: ["path", TEXT],
    at: ["at", NUMBER],
    text: ["text", SHOWN_TEXT],
    choices: ["choices", json(isCandidates)],
  },
});

const KEYS = new Table<DialogKey>({
  name: "dialog_keys",
  key: "nonce",
  fields: {
    nonce: ["nonce", TEXT],
    session: ["session_id", TEXT],
    dialog: ["dialog", TEXT],
    answer: ["answer", choice(["approve", "deny"])],
    madeAt: ["made_at", NUMBER],
    usedAt: ["used_at", optional(NUMBER)],
    usedBy: ["used_by", optional(SHOWN_TEXT)],
  },
});

export const relayReads = {
  relayOf,
  relayedAs,
  lastRelay,
  owingConfirmation,
  askedBack,
  dialogKey,
  openDialogKeys,
};
export const relayWrites = { putRelay, putAskedBack, removeAskedBack, putDialogKey };

function relayOf(connection: Connection, messageId: MessageId): Relay | undefined {
  const row = connection.sql(`SELECT ${RELAYS.selected} FROM relays WHERE message_id = ?`).get(messageId);
  return RELAYS.read(connection, row);
}

function relayedAs(connection: Connection, relayed: MessageId): Relay | undefined {
  const row = connection.sql(`SELECT ${RELAYS.selected} FROM relays WHERE relayed = ?`).get(relayed);
  return RELAYS.read(connection, row);
}

function lastRelay(connection: Connection, path: Address): Relay | undefined {
  const row = connection
    .sql(
      `SELECT ${RELAYS.selected} FROM relays WHERE path = ? AND outcome IN ('relayed', 'answered-dialog') ORDER BY at DESC, rowid DESC LIMIT 1`,
    )
    .get(path);
  return RELAYS.read(connection, row);
}

function owingConfirmation(connection: Connection, limit: number): readonly Relay[] {
  const rows = connection
    .sql(
      `SELECT ${RELAYS.selected} FROM relays WHERE owes_confirmation = 1 AND EXISTS (
        SELECT 1 FROM messages m JOIN deliveries d ON d.sequence = m.number * ${PLACES} + 1
        WHERE m.id = relays.relayed AND d.state NOT IN ('queued', 'delivering')
      ) ORDER BY at, rowid LIMIT 0 + ?`,
    )
    .all(limit);
  return RELAYS.readAll(connection, rows);
}

function putRelay(connection: Connection, relay: Relay): void {
  connection
    .sql(`INSERT OR REPLACE INTO relays (${RELAYS.columns}) VALUES (${RELAYS.marks})`)
    .run(...RELAYS.values(relay));
}

function askedBack(connection: Connection, path: Address, since: Instant): readonly AskedBack[] {
  const rows = connection
    .sql(`SELECT ${ASKED.selected} FROM asked_back WHERE path = ? AND at >= ? ORDER BY at DESC, rowid DESC`)
    .all(path, since);
  return ASKED.readAll(connection, rows);
}

function putAskedBack(connection: Connection, asked: AskedBack): void {
  connection
    .sql(`INSERT OR REPLACE INTO asked_back (${ASKED.columns}) VALUES (${ASKED.marks})`)
    .run(...ASKED.values(asked));
}

function removeAskedBack(connection: Connection, messageId: MessageId): void {
  connection.sql("DELETE FROM asked_back WHERE message_id = ?").run(messageId);
}

function dialogKey(connection: Connection, nonce: string): DialogKey | undefined {
  const row = connection.sql(`SELECT ${KEYS.selected} FROM dialog_keys WHERE nonce = ?`).get(nonce);
  return KEYS.read(connection, row);
}

function openDialogKeys(connection: Connection, session: SessionId): readonly DialogKey[] {
  const rows = connection
    .sql(`SELECT ${KEYS.selected} FROM dialog_keys WHERE session_id = ? AND used_at IS NULL`)
    .all(session);
  return KEYS.readAll(connection, rows);
}

function putDialogKey(connection: Connection, key: DialogKey): void {
  connection
    .sql(`INSERT OR REPLACE INTO dialog_keys (${KEYS.columns}) VALUES (${KEYS.marks})`)
    .run(...KEYS.values(key));
}

/** What the person is still owed stays. */
export function forgetRelaysBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql(
      `DELETE FROM relays WHERE rowid IN (
        SELECT rowid FROM relays WHERE at < ? AND owes_confirmation = 0 ORDER BY at LIMIT 0 + ?)`,
    )
    .run(at, limit);
}

export function forgetDialogKeysBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql(
      `DELETE FROM dialog_keys WHERE rowid IN (
        SELECT rowid FROM dialog_keys WHERE made_at < ? ORDER BY made_at LIMIT 0 + ?)`,
    )
    .run(at, limit);
}

export function forgetQuestionsBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql(
      "DELETE FROM asked_back WHERE rowid IN (SELECT rowid FROM asked_back WHERE at < ? ORDER BY at LIMIT 0 + ?)",
    )
    .run(at, limit);
}
