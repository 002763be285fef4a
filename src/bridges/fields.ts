/** What comes from outside is not trusted to have the shape that its documentation says. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field of its own, never an inherited one. */
export function own(value: unknown, name: string): unknown {
  return isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A text that is not empty, with whole characters only. */
export function textIn(value: unknown, name: string, longest = Number.POSITIVE_INFINITY): string | undefined {
  const text = own(value, name);
  if (typeof text !== "string" || text === "") return undefined;
  return text.slice(0, longest).toWellFormed();
}

/** A text of this shape. */
export function matching(value: unknown, name: string, shape: RegExp): string | undefined {
  const text = own(value, name);
  return typeof text === "string" && shape.test(text) ? text : undefined;
}
