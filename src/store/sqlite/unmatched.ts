import { BellhopError } from "../../core/errors.ts";
import type { Instant, MessageId } from "../../core/message.ts";
import type { Connection } from "./connection.ts";

export function insertUnmatched(
  connection: Connection,
  messageId: MessageId,
  at: Instant,
  reason: string,
): void {
  const inserted = connection
    .sql("INSERT INTO unmatched (message, at, reason) SELECT number, ?, ? FROM messages WHERE id = ?")
    .run(at, reason, messageId);
  if (inserted === 0) {
    throw new BellhopError("message.unknown", {
      message: `No message has the id "${messageId}".`,
      next: "Store the message before its dead letter.",
    });
  }
}

export function isUnmatched(connection: Connection, messageId: MessageId): boolean {
  return (
    connection
      .sql("SELECT 1 FROM unmatched WHERE message = (SELECT number FROM messages WHERE id = ?)")
      .get(messageId) !== undefined
  );
}
