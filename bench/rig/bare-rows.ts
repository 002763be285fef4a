import { openDatabase } from "../../src/store/sqlite/open.ts";
import { randomIds } from "../../src/system/ids.ts";
import type { Database, PreparedStatement } from "../../src/system/sqlite-driver.ts";

const PLACES = 65_536;
const HOLD = `{"reason":"offline","since":1700000000000,"release":"when a program runs for it"}`;

/**
 * The least that a durable accept into SQLite costs: the rows of one message and one delivery, with their indexes, and
 * their commit. No routing, no rights, no recognition of repeats, no look at whether the files are still there.
 */
export class BareRows {
  readonly #database: Database;
  readonly #message: PreparedStatement;
  readonly #delivery: PreparedStatement;

  private constructor(database: Database) {
    this.#database = database;
    this.#message = database.prepare(
      `INSERT INTO messages (id, short_id, from_address, to_address, priority, source, hops, created_at, file, body)
       VALUES (?, ?, 'person/bench', 'agent/reader', 'normal', 'person', 0, ?, ?, CAST(? AS BLOB))`,
    );
    this.#delivery = database.prepare(
      `INSERT INTO deliveries (sequence, position, mailbox, sender, priority, state, release_rule, attempts,
         at_most_once, possible_duplicate, queued_at, hold)
       VALUES (?1, ?1, 1, 2, 'normal', 'queued', 'by-rule', 0, 0, 0, ?2, ?3)`,
    );
  }

  static async open(path: string): Promise<BareRows> {
    return new BareRows(await openDatabase(path));
  }

  /** In microseconds. */
  write(body: string): number {
    const start = performance.now();
    const id = randomIds.message();
    const now = Date.now();
    this.#database.exec("BEGIN IMMEDIATE");
    const { lastInsertRowid } = this.#message.run(id, shortOf(id), now, `reader/${id}.md`, body);
    this.#delivery.run(Number(lastInsertRowid) * PLACES + 1, now, HOLD);
    this.#database.exec("COMMIT");
    return (performance.now() - start) * 1_000;
  }

  close(): void {
    this.#database.close();
  }
}

/** Unlike ours, these never repeat; those of a moment begin alike too. */
function shortOf(id: string): string {
  return id.slice(0, 3) + id.slice(-9);
}
