import { BellhopError } from "../../core/errors.ts";
import type { Instant, MessageId } from "../../core/message.ts";
import type { Connection } from "./connection.ts";
import { messageNumber } from "./delivery-ids.ts";

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
