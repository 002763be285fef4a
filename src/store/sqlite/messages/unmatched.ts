import { BellhopError } from "../../../core/errors.ts";
import { EVIDENCE, type Instant, type MessageId, type Wishes } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { DeadLetter, StoreReader } from "../../../ports/store.ts";
import { hasFields, json, number, optional, text, toJson } from "../columns.ts";
import type { Connection, Row } from "../connection.ts";
import { decode } from "../table.ts";
import { messageNumber } from "./delivery-ids.ts";
import { isOwed } from "./delivery-row.ts";
import { MESSAGES } from "./messages.ts";

const LETTER = { name: "unmatched", key: "message" };

export const unmatchedReads = { isUnmatched, unmatchedReason, unmatchedWishes, unmatched, unmatchedAfter };
export const unmatchedWrites = { insertUnmatched, removeUnmatched, clearUnmatched };

function insertUnmatched(
  connection: Connection,
  messageId: MessageId,
  at: Instant,
  reason: string,
  wishes: Wishes = {},
): void {
  const message = messageNumber(connection, messageId);
  if (message === undefined) {
    throw new BellhopError("message.unknown", {
      message: `No message has the id "${messageId}".`,
      next: "Store the message before its dead letter.",
    });
  }
  connection
    .sql("INSERT INTO unmatched (message, at, reason, wishes) VALUES (?, ?, ?, ?)")
    .run(message, at, reason, written(wishes));
}

/** Nothing is stored without wishes, which is nearly always. */
function written({ timeoutMs, owes, require, atMostOnce, anyWayIn }: Wishes): string | undefined {
  const wishes = present({
    timeoutMs: timeoutMs === 0 ? undefined : timeoutMs,
    owes,
    require,
    atMostOnce: atMostOnce || undefined,
    anyWayIn: anyWayIn || undefined,
  });
  return Object.keys(wishes).length === 0 ? undefined : toJson(wishes);
}

function unmatchedWishes(connection: Connection, messageId: MessageId): Wishes | undefined {
  const row = connection
    .sql("SELECT message, wishes FROM unmatched WHERE message = ?")
    .get(messageNumber(connection, messageId));
  return decode(connection, LETTER, row, (found) => WISHES.read(found.value("wishes"), "wishes") ?? {});
}

function isWishes(value: unknown): value is Wishes {
  return (
    hasFields(value, { timeoutMs: "number?", atMostOnce: "boolean?", anyWayIn: "boolean?" }) &&
    (value.owes === undefined || isOwed(value.owes)) &&
    (value.require === undefined || EVIDENCE.some((one) => one === value.require))
  );
}

const WISHES = optional(json(isWishes));

function isUnmatched(connection: Connection, messageId: MessageId): boolean {
  const row = connection
    .sql("SELECT 1 FROM unmatched WHERE message = ?")
    .get(messageNumber(connection, messageId));
  return row !== undefined;
}

function unmatchedReason(connection: Connection, messageId: MessageId): string | undefined {
  const row = connection
    .sql("SELECT message, reason FROM unmatched WHERE message = ?")
    .get(messageNumber(connection, messageId));
  return decode(connection, LETTER, row, (found) => text(found, "reason"));
}

const LETTERS = `SELECT u.message AS number, u.at, u.reason, ${MESSAGES.selected}
  FROM unmatched u CROSS JOIN messages m ON m.number = u.message`;
const NEWEST = `${LETTERS} WHERE u.message < ? AND u.at >= ? AND u.at < ? ORDER BY u.message DESC LIMIT 0 + ?`;
const AFTER = `${LETTERS} WHERE u.message > ? ORDER BY u.message LIMIT 0 + ?`;

/** Newest first. */
function unmatched(
  connection: Connection,
  {
    before = Number.MAX_SAFE_INTEGER,
    from = 0,
    until = Number.MAX_SAFE_INTEGER,
    limit,
  }: Parameters<StoreReader["unmatched"]>[0],
): readonly DeadLetter[] {
  return readable(connection, limit, before, (last, most) =>
    connection.sql(NEWEST).all(last, from, until, most),
  );
}

/** Oldest first. */
function unmatchedAfter(connection: Connection, after: number, limit: number): readonly DeadLetter[] {
  return readable(connection, limit, after, (last, most) => connection.sql(AFTER).all(last, most));
}

/** Fills the page past unreadable rows: a page with fewer letters than requested is the last one. */
function readable(
  connection: Connection,
  limit: number,
  begin: number,
  rowsBehind: (last: number, most: number) => readonly Row[],
): readonly DeadLetter[] {
  const letters: DeadLetter[] = [];
  let last = begin;
  for (;;) {
    const most = limit - letters.length;
    const rows = most > 0 ? rowsBehind(last, most) : [];
    for (const row of rows) {
      last = number(row, "number");
      const message = MESSAGES.read(connection, row);
      if (message !== undefined)
        letters.push({ message, at: number(row, "at"), reason: text(row, "reason"), number: last });
    }
    if (rows.length === 0 || rows.length < most) return letters;
  }
}

function removeUnmatched(connection: Connection, messageId: MessageId): boolean {
  const message = messageNumber(connection, messageId);
  return connection.sql("DELETE FROM unmatched WHERE message = ?").run(message) > 0;
}

/** Returns how many there were. Their messages stay as history. */
function clearUnmatched(connection: Connection): number {
  return connection.sql("DELETE FROM unmatched").run();
}
