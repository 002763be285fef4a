/** What was said outside, and what of it comes back. */
import type { Address, Instant, MessageId } from "../../../core/message.ts";
import type { BridgeName } from "../../../ports/bridge.ts";
import type { Echo, Spoken } from "../../../ports/outside-store.ts";
import { json, NUMBER, optional, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";
import { BRIDGE, isTexts } from "./arrived.ts";

const SPOKEN = new Table<Spoken>({
  name: "spoken",
  key: "external_id",
  fields: {
    bridge: ["bridge", BRIDGE],
    externalId: ["external_id", TEXT],
    messageId: ["message_id", TEXT],
    path: ["path", TEXT],
    agent: ["agent", optional(TEXT)],
    session: ["session_id", optional(TEXT)],
    at: ["at", NUMBER],
  },
});

const ECHOES = new Table<Echo>({
  name: "echoes",
  key: "id",
  fields: {
    id: ["id", TEXT],
    path: ["path", TEXT],
    digest: ["digest", TEXT],
    at: ["at", NUMBER],
    eatenBy: ["eaten_by", json(isTexts)],
  },
});

export const spokenReads = { spoken, spokenParts, spokenSince };
export const spokenWrites = { putSpoken, putEcho, eatEcho };

function spoken(connection: Connection, bridge: BridgeName, externalId: string): Spoken | undefined {
  const row = connection
    .sql(`SELECT ${SPOKEN.selected} FROM spoken WHERE bridge = ? AND external_id = ?`)
    .get(bridge, externalId);
  return SPOKEN.read(connection, row);
}

function spokenParts(connection: Connection, messageId: MessageId): readonly Spoken[] {
  const rows = connection
    .sql(`SELECT ${SPOKEN.selected} FROM spoken WHERE message_id = ? ORDER BY at, rowid`)
    .all(messageId);
  return SPOKEN.readAll(connection, rows);
}

function spokenSince(connection: Connection, path: Address, since: Instant): readonly Spoken[] {
  const rows = connection
    .sql(`SELECT ${SPOKEN.selected} FROM spoken WHERE path = ? AND at >= ? ORDER BY at DESC, rowid DESC`)
    .all(path, since);
  return SPOKEN.readAll(connection, rows);
}

function putSpoken(connection: Connection, one: Spoken): void {
  connection
    .sql(`INSERT OR IGNORE INTO spoken (${SPOKEN.columns}) VALUES (${SPOKEN.marks})`)
    .run(...SPOKEN.values(one));
}

function putEcho(connection: Connection, echo: Echo): void {
  connection
    .sql(`INSERT OR REPLACE INTO echoes (${ECHOES.columns}) VALUES (${ECHOES.marks})`)
    .run(...ECHOES.values(echo));
}

/** The oldest first: each was said once and comes back once. */
function eatEcho(
  connection: Connection,
  path: Address,
  digest: string,
  cursor: string,
  since: Instant,
): boolean {
  const rows = connection
    .sql(`SELECT ${ECHOES.selected} FROM echoes WHERE path = ? AND digest = ? AND at >= ? ORDER BY at, rowid`)
    .all(path, digest, since);
  const echo = ECHOES.readAll(connection, rows).find(({ eatenBy }) => !eatenBy.includes(cursor));
  if (echo === undefined) return false;
  putEcho(connection, { ...echo, eatenBy: [...echo.eatenBy, cursor] });
  return true;
}

export function forgetSpokenBefore(connection: Connection, at: Instant, limit: number): void {
  for (const table of ["spoken", "echoes"])
    connection
      .sql(
        `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE at < ? ORDER BY at LIMIT 0 + ?)`,
      )
      .run(at, limit);
}
