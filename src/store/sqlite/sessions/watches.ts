import type { Address } from "../../../core/message.ts";
import { WATCH_EVENTS, type Watch } from "../../../core/watch.ts";
import type { StoreReader } from "../../../ports/store.ts";
import { FLAG, type Kind, NUMBER, optional, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";

const EVENTS: Kind<Watch["on"]> = {
  bind: (events) => events.join(","),
  read(value, column) {
    const events = TEXT.read(value, column).split(",");
    return WATCH_EVENTS.filter((event) => events.includes(event));
  },
};

const WATCHES = new Table<Watch>({
  name: "watches",
  key: "id",
  fields: {
    id: ["id", TEXT],
    watcher: ["watcher", TEXT],
    watched: ["watched", TEXT],
    on: ["events", EVENTS],
    once: ["once", FLAG],
    createdAt: ["created_at", NUMBER],
    turnsUntil: ["turns_until", NUMBER],
    watcherSession: ["watcher_session", optional(TEXT)],
    toldQuestion: ["told_question", optional(TEXT)],
  },
});

export const watchWrites = { putWatch, removeWatch };

/** Adds a watch, or updates an existing one. */
function putWatch(connection: Connection, watch: Watch): void {
  connection
    .sql(`INSERT OR REPLACE INTO watches (${WATCHES.columns}) VALUES (${WATCHES.marks})`)
    .run(...WATCHES.values(watch));
}

function removeWatch(connection: Connection, id: string): void {
  connection.sql("DELETE FROM watches WHERE id = ?").run(id);
}

/** Oldest first. */
export function watches(
  connection: Connection,
  { watched }: Parameters<StoreReader["watches"]>[0] = {},
): readonly Watch[] {
  const rows =
    watched === undefined
      ? connection.sql(`SELECT ${WATCHES.selected} FROM watches ORDER BY created_at, id`).all()
      : connection
          .sql(`SELECT ${WATCHES.selected} FROM watches WHERE watched = ? ORDER BY created_at, id`)
          .all(watched);
  return WATCHES.readAll(connection, rows);
}

/** The watcher was renamed. */
export function moveWatches(connection: Connection, from: Address, to: Address): void {
  connection.sql("UPDATE watches SET watcher = ? WHERE watcher = ?").run(to, from);
}

/** Only those without a session: a session's own watches end with the session. */
export function removeWatchesBy(connection: Connection, watcher: Address): void {
  connection.sql("DELETE FROM watches WHERE watcher = ? AND watcher_session IS NULL").run(watcher);
}
