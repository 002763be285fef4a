/**
 * Edits a JSON file only where it must change: everything a person wrote keeps its bytes. Pure. Every edit takes a text
 * and returns a text; a tree is valid only for the text it was parsed from.
 */
import { BellhopError } from "../core/errors.ts";
import type { Json } from "../core/message.ts";
import { commaIn, lineRest, withoutComma } from "./json-gaps.ts";

export type JsonNode = {
  readonly start: number;
  /** The position after the last character. */
  readonly end: number;
} & (
  | { readonly kind: "object"; readonly members: readonly JsonMember[] }
  | { readonly kind: "array"; readonly elements: readonly JsonNode[] }
  | { readonly kind: "scalar"; readonly value: null | boolean | number | string }
);

export type JsonObject = Extract<JsonNode, { kind: "object" }>;
export type JsonArray = Extract<JsonNode, { kind: "array" }>;

export interface JsonMember {
  readonly name: string;
  readonly start: number;
  readonly value: JsonNode;
}

const MAX_DEPTH = 64;

/** `commented`: as some programs read their settings, with comments and a comma after the last part. */
export type JsonDialect = "strict" | "commented";

/** Throws a `SyntaxError` whose message ends with the line number. */
export function parseJsonText(text: string, dialect: JsonDialect = "strict"): JsonNode {
  const reader = new Reader(text, dialect);
  const root = reader.value(0);
  reader.skipBlanks();
  if (reader.at < text.length) reader.fail("there is more after the end");
  return root;
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** If a name occurs twice, the last one counts, as in every JSON parser. */
export function memberOf(object: JsonObject | undefined, name: string): JsonMember | undefined {
  return object?.members.findLast((member) => member.name === name);
}

/** The top-level object of a settings file. */
export function rootOf(text: string, path: string, dialect: JsonDialect = "strict"): JsonObject {
  let root: JsonNode;
  try {
    root = parseJsonText(text, dialect);
  } catch (error) {
    throw invalidSettings(path, `it is not valid JSON (${(error as Error).message})`);
  }
  if (root.kind !== "object") throw invalidSettings(path, "it does not hold a JSON object");
  return root;
}

/** Throws if a value of another kind is there; it may be absent. */
export function ofKind<Kind extends "object" | "array">(
  kind: Kind,
  node: JsonNode | undefined,
  name: string,
  { text, path }: { readonly text: string; readonly path: string },
): Extract<JsonNode, { kind: Kind }> | undefined {
  if (node === undefined || node.kind === kind) return node as Extract<JsonNode, { kind: Kind }> | undefined;
  const what = kind === "array" ? "a list" : "an object";
  throw invalidSettings(path, `"${name}" is not ${what}, line ${lineAt(text, node.start)}`);
}

export function jsonOf(node: JsonNode): Json {
  switch (node.kind) {
    case "object":
      return Object.fromEntries(node.members.map(({ name, value }) => [name, jsonOf(value)]));
    case "array":
      return node.elements.map(jsonOf);
    case "scalar":
      return node.value;
  }
}

export function replaceNode(text: string, node: JsonNode, value: Json): string {
  const style = styleOf(text);
  return (
    text.slice(0, node.start) + write(value, style, indentOfLine(text, node.start)) + text.slice(node.end)
  );
}

export function addElement(text: string, array: JsonArray, value: Json): string {
  return addLast(text, array, array.elements.at(-1), (indent, style) => write(value, style, indent));
}

export function addMember(text: string, object: JsonObject, name: string, value: Json): string {
  return addLast(
    text,
    object,
    object.members.at(-1)?.value,
    (indent, style) => `${JSON.stringify(name)}: ${write(value, style, indent)}`,
  );
}

/** Into an empty object, without a blank, as no other edit writes: this shows later that the object was there before. */
export function addOnlyMember(text: string, object: JsonObject, name: string, value: Json): string {
  const member = `${JSON.stringify(name)}: ${flat(write(value, styleOf(text), ""))}`;
  return `${text.slice(0, object.start)}{${member}}${text.slice(object.end)}`;
}

export function removeElement(text: string, array: JsonArray, index: number): string {
  return removePart(text, array, array.elements, index);
}

export function removeMember(text: string, object: JsonObject, name: string): string {
  const parts = object.members.map(({ start, value }) => ({ start, end: value.end }));
  const index = object.members.findLastIndex((member) => member.name === name);
  return removePart(text, object, parts, index);
}

interface Style {
  readonly unit: string;
  readonly newline: string;
}

/** The file's own style, taken from its first indented line. */
function styleOf(text: string): Style {
  return { unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ", newline: text.includes("\r\n") ? "\r\n" : "\n" };
}

function write(value: Json, { unit, newline }: Style, indent: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", newline + indent);
}

function addLast(
  text: string,
  container: JsonNode,
  last: JsonNode | undefined,
  part: (indent: string, style: Style) => string,
): string {
  const style = styleOf(text);
  const outer = indentOfLine(text, container.start);
  if (last === undefined) {
    const inner = outer + style.unit;
    const body = style.newline + inner + part(inner, style) + style.newline + outer;
    const comments = text.slice(container.start + 1, container.end - 1).trimEnd();
    return text.slice(0, container.start + 1) + comments + body + text.slice(container.end - 1);
  }
  const inner = indentOfLine(text, last.start);
  // A list that its owner keeps on one line stays on one line.
  if (!text.slice(container.start, last.start).includes("\n"))
    return `${text.slice(0, last.end)}, ${flat(part("", style))}${text.slice(last.end)}`;
  // A comment behind the last part stays with it.
  const rest = lineRest(text, last.end);
  const comma = commaIn(rest);
  const [before, after] = comma === undefined ? [",", ""] : ["", ","];
  const addition = `${style.newline}${inner}${part(inner, style)}${after}`;
  return text.slice(0, last.end) + before + rest + addition + text.slice(last.end + rest.length);
}

/** For our own JSON only: strings that we write have no line breaks, so all breaks are layout. */
function flat(part: string): string {
  return part.replace(/\r?\n\s*/g, " ");
}

function removePart(
  text: string,
  container: JsonNode,
  parts: readonly { readonly start: number; readonly end: number }[],
  index: number,
): string {
  const part = parts[index];
  if (part === undefined) return text;
  const before = parts[index - 1];
  const after = parts[index + 1];
  const behind = text.slice(part.end, after?.start ?? container.end - 1);
  // Removes one comma too: the one before the last part, otherwise the one after; comments of others stay.
  if (before !== undefined) {
    const gap = text.slice(before.end, part.start);
    if (after === undefined && commaIn(behind) !== undefined)
      return text.slice(0, before.end) + gap.trimEnd() + withoutComma(behind) + text.slice(container.end - 1);
    return text.slice(0, before.end) + withoutComma(gap).trimEnd() + text.slice(part.end);
  }
  if (after !== undefined)
    return text.slice(0, part.start) + withoutComma(behind).trimStart() + text.slice(after.start);
  const left = text.slice(container.start + 1, part.start).trimEnd() + withoutComma(behind);
  const kept = left.trim() === "" ? "" : left;
  return text.slice(0, container.start + 1) + kept + text.slice(container.end - 1);
}

function indentOfLine(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

class Reader {
  readonly #text: string;
  readonly #dialect: JsonDialect;
  at = 0;

  constructor(text: string, dialect: JsonDialect) {
    this.#text = text;
    this.#dialect = dialect;
  }

  fail(what: string): never {
    throw new SyntaxError(`${what}, line ${lineAt(this.#text, this.at)}`);
  }

  skipBlanks(): void {
    const blanks = this.#dialect === "commented" ? /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y : /[ \t\r\n]*/y;
    blanks.lastIndex = this.at;
    this.at += blanks.exec(this.#text)?.[0].length ?? 0;
  }

  value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) this.fail(`it is nested deeper than ${MAX_DEPTH} levels`);
    this.skipBlanks();
    const start = this.at;
    switch (this.#text[start]) {
      case "{":
        return { kind: "object", start, members: this.#list("}", () => this.#member(depth)), end: this.at };
      case "[":
        return { kind: "array", start, elements: this.#list("]", () => this.value(depth + 1)), end: this.at };
      default:
        return { kind: "scalar", start, value: this.#scalar(), end: this.at };
    }
  }

  #list<T>(close: string, read: () => T): readonly T[] {
    const items: T[] = [];
    this.at += 1;
    this.skipBlanks();
    while (this.#text[this.at] !== close) {
      if (items.length > 0) {
        this.#expect(",");
        this.skipBlanks();
        if (this.#dialect === "commented" && this.#text[this.at] === close) break;
      }
      items.push(read());
      this.skipBlanks();
    }
    this.at += 1;
    return items;
  }

  #member(depth: number): JsonMember {
    this.skipBlanks();
    const start = this.at;
    const name = this.#scalar();
    if (typeof name !== "string") return this.fail("a name must be in double quotes");
    this.skipBlanks();
    this.#expect(":");
    return { name, start, value: this.value(depth + 1) };
  }

  #expect(character: string): void {
    if (this.#text[this.at] !== character) this.fail(`"${character}" is missing`);
    this.at += 1;
  }

  #scalar(): null | boolean | number | string {
    const token = /"(?:[^"\\\n]|\\.)*"|[-+.\w]+/y;
    token.lastIndex = this.at;
    const found = token.exec(this.#text)?.[0];
    if (found === undefined) return this.fail(this.#complaint());
    try {
      const value = JSON.parse(found) as null | boolean | number | string;
      this.at += found.length;
      return value;
    } catch {
      return this.fail(`${found.slice(0, 20)} is not a JSON value`);
    }
  }

  #complaint(): string {
    if (this.at >= this.#text.length) return "it ends too early";
    if (/^\/[/*]/.test(this.#text.slice(this.at))) return "JSON has no comments";
    return `${JSON.stringify(this.#text[this.at])} is unexpected`;
  }
}

export function invalidSettings(path: string, why: string): BellhopError {
  return new BellhopError("hooks.settings_invalid", {
    message: `${path} cannot be changed: ${why}.`,
    next: "Correct the file, then run the command again. Nothing was changed.",
  });
}
