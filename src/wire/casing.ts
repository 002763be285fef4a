/** The wire uses snake_case, the code camelCase. Data from users and programs is never changed. */
import { BellhopError } from "../core/errors.ts";

/** The content of these fields keeps its own key names. */
const OPAQUE = new Set(["payload", "environment", "programSessions", "output"]);

/** Our own keys are few and short; a stranger may send any. */
const MOST_REMEMBERED = 1_000;
const LONGEST_REMEMBERED = 32;

export const snakeKey = remembering((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

export const camelKey = remembering((key) =>
  key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
);

function remembering(name: (key: string) => string): (key: string) => string {
  const names = new Map<string, string>();
  return (key) => {
    const known = names.get(key);
    if (known !== undefined) return known;
    const named = name(key);
    if (names.size < MOST_REMEMBERED && key.length <= LONGEST_REMEMBERED) names.set(key, named);
    return named;
  };
}

/** For data sent over the wire. */
export function toSnake(value: unknown): unknown {
  return rename(value, snakeKey, (key) => OPAQUE.has(key));
}

/** For the daemon's answers. */
export function toCamel(value: unknown): unknown {
  return rename(value, camelKey, isOpaqueInSnake);
}

/**
 * For requests from outside: a key in another style is refused, so that each field has one name. `without` some of its
 * own: a copy that leaves them out would be the dearest of all.
 */
export function requestToCamel(value: unknown, without?: ReadonlySet<string>): unknown {
  return rename(value, strictCamelKey, isOpaqueInSnake, without);
}

function isOpaqueInSnake(key: string): boolean {
  return OPAQUE.has(camelKey(key));
}

const strictCamelKey = remembering((key) => {
  if (/[A-Z]/.test(key)) {
    throw new BellhopError("request.malformed", {
      message: `Field ${JSON.stringify(key.slice(0, 64))} is not snake_case.`,
      next: `Write "${snakeKey(key.slice(0, 64))}".`,
    });
  }
  return camelKey(key);
});

function rename(
  value: unknown,
  name: (key: string) => string,
  isOpaque: (key: string) => boolean,
  without?: ReadonlySet<string>,
): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, name, isOpaque));
  if (value === null || typeof value !== "object") return value;
  const renamed: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (without?.has(key) === true) continue;
    const inner: unknown = value[key as keyof typeof value];
    const isWhole = inner === null || typeof inner !== "object" || isOpaque(key);
    const named = name(key);
    const field = isWhole ? inner : rename(inner, name, isOpaque);
    // Defined, not assigned: it stays an ordinary key.
    if (named === "__proto__")
      Object.defineProperty(renamed, named, {
        value: field,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else renamed[named] = field;
  }
  return renamed;
}
