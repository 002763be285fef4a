import type { Address, Instant } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { Repeat } from "../../../core/time/schedule.ts";
import type { DeadlineMark, StoreReader, Timer } from "../../../ports/store.ts";
import { findAddress, internAddress } from "../addresses.ts";
import {
  choice,
  EXACT_TEXT,
  type Kind,
  NUMBER,
  number,
  optional,
  optionalNumber,
  TEXT,
  text,
} from "../columns.ts";
import type { Connection, Row } from "../connection.ts";
import { decode } from "../table.ts";

const WRITTEN = `kind, due_at, created_at, fired, counts, every_ms, cron, mailbox, session_id, set_by, set_by_session,
  delivery_id, after_ms, text, last_message`;

export const timerReads = { timer, timers, nextTimer, deadlineMark };
export const timerWrites = { putTimer, removeTimer, moveReminders, shiftDeadlines };

/** Adds a timer, or changes the time of an existing one. */
function putTimer(connection: Connection, timer: Timer): void {
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
      reminder === undefined ? undefined : EXACT_TEXT.bind(reminder.text),
      reminder?.lastMessage,
    );
}

function removeTimer(connection: Connection, id: string): void {
  connection.sql("DELETE FROM timers WHERE id = ?").run(id);
}

const SELECT = `SELECT t.id, t.kind, t.due_at, t.created_at, t.fired, t.counts, t.every_ms, t.cron, t.session_id,
  t.set_by_session, t.delivery_id, t.after_ms, t.text, t.last_message,
  (SELECT path FROM addresses WHERE number = t.mailbox) AS mailbox,
  (SELECT path FROM addresses WHERE number = t.set_by) AS set_by
  FROM timers t`;

const TIMERS = { name: "timers", key: "id" };
const WITHOUT_LIMIT = -1;

function timer(connection: Connection, id: string): Timer | undefined {
  return decode(connection, TIMERS, connection.sql(`${SELECT} WHERE t.id = ?`).get(id), readTimer);
}

/** Earliest first. */
function timers(
  connection: Connection,
  { dueBy = Number.MAX_SAFE_INTEGER, limit = WITHOUT_LIMIT }: Parameters<StoreReader["timers"]>[0],
): readonly Timer[] {
  return connection
    .sql(`${SELECT} WHERE t.due_at <= ? ORDER BY t.due_at, t.number LIMIT 0 + ?`)
    .all(dueBy, limit)
    .flatMap((row) => decode(connection, TIMERS, row, readTimer) ?? []);
}

function nextTimer(connection: Connection): Instant | undefined {
  return optionalNumber(connection.sql("SELECT min(due_at) AS due FROM timers").get(), "due");
}

function deadlineMark(connection: Connection): DeadlineMark {
  const row = connection
    .sql(
      `SELECT (SELECT max(sequence) FROM deliveries) AS deliveries, (SELECT max(number) FROM timers) AS timers,
         (SELECT seq FROM sqlite_sequence WHERE name = 'timers') AS given`,
    )
    .get();
  const found = (column: string) => optionalNumber(row, column) ?? 0;
  return { deliveries: found("deliveries"), timers: Math.max(found("timers"), found("given")) };
}

function shiftDeadlines(connection: Connection, byMs: number, since: DeadlineMark): void {
  // A delivery under way may be queued again. One index per state: the partial one contains only queued ones.
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

/** Reminders for or by `from` become those of `to`. The mailbox itself stays. */
function moveReminders(connection: Connection, from: Address, to: Address): void {
  const source = findAddress(connection, from);
  if (source !== undefined) moveTimers(connection, source, internAddress(connection, to));
}

/** The owner was renamed. */
export function moveTimers(connection: Connection, from: number, to: number): void {
  connection.sql("UPDATE timers SET mailbox = ? WHERE mailbox = ?").run(to, from);
  connection.sql("UPDATE timers SET set_by = ? WHERE set_by = ?").run(to, from);
}

function readTimer(row: Row): Timer {
  const at = <T>(column: string, kind: Kind<T>) => kind.read(row.value(column), column);
  const kind = at("kind", choice(["reminder", "follow-up"]));
  return {
    id: text(row, "id"),
    dueAt: number(row, "due_at"),
    createdAt: number(row, "created_at"),
    fired: number(row, "fired"),
    counts: at("counts", choice(["elapsed", "wall"])),
    ...present({ repeat: repeatOf(at("cron", optional(TEXT)), at("every_ms", optional(NUMBER))) }),
    work:
      kind === "follow-up"
        ? { kind, deliveryId: text(row, "delivery_id"), afterMs: number(row, "after_ms") }
        : {
            kind,
            to: text(row, "mailbox"),
            setBy: text(row, "set_by"),
            text: at("text", EXACT_TEXT),
            ...present({
              sessionId: at("session_id", optional(TEXT)),
              setBySession: at("set_by_session", optional(TEXT)),
              lastMessage: at("last_message", optional(TEXT)),
            }),
          },
  };
}

function repeatOf(line: string | undefined, ms: number | undefined): Repeat | undefined {
  if (line !== undefined) return { kind: "cron", line };
  return ms === undefined ? undefined : { kind: "every", ms };
}
