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

  /** A loop: every message and delivery that is stored comes by here. */
  values(record: T, ...beside: readonly Bindable[]): Bindable[] {
    const values: Bindable[] = [];
    for (const { property, kind } of this.#written) values.push(kind.bind(record[property as keyof T]));
    for (const value of beside) values.push(value);
    return values;
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
