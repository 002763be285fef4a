/**
 * Stores in memory, for desks. To make a database takes longer than most tests do, so it is emptied and used again once
 * its store is closed, with every statement that was prepared in it.
 */

import { BellhopError } from "../../src/core/errors.ts";
import type { Store } from "../../src/ports/store.ts";
import { connectionOver } from "../../src/store/sqlite/connection.ts";
import { IN_MEMORY, openDatabase } from "../../src/store/sqlite/open.ts";
import { storeOver } from "../../src/store/sqlite/store.ts";
import { systemClock } from "../../src/system/clock.ts";
import type { Database, PreparedStatement } from "../../src/system/sqlite-driver.ts";

/** Emptied, and with nobody who uses them. */
const free: MemoryDatabase[] = [];

export async function emptyStore(): Promise<Store> {
  const database = free.pop() ?? new MemoryDatabase(await openDatabase(IN_MEMORY));
  const connection = connectionOver(database, () => {});
  database.onClose = () => connection.seal(closedError);
  return storeOver(database, connection, { path: IN_MEMORY, clock: systemClock, rehearses: true });
}

class MemoryDatabase implements Database {
  onClose = (): void => {};
  readonly #database: Database;
  readonly #statements = new Map<string, PreparedStatement>();
  readonly #emptying: readonly PreparedStatement[];

  constructor(database: Database) {
    this.#database = database;
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    this.#emptying = (tables as { readonly name: string }[]).map(({ name }) => {
      if (database.prepare(`SELECT 1 FROM ${name}`).get() !== undefined)
        throw new Error(`${name} is not empty`);
      return database.prepare(`DELETE FROM ${name}`);
    });
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  prepare(sql: string): PreparedStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      const columns = statement.columns();
      Object.defineProperty(statement, "columns", { value: () => columns });
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  close(): void {
    this.onClose();
    this.exec("PRAGMA foreign_keys = OFF");
    for (const statement of this.#emptying) statement.run();
    this.exec("PRAGMA foreign_keys = ON");
    free.push(this);
  }
}

function closedError(): BellhopError {
  return new BellhopError("store.failed", { message: "The store is closed.", next: "Open a desk." });
}
