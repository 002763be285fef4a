import type { Address, SessionId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { WATCH_EVENTS, type Watch } from "../../../core/watch.ts";
import { decodeAll, flag, number, optionalText, text } from "../columns.ts";
import type { Connection, Row } from "../connection.ts";

const COLUMNS = `id, watcher, watcher_session, watched, events, once, created_at, turns_until, told_question`;

/** A new one, or what has changed of one that is there. */
export function putWatch(connection: Connection, watch: Watch): void {
  connection
    .sql(`INSERT OR REPLACE INTO watches (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    .run(
      watch.id,
      watch.watcher,
      watch.watcherSession,
      watch.watched,
      watch.on.join(","),
      watch.once ? 1 : 0,
      watch.createdAt,
      watch.turnsUntil,
      watch.toldQuestion,
    );
}

export function removeWatch(connection: Connection, id: string): void {
  connection.sql("DELETE FROM watches WHERE id = ?").run(id);
}

/** Oldest first. */
export function allWatches(connection: Connection): readonly Watch[] {
  return read(connection, connection.sql(`SELECT ${COLUMNS} FROM watches ORDER BY created_at, id`).all());
}

export function watchesOf(connection: Connection, watched: SessionId): readonly Watch[] {
  const rows = connection
    .sql(`SELECT ${COLUMNS} FROM watches WHERE watched = ? ORDER BY created_at, id`)
    .all(watched);
  return read(connection, rows);
}

/** Its watcher has another name now. */
export function moveWatches(connection: Connection, from: Address, to: Address): void {
  connection.sql("UPDATE watches SET watcher = ? WHERE watcher = ?").run(to, from);
}

/** Those of a session end with that. */
export function removeWatchesBy(connection: Connection, watcher: Address): void {
  connection.sql("DELETE FROM watches WHERE watcher = ? AND watcher_session IS NULL").run(watcher);
}

function read(connection: Connection, rows: readonly Row[]): readonly Watch[] {
  return decodeAll(connection, "watches", "id", rows, readWatch);
}

function readWatch(row: Row): Watch {
  const events = text(row, "events").split(",");
  return {
    id: text(row, "id"),
    watcher: text(row, "watcher"),
    watched: text(row, "watched"),
    on: WATCH_EVENTS.filter((event) => events.includes(event)),
    once: flag(row, "once"),
    createdAt: number(row, "created_at"),
    turnsUntil: number(row, "turns_until"),
    ...present({
      watcherSession: optionalText(row, "watcher_session"),
      toldQuestion: optionalText(row, "told_question"),
    }),
  };
}
