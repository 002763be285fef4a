/** What is under one address goes on under another. */
import type { Address } from "../../../core/message.ts";
import { findAddress, internAddress } from "../addresses.ts";
import type { Connection } from "../connection.ts";
import { moveTimers } from "../time/timers.ts";

/** Those for one, and those it set, are another's. Its mailbox stays as it is. */
export function moveReminders(connection: Connection, from: Address, to: Address): void {
  const source = findAddress(connection, from);
  if (source !== undefined) moveTimers(connection, source, internAddress(connection, to));
}

/** Everything in the mailbox, and everything its owner sent, is found under the new path. */
export function moveAddress(connection: Connection, from: Address, to: Address): void {
  const source = findAddress(connection, from);
  if (source === undefined) return;
  const target = findAddress(connection, to);
  delete connection.memory.addresses;
  if (target === undefined) {
    connection.sql("UPDATE addresses SET path = ? WHERE number = ?").run(to, source);
    return;
  }
  // Only when the new name belonged to an agent that was removed: rare enough for two walks through the table.
  connection.sql("UPDATE deliveries SET mailbox = ? WHERE mailbox = ?").run(target, source);
  connection.sql("UPDATE deliveries SET sender = ? WHERE sender = ?").run(target, source);
  moveTimers(connection, source, target);
  connection.sql("DELETE FROM addresses WHERE number = ?").run(source);
}
