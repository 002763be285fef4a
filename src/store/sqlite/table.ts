import { type Kind, PoisonColumn } from "./columns.ts";
import type { Bindable, Connection, Row } from "./connection.ts";

/** Where each property of a T is stored; what writes it and what reads it back follow from this. */
type Fields<T> = {
  readonly [Property in keyof T]-?: readonly [column: string, kind: Kind<T[Property]>];
};

interface TableShape<T> {
  readonly name: string;
  /** The selected column that a report names a row by when it cannot be understood. */
  readonly key: string;
  readonly fields: Fields<T>;
  /** Where it is joined with others, what its columns are found under: `m_id` for `m.id`. */
  readonly alias?: string;
  /** Columns that are only read, each from an expression. */
  readonly computed?: Readonly<Record<string, string>>;
}

export type Change = readonly [column: string, value: Bindable];

interface Field {
  readonly property: string;
  readonly column: string;
  /** What it is called in a row. */
  readonly label: string;
  readonly kind: Kind<unknown>;
}

export class Table<T extends object> {
  /** What a SELECT reads. */
  readonly selected: string;
  /** What an INSERT names, and as many question marks. */
  readonly columns: string;
  readonly marks: string;
  /** Overwrites a row that is there already. */
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

  /** What a patch names, `null` clearing it; always in the same order, so that each combination is prepared once. */
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

/** Reads one row; one that cannot be understood is reported and left out, so that it stops nobody else. */
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
