import type { Instant } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { Repeat } from "../../../core/time/schedule.ts";
import type { DeadlineMark, Timer } from "../../../ports/store.ts";
import { internAddress } from "../addresses.ts";
import {
  choice,
  decode,
  decodeAll,
  exactText,
  number,
  optionalNumber,
  optionalText,
  text,
  toExactBytes,
} from "../columns.ts";
import type { Connection, Row } from "../connection.ts";

const WRITTEN = `kind, due_at, created_at, fired, counts, every_ms, cron, mailbox, session_id, set_by, set_by_session,
  delivery_id, after_ms, text, last_message`;

/** A new one, or a new time for one that is there. */
export function putTimer(connection: Connection, timer: Timer): void {
  const { work, repeat } = timer;
  const reminder = work.kind === "reminder" ? work : undefined;
  const followUp = work.kind === "follow-up" ? work : undefined;
  connection
    .sql(
      `INSERT INTO timers (id, ${WRITTEN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, fired = excluded.fired,
         last_message = excluded.last_message`,
    )
    .run(
      timer.id,
      work.kind,
      timer.dueAt,
      timer.createdAt,
      timer.fired,
      timer.counts,
      repeat?.kind === "every" ? repeat.ms : undefined,
      repeat?.kind === "cron" ? repeat.line : undefined,
      reminder === undefined ? undefined : internAddress(connection, reminder.to),
      reminder?.sessionId,
      reminder === undefined ? undefined : internAddress(connection, reminder.setBy),
      reminder?.setBySession,
      followUp?.deliveryId,
      followUp?.afterMs,
      reminder === undefined ? undefined : toExactBytes(reminder.text),
      reminder?.lastMessage,
    );
}

export function removeTimer(connection: Connection, id: string): void {
  connection.sql("DELETE FROM timers WHERE id = ?").run(id);
}

const SELECT = `SELECT t.id, t.kind, t.due_at, t.created_at, t.fired, t.counts, t.every_ms, t.cron, t.session_id,
  t.set_by_session, t.delivery_id, t.after_ms, t.text, t.last_message,
  (SELECT path FROM addresses WHERE number = t.mailbox) AS mailbox,
  (SELECT path FROM addresses WHERE number = t.set_by) AS set_by
  FROM timers t`;

export function timerById(connection: Connection, id: string): Timer | undefined {
  return decode(connection, "timers", "id", connection.sql(`${SELECT} WHERE t.id = ?`).get(id), readTimer);
}

/** Earliest first. */
export function timersDueBy(connection: Connection, by: Instant, limit: number): readonly Timer[] {
  const rows = connection
    .sql(`${SELECT} WHERE t.due_at <= ? ORDER BY t.due_at, t.number LIMIT ?`)
    .all(by, limit);
  return decodeAll(connection, "timers", "id", rows, readTimer);
}

export function nextTimer(connection: Connection): Instant | undefined {
  const row = connection.sql("SELECT min(due_at) AS due FROM timers").get();
  return row === undefined ? undefined : optionalNumber(row, "due");
}

export function deadlineMark(connection: Connection): DeadlineMark {
  const row = connection
    .sql(
      `SELECT (SELECT max(sequence) FROM deliveries) AS deliveries, (SELECT max(number) FROM timers) AS timers,
         (SELECT seq FROM sqlite_sequence WHERE name = 'timers') AS given`,
    )
    .get();
  const found = (column: string) => (row === undefined ? undefined : optionalNumber(row, column));
  return {
    deliveries: found("deliveries") ?? 0,
    timers: Math.max(found("timers") ?? 0, found("given") ?? 0),
  };
}

export function shiftDeadlines(connection: Connection, byMs: number, since: DeadlineMark): void {
  // What is under way may be queued again. One index each: the partial one holds what is queued and nothing else.
  for (const state of ["queued", "delivering"]) {
    connection
      .sql(
        `UPDATE deliveries SET timeout_at = timeout_at + ?
         WHERE state = '${state}' AND timeout_at IS NOT NULL AND sequence > ?`,
      )
      .run(byMs, since.deliveries);
  }
  connection
    .sql("UPDATE timers SET due_at = due_at + ? WHERE counts = 'elapsed' AND number > ?")
    .run(byMs, since.timers);
}

/** Its owner has another name now. */
export function moveTimers(connection: Connection, from: number, to: number): void {
  connection.sql("UPDATE timers SET mailbox = ? WHERE mailbox = ?").run(to, from);
  connection.sql("UPDATE timers SET set_by = ? WHERE set_by = ?").run(to, from);
}

function readTimer(row: Row): Timer {
  const kind = choice(row, "kind", ["reminder", "follow-up"]);
  return {
    id: text(row, "id"),
    dueAt: number(row, "due_at"),
    createdAt: number(row, "created_at"),
    fired: number(row, "fired"),
    counts: choice(row, "counts", ["elapsed", "wall"]),
    ...present({ repeat: readRepeat(row) }),
    work:
      kind === "follow-up"
        ? { kind, deliveryId: text(row, "delivery_id"), afterMs: number(row, "after_ms") }
        : {
            kind,
            to: text(row, "mailbox"),
            setBy: text(row, "set_by"),
            text: exactText(row, "text"),
            ...present({
              sessionId: optionalText(row, "session_id"),
              setBySession: optionalText(row, "set_by_session"),
              lastMessage: optionalText(row, "last_message"),
            }),
          },
  };
}

function readRepeat(row: Row): Repeat | undefined {
  const line = optionalText(row, "cron");
  if (line !== undefined) return { kind: "cron", line };
  const ms = optionalNumber(row, "every_ms");
  return ms === undefined ? undefined : { kind: "every", ms };
}
