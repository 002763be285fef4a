/** The wire is snake_case, the code camelCase. What users and programs put in is never touched. */
import { BellhopError } from "../core/errors.ts";

/** Below these keys the names belong to someone else. */
const OPAQUE = new Set(["payload", "environment", "programSessions", "output"]);

export function snakeKey(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function camelKey(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** For what leaves through the wire. */
export function toSnake(value: unknown): unknown {
  return rename(value, snakeKey, (key) => OPAQUE.has(key));
}

/** For what the daemon answered. */
export function toCamel(value: unknown): unknown {
  return rename(value, camelKey, (key) => OPAQUE.has(camelKey(key)));
}

/** For what a stranger asks: a key in another style is refused, so that each field has one name. */
export function requestToCamel(value: unknown): unknown {
  return rename(value, strictCamelKey, (key) => OPAQUE.has(camelKey(key)));
}

function strictCamelKey(key: string): string {
  if (/[A-Z]/.test(key)) {
    throw new BellhopError("request.malformed", {
      message: `Field ${JSON.stringify(key.slice(0, 64))} is not snake_case.`,
      next: `Write "${snakeKey(key.slice(0, 64))}".`,
    });
  }
  return camelKey(key);
}

function rename(value: unknown, name: (key: string) => string, isOpaque: (key: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, name, isOpaque));
  if (value === null || typeof value !== "object") return value;
  // fromEntries defines own properties, so a key such as `__proto__` stays a plain key.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      name(key),
      isOpaque(key) ? inner : rename(inner, name, isOpaque),
    ]),
  );
}
