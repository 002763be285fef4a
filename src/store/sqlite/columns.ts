import { BellhopError } from "../../core/errors.ts";
import { type Json, LIMITS } from "../../core/message.ts";
import type { Connection, Row } from "./connection.ts";

/** A column holds what no version of Bellhop wrote. */
class PoisonColumn extends Error {
  override readonly name = "PoisonColumn";
}

/** Reads one row; one that cannot be understood is reported and left out, so that it stops nobody else. */
export function decode<T>(
  connection: Connection,
  table: string,
  key: string,
  row: Row | undefined,
  read: (row: Row) => T,
): T | undefined {
  if (row === undefined) return undefined;
  try {
    return read(row);
  } catch (error) {
    if (!(error instanceof PoisonColumn)) throw error;
    connection.reportPoison({ table, key: String(row.value(key)), cause: error.message });
    return undefined;
  }
}

export function decodeAll<T>(
  connection: Connection,
  table: string,
  key: string,
  rows: readonly Row[],
  read: (row: Row) => T,
): readonly T[] {
  return rows
    .map((row) => decode(connection, table, key, row, read))
    .filter((decoded): decoded is T & {} => decoded !== undefined);
}

export function text(row: Row, column: string): string {
  const value = row.value(column);
  if (typeof value !== "string") throw new PoisonColumn(`${column} is no text`);
  return value;
}

export function optionalText(row: Row, column: string): string | undefined {
  return row.value(column) === null ? undefined : text(row, column);
}

/** Texts that must come back exactly are stored as bytes: the driver cuts a text at a NUL. */
export function exactText(row: Row, column: string): string {
  const value = row.value(column);
  if (!(value instanceof Uint8Array)) throw new PoisonColumn(`${column} holds no bytes`);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8");
}

export function toExactBytes(value: string): Uint8Array {
  return Buffer.from(value, "utf8");
}

/** For what is only shown. */
export function withoutNul(value: string | undefined): string | undefined {
  return value?.replaceAll("\0", "");
}

export function number(row: Row, column: string): number {
  const value = row.value(column);
  if (typeof value !== "number") throw new PoisonColumn(`${column} is no number`);
  return value;
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return row.value(column) === null ? undefined : number(row, column);
}

export function flag(row: Row, column: string): boolean {
  return number(row, column) !== 0;
}

export function choice<const T extends string>(row: Row, column: string, choices: readonly T[]): T {
  const value = row.value(column);
  const found = choices.find((one) => one === value);
  if (found === undefined) throw new PoisonColumn(`${column} holds an unknown word`);
  return found;
}

export function optionalChoice<const T extends string>(
  row: Row,
  column: string,
  choices: readonly T[],
): T | undefined {
  return row.value(column) === null ? undefined : choice(row, column, choices);
}

export function json<T>(row: Row, column: string, isShaped: (value: unknown) => value is T): T {
  const source = text(row, column);
  if (isTooDeep(source)) throw new PoisonColumn(`${column} is nested too deeply`);
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw new PoisonColumn(`${column} is no JSON`);
  }
  if (!isShaped(value)) throw new PoisonColumn(`${column} has another shape`);
  return value;
}

export function optionalJson<T>(
  row: Row,
  column: string,
  isShaped: (value: unknown) => value is T,
): T | undefined {
  return row.value(column) === null ? undefined : json(row, column, isShaped);
}

/** Refuses what could be written but never be read again. */
export function toJson(value: Json | object): string {
  let written: string | undefined;
  try {
    written = JSON.stringify(value);
  } catch {
    written = undefined;
  }
  if (written === undefined || isTooDeep(written)) {
    throw new BellhopError("request.malformed", {
      message: `A value cannot be stored as JSON, or is nested more than ${LIMITS.jsonDepth} levels deep.`,
      next: "Send it flatter, or as text.",
    });
  }
  return written;
}

/** Looks at the text, not the value: walking a hostile value can itself overflow the stack. */
function isTooDeep(source: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index];
    if (quoted) {
      if (character === "\\") index += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{" || character === "[") {
      depth += 1;
      if (depth > LIMITS.jsonDepth) return true;
    } else if (character === "}" || character === "]") depth -= 1;
  }
  return false;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
