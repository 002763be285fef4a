import { BellhopError } from "../../core/errors.ts";
import type { Instant, MessageId } from "../../core/message.ts";
import type { DeadLetter } from "../../ports/store.ts";
import { number, text } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { messageNumber } from "./delivery-ids.ts";
import { MESSAGE_COLUMNS, toMessage } from "./messages.ts";

export function insertUnmatched(
  connection: Connection,
  messageId: MessageId,
  at: Instant,
  reason: string,
): void {
  const message = messageNumber(connection, messageId);
  if (message === undefined) {
    throw new BellhopError("message.unknown", {
      message: `No message has the id "${messageId}".`,
      next: "Store the message before its dead letter.",
    });
  }
  connection.sql("INSERT INTO unmatched (message, at, reason) VALUES (?, ?, ?)").run(message, at, reason);
}

export function isUnmatched(connection: Connection, messageId: MessageId): boolean {
  const message = messageNumber(connection, messageId);
  return (
    message !== undefined &&
    connection.sql("SELECT 1 FROM unmatched WHERE message = ?").get(message) !== undefined
  );
}

const NEWEST = `SELECT u.message AS number, u.at, u.reason, ${MESSAGE_COLUMNS}
  FROM unmatched u CROSS JOIN messages m ON m.number = u.message
  WHERE u.message < ? AND u.at >= ? AND u.at < ? ORDER BY u.message DESC LIMIT ?`;

/** Newest first. */
export function deadLetters(
  connection: Connection,
  window: {
    readonly before: number;
    readonly from: Instant;
    readonly until: Instant;
    readonly limit: number;
  },
): readonly DeadLetter[] {
  const rows = connection.sql(NEWEST).all(window.before, window.from, window.until, window.limit);
  return rows.flatMap((row) => {
    const message = toMessage(connection, row);
    if (message === undefined) return [];
    return [{ message, at: number(row, "at"), reason: text(row, "reason"), number: number(row, "number") }];
  });
}

export function removeUnmatched(connection: Connection, messageId: MessageId): boolean {
  const message = messageNumber(connection, messageId);
  if (message === undefined) return false;
  return connection.sql("DELETE FROM unmatched WHERE message = ?").run(message) > 0;
}

/** How many there were. Their messages stay as history. */
export function clearUnmatched(connection: Connection): number {
  return connection.sql("DELETE FROM unmatched").run();
}
