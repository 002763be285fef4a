import { BellhopError } from "../../core/errors.ts";
import { type Json, LIMITS } from "../../core/message.ts";
import type { SqlValue } from "../../system/sqlite-driver.ts";
import type { Bindable, Row } from "./connection.ts";

/** A column contains something that no version of Bellhop wrote. */
export class PoisonColumn extends Error {
  override readonly name = "PoisonColumn";
}

/** How a value is stored in a column: how to bind it and how to read it. */
export interface Kind<T> {
  readonly bind: (value: T) => Bindable;
  readonly read: (value: SqlValue, column: string) => T;
}

export const TEXT: Kind<string> = {
  bind: (value) => value,
  read(value, column) {
    if (typeof value !== "string") throw new PoisonColumn(`${column} is no text`);
    return value;
  },
};

/** For text that is only shown. */
export const SHOWN_TEXT: Kind<string> = {
  bind: (value) => value.replaceAll("\0", ""),
  read: TEXT.read,
};

/** Texts that must come back exactly are stored as bytes: the driver truncates a text at a NUL. */
export const EXACT_TEXT: Kind<string> = {
  bind: (value) => Buffer.from(value, "utf8"),
  read(value, column) {
    if (!(value instanceof Uint8Array)) throw new PoisonColumn(`${column} holds no bytes`);
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8");
  },
};

export const NUMBER: Kind<number> = {
  bind: (value) => value,
  read(value, column) {
    if (typeof value !== "number") throw new PoisonColumn(`${column} is no number`);
    return value;
  },
};

export const FLAG: Kind<boolean> = {
  bind: (value) => value,
  read: (value, column) => NUMBER.read(value, column) !== 0,
};

/** True or absent. */
export const MARK: Kind<boolean | undefined> = {
  bind: (value) => value === true,
  read: (value, column) => (value !== null && FLAG.read(value, column)) || undefined,
};

export function choice<const T extends string>(choices: readonly T[]): Kind<T> {
  return {
    bind: (value) => value,
    read(value, column) {
      const found = choices.find((one) => one === value);
      if (found === undefined) throw new PoisonColumn(`${column} holds an unknown word`);
      return found;
    },
  };
}

export function json<T extends Json | object>(isShaped: (value: unknown) => value is T): Kind<T> {
  return {
    bind: toJson,
    read(value, column) {
      const source = TEXT.read(value, column);
      if (isTooDeep(source)) throw new PoisonColumn(`${column} is nested too deeply`);
      let parsed: unknown;
      try {
        parsed = JSON.parse(source);
      } catch {
        throw new PoisonColumn(`${column} is no JSON`);
      }
      if (!isShaped(parsed)) throw new PoisonColumn(`${column} has another shape`);
      return parsed;
    },
  };
}

export function optional<T>({ bind, read }: Kind<T>): Kind<T | undefined> {
  return {
    bind: (value) => (value === undefined ? undefined : bind(value)),
    read: (value, column) => (value === null ? undefined : read(value, column)),
  };
}

export function text(row: Row, column: string): string {
  return TEXT.read(row.value(column), column);
}

export function number(row: Row, column: string): number {
  return NUMBER.read(row.value(column), column);
}

/** Undefined if there is no such row, or its column is empty. */
export function optionalNumber(row: Row | undefined, column: string): number | undefined {
  const value = row?.value(column) ?? null;
  return value === null ? undefined : NUMBER.read(value, column);
}

/** Refuses what could be written but not read back. */
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

/** Scans the text, not the value: walking a hostile value can itself overflow the stack. */
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

type TypeName = "string" | "number" | "boolean";

/** A record whose fields have these types; a type with a question mark is optional. */
export function hasFields(
  value: unknown,
  types: Readonly<Record<string, TypeName | `${TypeName}?`>>,
): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  return Object.entries(types).every(([name, type]) => {
    const field = value[name];
    return field === undefined ? type.endsWith("?") : type.startsWith(typeof field);
  });
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
