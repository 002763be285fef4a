import type { Address } from "../../core/message.ts";
import { number, text } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { moveTimers } from "./timers.ts";

/** The number of an address, given at first sight. */
export function internAddress(connection: Connection, path: Address): number {
  const known = findAddress(connection, path);
  if (known !== undefined) return known;
  const given = connection.sql("INSERT INTO addresses (path) VALUES (?)").insert(path);
  if (given === undefined) throw new Error(`address ${path} was not stored`);
  knownAddresses(connection).set(path, given);
  return given;
}

export function findAddress(connection: Connection, path: Address): number | undefined {
  return knownAddresses(connection).get(path);
}

function knownAddresses(connection: Connection): Map<Address, number> {
  connection.memory.addresses ??= new Map(
    connection
      .sql("SELECT number, path FROM addresses")
      .all()
      .map((row) => [text(row, "path"), number(row, "number")]),
  );
  return connection.memory.addresses;
}

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
