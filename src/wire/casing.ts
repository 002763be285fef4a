/** The wire uses snake_case, the code camelCase. Data from users and programs is never changed. */
import { BellhopError } from "../core/errors.ts";

/** The content of these fields keeps its own key names. */
const OPAQUE = new Set(["payload", "environment", "programSessions", "output"]);

export function snakeKey(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function camelKey(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** For data sent over the wire. */
export function toSnake(value: unknown): unknown {
  return rename(value, snakeKey, (key) => OPAQUE.has(key));
}

/** For the daemon's answers. */
export function toCamel(value: unknown): unknown {
  return rename(value, camelKey, (key) => OPAQUE.has(camelKey(key)));
}

/** For requests from outside: a key in another style is refused, so that each field has one name. */
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
  // fromEntries defines own properties, so a key such as `__proto__` stays an ordinary key.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      name(key),
      isOpaque(key) ? inner : rename(inner, name, isOpaque),
    ]),
  );
}
