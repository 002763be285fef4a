/** TOML as lines, as far as needed to tell a table's header from text that only looks like one. Pure. */
export interface TomlLine {
  /** With its line end. */
  readonly text: string;
  /** `inside`: it begins within a string or a list that was opened above. */
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
        rest = rest.slice(end + 3);
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

/** A backslash hides what follows it, but only in the kind with double quotes. */
function closing(text: string, quotes: string): number {
  const end = quotes === '"""' ? /(?:^|[^\\])(?:\\\\)*?(?=""")/ : /(?=''')/;
  const found = end.exec(text);
  return found === null ? -1 : found.index + found[0].length;
}
