/** A line of a session file: JSON written by another program, so its shape is never assumed. Pure. */

export type Fields = Readonly<Record<string, unknown>>;

/** Undefined for a line that is broken or still being written. */
export function parseLine(text: string): Fields | undefined {
  return fieldsOf(parseJson(text));
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function fieldsOf(value: unknown): Fields | undefined {
  return value !== null && typeof value === "object" ? (value as Fields) : undefined;
}

/** The texts of a message's parts of this type. */
export function textsIn(parts: unknown, type: string): readonly string[] {
  return (Array.isArray(parts) ? parts : []).flatMap((part: unknown) => {
    const fields = fieldsOf(part);
    return fields?.type === type && typeof fields.text === "string" ? [fields.text] : [];
  });
}

/** When the line was written; NaN if it does not say. */
export function timeOf({ timestamp }: Fields): number {
  return typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
}

/** Every string in it, whether JSON, a list of parts, or JSON inside a text. */
export function textIn(value: unknown): string {
  if (typeof value === "string")
    return value.startsWith("{") ? `${value}\n${textIn(parseJson(value))}` : value;
  if (value === null || typeof value !== "object") return "";
  return Object.values(value).map(textIn).join("\n");
}
