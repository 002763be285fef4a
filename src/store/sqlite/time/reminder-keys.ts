import type { Instant } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { KeyedReminder } from "../../../ports/store.ts";
import { decode, number, optionalText, text } from "../columns.ts";
import type { Connection, Row } from "../connection.ts";

export function putReminderKey(connection: Connection, keyed: KeyedReminder): void {
  connection
    .sql(
      `INSERT INTO reminder_keys (key, content_digest, timer, mailbox, session_id, due_at, set_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(keyed.key, keyed.contentDigest, keyed.id, keyed.to, keyed.sessionId, keyed.dueAt, keyed.setAt);
}

export function reminderByKey(connection: Connection, key: string): KeyedReminder | undefined {
  const row = connection
    .sql(
      `SELECT key, content_digest, timer, mailbox, session_id, due_at, set_at
       FROM reminder_keys WHERE key = ?`,
    )
    .get(key);
  return decode(connection, "reminder_keys", "key", row, readKeyed);
}

/** While a reminder is still to come its key is known, however old. */
export function forgetReminderKeysBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql(
      `DELETE FROM reminder_keys WHERE number IN
         (SELECT k.number FROM reminder_keys k
          WHERE k.set_at < ? AND NOT EXISTS (SELECT 1 FROM timers t WHERE t.id = k.timer)
          ORDER BY k.set_at LIMIT ?)`,
    )
    .run(at, limit);
}

function readKeyed(row: Row): KeyedReminder {
  return {
    key: text(row, "key"),
    contentDigest: text(row, "content_digest"),
    id: text(row, "timer"),
    to: text(row, "mailbox"),
    ...present({ sessionId: optionalText(row, "session_id") }),
    dueAt: number(row, "due_at"),
    setAt: number(row, "set_at"),
  };
}
