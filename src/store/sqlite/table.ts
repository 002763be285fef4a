import { type Kind, PoisonColumn } from "./columns.ts";
import type { Bindable, Connection, Row } from "./connection.ts";

/** Where each property of a T is stored; writing and reading are derived from this. */
type Fields<T> = {
  readonly [Property in keyof T]-?: readonly [column: string, kind: Kind<T[Property]>];
};

interface TableShape<T> {
  readonly name: string;
  /** The selected column that identifies a row in a report that it cannot be decoded. */
  readonly key: string;
  readonly fields: Fields<T>;
  /** The prefix of its columns in joins: `m_id` for `m.id`. */
  readonly alias?: string;
  /** Read-only columns, each with its expression. */
  readonly computed?: Readonly<Record<string, string>>;
}

/** Answers the number of the row; undefined where a conflict kept it out. */
type Inserter<T> = (connection: Connection, record: T, ...others: readonly Bindable[]) => number | undefined;

export type Change = readonly [column: string, value: Bindable];

interface Field {
  readonly property: string;
  readonly column: string;
  /** Its name in a row. */
  readonly label: string;
  readonly kind: Kind<unknown>;
}

export class Table<T extends object> {
  /** The columns of a SELECT. */
  readonly selected: string;
  /** The columns of an INSERT; `marks` has as many question marks. */
  readonly columns: string;
  readonly marks: string;
  /** The assignments that overwrite an existing row. */
  readonly overwritten: string;
  readonly #shape: TableShape<T>;
  readonly #fields: readonly Field[];
  readonly #written: readonly Field[];

  constructor(shape: TableShape<T>) {
    const { alias, computed = {} } = shape;
    this.#shape = shape;
    this.#fields = Object.entries<readonly [string, unknown]>(shape.fields).map(
      ([property, [column, kind]]) => ({
        property,
        column,
        label: alias === undefined ? column : `${alias}_${column}`,
        kind: kind as Kind<unknown>,
      }),
    );
    this.#written = this.#fields.filter(({ column }) => !(column in computed));
    this.selected = this.#fields
      .map(({ column, label }) =>
        alias === undefined ? column : `${computed[column] ?? `${alias}.${column}`} AS ${label}`,
      )
      .join(", ");
    this.columns = this.#written.map(({ column }) => column).join(", ");
    this.marks = this.#written.map(() => "?").join(", ");
    this.overwritten = this.#written.map(({ column }) => `${column} = excluded.${column}`).join(", ");
  }

  values(record: T): Bindable[] {
    return this.#written.map(({ property, kind }) => kind.bind(record[property as keyof T]));
  }

  /**
   * Inserts one record, with values for columns that are no property of it. It names only the columns that hold
   * something, because each bound value costs time; every combination has one text, so that it is prepared once.
   */
  inserter(beside: readonly string[], onConflict = ""): Inserter<T> {
    const written = this.#written;
    const columns = [...written.map(({ column }) => column), ...beside];
    const texts = new Map<number, string>();
    const textOf = (present: number): string => {
      const named = columns.filter((_, index) => Math.floor(present / 2 ** index) % 2 === 1);
      const marks = named.map(() => "?").join(", ");
      return `INSERT INTO ${this.#shape.name} (${named.join(", ")}) VALUES (${marks}) ${onConflict}`;
    };
    return (connection, record, ...others) => {
      const values: Bindable[] = [];
      let present = 0;
      for (let index = 0; index < columns.length; index += 1) {
        const field = written[index];
        const value =
          field === undefined
            ? others[index - written.length]
            : field.kind.bind(record[field.property as keyof T]);
        if (value === undefined) continue;
        present += 2 ** index;
        values.push(value);
      }
      let text = texts.get(present);
      if (text === undefined) {
        text = textOf(present);
        texts.set(present, text);
      }
      return connection.sql(text).insert(...values);
    };
  }

  /** The columns that a patch names; `null` clears one. In a fixed order, so that each combination is prepared once. */
  changes(patch: { readonly [Property in keyof T]?: T[Property] | null }): Change[] {
    return this.#written.flatMap(({ property, column, kind }) => {
      const value = patch[property as keyof T];
      return value === undefined ? [] : [[column, value === null ? null : kind.bind(value)] as const];
    });
  }

  read(connection: Connection, row: Row | undefined): T | undefined {
    return decode(connection, this.#shape, row, (found) => {
      const record: Record<string, unknown> = {};
      for (const { property, column, label, kind } of this.#fields) {
        const value = kind.read(found.value(label), column);
        if (value !== undefined) record[property] = value;
      }
      return record as T;
    });
  }

  readAll(connection: Connection, rows: readonly Row[]): readonly T[] {
    return rows.flatMap((row) => this.read(connection, row) ?? []);
  }
}

/** Reads one row. A row that cannot be decoded is reported and skipped, so that it blocks no other. */
export function decode<T>(
  connection: Connection,
  { name, key }: Pick<TableShape<T>, "name" | "key">,
  row: Row | undefined,
  read: (row: Row) => T,
): T | undefined {
  if (row === undefined) return undefined;
  try {
    return read(row);
  } catch (error) {
    if (!(error instanceof PoisonColumn)) throw error;
    connection.reportPoison({ table: name, key: String(row.value(key)), cause: error.message });
    return undefined;
  }
}
