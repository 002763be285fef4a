/** Splits TOML into lines, as far as needed to tell a table header from text that only looks like one. Pure. */
export interface TomlLine {
  /** Includes its line end. */
  readonly text: string;
  /** `inside`: it begins within a string or list opened above. */
  readonly kind: "header" | "line" | "inside";
}

export function tomlLines(config: string): readonly TomlLine[] {
  let open: '"""' | "'''" | undefined;
  let brackets = 0;
  return (config.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((text) => {
    const begun = open !== undefined || brackets > 0;
    const kind = begun ? "inside" : /^\s*\[/.test(text) ? "header" : "line";
    let rest = text;
    while (rest !== "") {
      if (open !== undefined) {
        const end = closing(rest, open);
        if (end === -1) break;
        rest = rest.slice(end);
        open = undefined;
        continue;
      }
      const token = /"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|[[\]{}]|#/.exec(rest);
      if (token === null || token[0] === "#") break;
      if (token[0] === '"""' || token[0] === "'''") open = token[0];
      else if (kind !== "header" && (token[0] === "[" || token[0] === "{")) brackets += 1;
      else if (kind !== "header" && (token[0] === "]" || token[0] === "}"))
        brackets = Math.max(0, brackets - 1);
      rest = rest.slice(token.index + token[0].length);
    }
    return { text, kind };
  });
}

/**
 * The position after the three closing quotes. A backslash escapes the next character, but only between double quotes;
 * one or two extra quotes belong to the text, before the three.
 */
function closing(text: string, quotes: '"""' | "'''"): number {
  const end = quotes === '"""' ? /^(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}/ : /^(?:[^']|'(?!''))*'{3,5}/;
  return end.exec(text)?.[0].length ?? -1;
}

/** The key of a header or of an assignment; undefined for any other line. */
export function tomlKey({ text, kind }: TomlLine): readonly string[] | undefined {
  if (kind === "inside") return undefined;
  const part = String.raw`(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')`;
  const shape = new RegExp(String.raw`^\s*(?:\[\[?\s*)?(${part}(?:\s*\.\s*${part})*)\s*[\]=]`);
  const key = shape.exec(text)?.[1];
  return key?.match(new RegExp(part, "g"))?.map(plainPart);
}

function plainPart(part: string): string {
  if (part.startsWith("'")) return part.slice(1, -1);
  if (!part.startsWith('"')) return part;
  try {
    // TOML's basic strings are JSON strings except for \e, \x and \U, which never occur in our paths.
    return JSON.parse(part) as string;
  } catch {
    return part;
  }
}
