import type { Address } from "../../core/message.ts";
import { number } from "./columns.ts";
import type { Connection } from "./connection.ts";

/** The number of an address, given at first sight. */
export function internAddress(connection: Connection, path: Address): number {
  const known = findAddress(connection, path);
  if (known !== undefined) return known;
  connection.sql("INSERT INTO addresses (path) VALUES (?)").run(path);
  const number = findAddress(connection, path);
  if (number === undefined) throw new Error(`address ${path} vanished`);
  return number;
}

export function findAddress(connection: Connection, path: Address): number | undefined {
  const row = connection.sql("SELECT number FROM addresses WHERE path = ?").get(path);
  return row === undefined ? undefined : number(row, "number");
}

/** Everything in the mailbox, and everything its owner sent, is found under the new path. */
export function moveAddress(connection: Connection, from: Address, to: Address): void {
  const source = findAddress(connection, from);
  if (source === undefined) return;
  const target = findAddress(connection, to);
  if (target === undefined) {
    connection.sql("UPDATE addresses SET path = ? WHERE number = ?").run(to, source);
    return;
  }
  // Only when the new name belonged to an agent that was removed: rare enough for two walks through the table.
  connection.sql("UPDATE deliveries SET mailbox = ? WHERE mailbox = ?").run(target, source);
  connection.sql("UPDATE deliveries SET sender = ? WHERE sender = ?").run(target, source);
  connection.sql("DELETE FROM addresses WHERE number = ?").run(source);
}
