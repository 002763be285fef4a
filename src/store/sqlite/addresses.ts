import type { Address } from "../../core/message.ts";
import { number, text } from "./columns.ts";
import type { Connection } from "./connection.ts";

/** The number of an address, assigned when it is first seen. */
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
