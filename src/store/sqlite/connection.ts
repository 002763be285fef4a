import { BellhopError } from "../../core/errors.ts";
import type { Database, PreparedStatement, SqlValue } from "./driver.ts";
import { storeError } from "./sqlite-errors.ts";

/** A row that cannot be understood: it is left alone, left out, and reported. */
export interface PoisonRow {
  readonly table: string;
  readonly key: string;
  readonly cause: string;
}

/** What the query functions of every table are given. */
export interface Connection {
  /** Prepared at first use, then kept: every text is a constant of a query function. */
  sql(text: string): Query;
  reportPoison(row: PoisonRow): void;
  /** Every text prepared so far; a test holds their plans against the indexes. */
  preparedTexts(): readonly string[];
}

export interface Row {
  value(column: string): SqlValue;
}

export type Bindable = string | number | boolean | Uint8Array | null | undefined;

export interface Query {
  run(...values: Bindable[]): number;
  get(...values: Bindable[]): Row | undefined;
  all(...values: Bindable[]): readonly Row[];
}

export const MOST_POISON_REPORTS = 1_000;

export function connectionOver(database: Database, onPoison: (row: PoisonRow) => void): Connection {
  const queries = new Map<string, Query>();
  const reported = new Set<string>();
  return {
    sql(text) {
      let query = queries.get(text);
      if (query === undefined) {
        query = queryOver(typed(() => database.prepare(text)));
        queries.set(text, query);
      }
      return query;
    },
    // Once per row: the same queue is read again with every wake-up.
    reportPoison(row) {
      const name = `${row.table} ${row.key}`;
      if (reported.has(name) || reported.size >= MOST_POISON_REPORTS) return;
      reported.add(name);
      onPoison(row);
    },
    preparedTexts: () => [...queries.keys()],
  };
}

function queryOver(statement: PreparedStatement): Query {
  statement.setReturnArrays(true);
  const columns = new Map(statement.columns().map(({ name }, index) => [name, index]));
  const toRow = (values: unknown) => new NamedRow(columns, values as readonly SqlValue[]);
  return {
    run: (...values) => typed(() => Number(statement.run(...values.map(toSqlValue)).changes)),
    get: (...values) =>
      typed(() => {
        const found = statement.get(...values.map(toSqlValue));
        return found === undefined ? undefined : toRow(found);
      }),
    all: (...values) => typed(() => statement.all(...values.map(toSqlValue)).map(toRow)),
  };
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

function typed<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw storeError(error);
  }
}

function toSqlValue(value: Bindable): SqlValue {
  if (value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  // The driver cuts a text at its first NUL without a word: two keys would become one.
  if (typeof value === "string" && value.includes("\0")) throw unstorable("a text with a NUL character");
  // The driver cannot read such a number back, and fails every row of that answer.
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
