import type { Instant } from "../../../core/message.ts";
import type { KeyedReminder } from "../../../ports/store.ts";
import { NUMBER, optional, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";

const KEYS = new Table<KeyedReminder>({
  name: "reminder_keys",
  key: "key",
  fields: {
    key: ["key", TEXT],
    contentDigest: ["content_digest", TEXT],
    id: ["timer", TEXT],
    to: ["mailbox", TEXT],
    sessionId: ["session_id", optional(TEXT)],
    dueAt: ["due_at", NUMBER],
    setAt: ["set_at", NUMBER],
  },
});

export function putReminderKey(connection: Connection, keyed: KeyedReminder): void {
  connection
    .sql(`INSERT INTO reminder_keys (${KEYS.columns}) VALUES (${KEYS.marks})`)
    .run(...KEYS.values(keyed));
}

export function reminderByKey(connection: Connection, key: string): KeyedReminder | undefined {
  const row = connection.sql(`SELECT ${KEYS.selected} FROM reminder_keys WHERE key = ?`).get(key);
  return KEYS.read(connection, row);
}

/** A key is kept while its reminder is pending, however old it is. */
export function forgetReminderKeysBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql(
      `DELETE FROM reminder_keys WHERE number IN
         (SELECT k.number FROM reminder_keys k
          WHERE k.set_at < ? AND NOT EXISTS (SELECT 1 FROM timers t WHERE t.id = k.timer)
          ORDER BY k.set_at LIMIT 0 + ?)`,
    )
    .run(at, limit);
}
