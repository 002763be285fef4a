/**
 * Reads an Authentication-Results field (RFC 8601). What the sender chose, such as an envelope address, may stand in it:
 * quotation marks and comments are read exactly, and a field that cannot be read says nothing.
 */

export interface AuthenticationResults {
  /** Who checked, in lower case. */
  readonly authservId: string;
  readonly results: readonly AuthenticationResult[];
}

export interface AuthenticationResult {
  /** `dmarc`, `dkim`, `spf` … */
  readonly method: string;
  readonly result: string;
  /** `header.from`, `header.d`, `smtp.mailfrom` …, in lower case; of a repeated name only the first. */
  readonly properties: ReadonlyMap<string, string>;
}

const LONGEST_FIELD = 16 * 1024;

export function parseAuthenticationResults(value: string): AuthenticationResults | undefined {
  if (value.length > LONGEST_FIELD) return undefined;
  const [head, ...statements] = statementsOf(value) ?? [];
  const id = head?.[0];
  // "example.com" or "example.com 1".
  if (id === undefined || id.value !== undefined || id.name === "") return undefined;
  return { authservId: id.name, results: statements.flatMap(resultOf) };
}

interface Item {
  readonly name: string;
  readonly value?: string;
}

function resultOf([first, ...rest]: readonly Item[]): readonly AuthenticationResult[] {
  if (first?.value === undefined) return [];
  const properties = new Map<string, string>();
  for (const { name, value } of rest) {
    if (value !== undefined && !properties.has(name)) properties.set(name, value.toLowerCase());
  }
  const method = first.name.split("/")[0] ?? "";
  return [{ method, result: first.value.toLowerCase(), properties }];
}

type Token = { readonly kind: "blank" | "end" | "equals" } | { readonly kind: "text"; readonly text: string };

/** Statements stand between semicolons, their items between blanks. Undefined if a comment or a quotation never ends. */
function statementsOf(value: string): readonly (readonly Item[])[] | undefined {
  const tokens = tokensOf(value);
  if (tokens === undefined) return undefined;
  const statements: Item[][] = [[]];
  for (let at = 0; at < tokens.length; ) {
    const kind = tokens[at]?.kind;
    if (kind === "blank" || kind === "end") {
      if (kind === "end") statements.push([]);
      at += 1;
    } else {
      const { item, next } = itemAt(tokens, at);
      statements.at(-1)?.push(item);
      at = next;
    }
  }
  return statements;
}

/** "name", "name=value" or "name = value"; a value may have more equals signs. */
function itemAt(tokens: readonly Token[], start: number): { readonly item: Item; readonly next: number } {
  const is = (at: number, kind: Token["kind"]): boolean => tokens[at]?.kind === kind;
  let at = start;
  let name = "";
  for (let token = tokens[at]; token?.kind === "text"; token = tokens[at]) {
    name += token.text;
    at += 1;
  }
  const equals = is(at, "blank") ? at + 1 : at;
  if (!is(equals, "equals")) return { item: { name: name.toLowerCase() }, next: at };
  at = is(equals + 1, "blank") ? equals + 2 : equals + 1;
  let value = "";
  for (let token = tokens[at]; token?.kind === "text" || token?.kind === "equals"; token = tokens[at]) {
    value += token.kind === "text" ? token.text : "=";
    at += 1;
  }
  return { item: { name: name.toLowerCase(), value }, next: at };
}

function tokensOf(value: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < value.length; ) {
    const character = value.charAt(at);
    if (character === '"') {
      const end = quotationEnd(value, at);
      if (end === undefined) return undefined;
      tokens.push({ kind: "text", text: unquoted(value.slice(at + 1, end - 1)) });
      at = end;
    } else if (character === "(" || /\s/u.test(character)) {
      const end = character === "(" ? commentEnd(value, at) : at + 1;
      if (end === undefined) return undefined;
      if (tokens.at(-1)?.kind !== "blank") tokens.push({ kind: "blank" });
      at = end;
    } else if (character === ";" || character === "=") {
      tokens.push({ kind: character === ";" ? "end" : "equals" });
      at += 1;
    } else {
      const text = /^[^\s;="(]+/u.exec(value.slice(at))?.[0] ?? character;
      tokens.push({ kind: "text", text });
      at += text.length;
    }
  }
  return tokens;
}

function commentEnd(value: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < value.length; at += 1) {
    const character = value.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

function quotationEnd(value: string, start: number): number | undefined {
  for (let at = start + 1; at < value.length; at += 1) {
    if (value.charAt(at) === "\\") at += 1;
    else if (value.charAt(at) === '"') return at + 1;
  }
  return undefined;
}

function unquoted(text: string): string {
  return text.replace(/\\(.)/gu, "$1");
}
