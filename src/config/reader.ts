/** Walks a YAML document by its nodes, so that every error has a line number. */
import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node } from "yaml";
import { nearest } from "../core/text/nearest.ts";

export interface Problem {
  readonly line: number;
  readonly message: string;
}

export interface Entry {
  readonly key: string;
  readonly line: number;
  readonly value: Node | null;
}

export const READER_LIMITS = { aliases: 64, problems: 20 } as const;

export class ConfigReader {
  readonly problems: Problem[] = [];
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;
  #aliases = 0;

  constructor(document: Document.Parsed, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  complain(line: number, message: string): void {
    if (this.problems.length < READER_LIMITS.problems) this.problems.push({ line, message });
  }

  lineOf(node: Node | null | undefined, otherwise: number): number {
    const at = node?.range?.[0];
    return at === undefined ? otherwise : this.lineAt(at);
  }

  lineAt(offset: number): number {
    return this.#lines.linePos(offset).line;
  }

  /** The keys of a section; with `known`, any other key is an error that names the nearest. */
  entries(node: Node | null, where: string, line: number, known?: readonly string[]): readonly Entry[] {
    const map = this.resolve(node);
    if (map === null || (isScalar(map) && map.value === null)) return [];
    if (!isMap(map)) {
      this.expected(line, where, "keys with values", map);
      return [];
    }
    const entries: Entry[] = [];
    for (const pair of map.items) {
      const keyLine = this.lineOf(pair.key as Node | null, line);
      const key = isScalar(pair.key) ? String(pair.key.value) : "";
      if (key === "") {
        this.complain(keyLine, `${where}: a key must be a plain word`);
      } else if (known !== undefined && !known.includes(key)) {
        const full = where === "" ? key : `${where}.${key}`;
        this.complain(keyLine, `unknown key "${full}": ${advice(key, known)}`);
      } else {
        entries.push({ key, line: keyLine, value: this.resolve(pair.value as Node | null) });
      }
    }
    return entries;
  }

  /** The same, as a map. */
  section(...asked: Parameters<ConfigReader["entries"]>): ReadonlyMap<string, Entry> {
    return new Map(this.entries(...asked).map((entry) => [entry.key, entry]));
  }

  /** The items that are known words; any other is an error that names the nearest. */
  words<Word extends string>(
    items: readonly (Node | null)[],
    where: string,
    line: number,
    known: readonly Word[],
    what: string,
  ): readonly Word[] {
    return items.flatMap((item) => {
      const at = this.lineOf(item, line);
      const text = this.text(item, where, at);
      const word = known.find((one) => one === text);
      if (text !== undefined && word === undefined)
        this.complain(at, `${where}: no ${what} "${text}": ${advice(text, known)}`);
      return word ?? [];
    });
  }

  items(node: Node | null, where: string, line: number, most: number): readonly (Node | null)[] {
    const list = this.resolve(node);
    if (list === null || (isScalar(list) && list.value === null)) return [];
    if (!isSeq(list)) {
      this.expected(line, where, "a list", list);
      return [];
    }
    if (list.items.length > most) {
      this.complain(line, `${where}: at most ${most} entries`);
      return [];
    }
    return list.items.map((item) => this.resolve(item as Node | null));
  }

  text(node: Node | null, where: string, line: number): string | undefined {
    const found = this.resolve(node);
    if (isScalar(found) && typeof found.value === "string" && found.value !== "") return found.value;
    this.expected(this.lineOf(found, line), where, "a text", found);
    return undefined;
  }

  number(node: Node | null, where: string, line: number, what: string): number | undefined {
    const found = this.resolve(node);
    if (isScalar(found) && typeof found.value === "number" && Number.isFinite(found.value))
      return found.value;
    this.expected(this.lineOf(found, line), where, what, found);
    return undefined;
  }

  /** `yes` and `on` are strings in YAML 1.2, and therefore refused. */
  flag(node: Node | null, where: string, line: number): boolean | undefined {
    const found = this.resolve(node);
    if (isScalar(found) && typeof found.value === "boolean") return found.value;
    this.expected(this.lineOf(found, line), where, "true or false", found);
    return undefined;
  }

  isList(node: Node | null): boolean {
    return isSeq(this.resolve(node));
  }

  isMap(node: Node | null): boolean {
    return isMap(this.resolve(node));
  }

  expected(line: number, where: string, what: string, found: Node | null): void {
    this.complain(line, `${where || "the file"}: expected ${what}, found ${describe(found)}`);
  }

  /** Follows a limited number of aliases: a few lines of them can expand to gigabytes. */
  resolve(node: Node | null): Node | null {
    let current: Node | null = node;
    while (isAlias(current)) {
      this.#aliases += 1;
      if (this.#aliases > READER_LIMITS.aliases) {
        this.complain(this.lineOf(current, 1), `more than ${READER_LIMITS.aliases} aliases`);
        return null;
      }
      const meant: Node | undefined = current.resolve(this.#document);
      if (meant === undefined)
        this.complain(this.lineOf(current, 1), `nothing is called "${current.source}"`);
      current = meant ?? null;
    }
    return current;
  }
}

function advice(text: string, known: readonly string[]): string {
  const meant = nearest(text, known);
  return meant === undefined ? `known are ${known.join(", ")}` : `did you mean "${meant}"?`;
}

function describe(node: Node | null): string {
  if (node === null) return "nothing";
  if (isMap(node)) return "keys with values";
  if (isSeq(node)) return "a list";
  if (!isScalar(node) || node.value === null) return "nothing";
  return typeof node.value === "string"
    ? `the text ${JSON.stringify(node.value.slice(0, 40))}`
    : String(node.value);
}
