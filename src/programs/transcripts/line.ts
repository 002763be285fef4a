/** A line of a session file: JSON that another program wrote, so nothing in it is taken for granted. Pure. */

export type Fields = Readonly<Record<string, unknown>>;

/** The last line may still be written; one that is broken says nothing. */
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

/** The texts among the parts of a message, of those of this type. */
export function textsIn(parts: unknown, type: string): readonly string[] {
  return (Array.isArray(parts) ? parts : []).flatMap((part: unknown) => {
    const fields = fieldsOf(part);
    return fields?.type === type && typeof fields.text === "string" ? [fields.text] : [];
  });
}

/** When it was made; NaN where it does not say so. */
export function timeOf({ timestamp }: Fields): number {
  return typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
}

/** Every string in it, whether it is JSON, a list of parts, or written as JSON inside a text. */
export function textIn(value: unknown): string {
  if (typeof value === "string")
    return value.startsWith("{") ? `${value}\n${textIn(parseJson(value))}` : value;
  if (value === null || typeof value !== "object") return "";
  return Object.values(value).map(textIn).join("\n");
}
