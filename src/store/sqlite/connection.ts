import { BellhopError } from "../../core/errors.ts";
import type { Database, SqlValue } from "../../system/sqlite-driver.ts";
import type { Memory } from "./memory.ts";
import { storeError } from "./sqlite-errors.ts";

/** A row that cannot be decoded: it is left in place, skipped, and reported. */
export interface PoisonRow {
  readonly table: string;
  readonly key: string;
  readonly cause: string;
}

/** What the query functions of every table get. */
export interface Connection {
  /**
   * Prepared at first use, then cached: every text is a constant of a query function. With `LIMIT ?`, or `state = ?` where
   * a partial index names a state, SQLite would compile it again at each use, fifty times the work of most answers:
   * hence `LIMIT 0 + ?` and `state = +?`.
   */
  sql(text: string): Query;
  readonly memory: Memory;
  reportPoison(row: PoisonRow): void;
  /** From now on nothing can be read or written. */
  seal(why: () => BellhopError): void;
  /** Every text prepared so far; a test checks that their plans use the indexes. */
  preparedTexts(): readonly string[];
}

export interface Row {
  value(column: string): SqlValue;
}

export type Bindable = string | number | boolean | Uint8Array | null | undefined;

export interface Query {
  /** How many rows changed. */
  run(...values: Bindable[]): number;
  /** The number of the new row, or undefined if there is none. */
  insert(...values: Bindable[]): number | undefined;
  get(...values: Bindable[]): Row | undefined;
  all(...values: Bindable[]): readonly Row[];
}

export const MOST_POISON_REPORTS = 1_000;

export function connectionOver(database: Database, onPoison: (row: PoisonRow) => void): Connection {
  const queries = new Map<string, Query>();
  const reported = new Set<string>();
  let sealed: (() => BellhopError) | undefined;
  return {
    sql(text) {
      if (sealed !== undefined) throw sealed();
      let query = queries.get(text);
      if (query === undefined) {
        query = queryOver(database, text);
        queries.set(text, query);
      }
      return query;
    },
    memory: { writeCounts: { committed: 0, undone: 0 } },
    // Once per row: the same queue is read again at every wake-up.
    reportPoison(row) {
      const name = `${row.table} ${row.key}`;
      if (reported.has(name) || reported.size >= MOST_POISON_REPORTS) return;
      reported.add(name);
      onPoison(row);
    },
    seal(why) {
      sealed = why;
    },
    preparedTexts: () => [...queries.keys()],
  };
}

function queryOver(database: Database, text: string): Query {
  const statement = inOurWords(() => database.prepare(text));
  statement.setReturnArrays(true);
  const columns = new Map(statement.columns().map(({ name }, index) => [name, index]));
  return {
    run: (...values) => inOurWords(() => Number(statement.run(...toSqlValues(values)).changes)),
    // The busiest of all, so without a closure.
    insert(...values) {
      try {
        const { changes, lastInsertRowid } = statement.run(...toSqlValues(values));
        return Number(changes) === 0 ? undefined : Number(lastInsertRowid);
      } catch (error) {
        throw storeError(error);
      }
    },
    get(...values) {
      const found = inOurWords(() => statement.get(...toSqlValues(values)));
      return found === undefined ? undefined : new NamedRow(columns, found as readonly SqlValue[]);
    },
    all(...values) {
      const found = inOurWords(() => statement.all(...toSqlValues(values)));
      return found.map((row) => new NamedRow(columns, row as readonly SqlValue[]));
    },
  };
}

function inOurWords<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeError(error);
  }
}

class NamedRow implements Row {
  readonly #columns: ReadonlyMap<string, number>;
  readonly #values: readonly SqlValue[];

  constructor(columns: ReadonlyMap<string, number>, values: readonly SqlValue[]) {
    this.#columns = columns;
    this.#values = values;
  }

  value(column: string): SqlValue {
    const index = this.#columns.get(column);
    const value = index === undefined ? undefined : this.#values[index];
    if (value === undefined) throw new Error(`the query has no column "${column}"`);
    return value;
  }
}

/** In place: the array is the caller's rest argument, created for this call. */
function toSqlValues(values: (Bindable | SqlValue)[]): SqlValue[] {
  for (let index = 0; index < values.length; index += 1)
    values[index] = toSqlValue(values[index] as Bindable);
  return values as SqlValue[];
}

function toSqlValue(value: Bindable): SqlValue {
  if (value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  // The driver silently truncates a text at its first NUL: two keys would become one.
  if (typeof value === "string" && value.includes("\0")) throw unstorable("a text with a NUL character");
  // The driver cannot read such a number back, and would fail the whole result.
  if (typeof value === "number" && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
    throw unstorable(`the number ${value}`);
  }
  return value;
}

function unstorable(what: string): BellhopError {
  return new BellhopError("request.malformed", {
    message: `Bellhop cannot store ${what}.`,
    next: "Send it without that.",
  });
}
