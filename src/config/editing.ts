/**
 * Changes of `config.yaml` that leave the rest of the file as it is, to the byte: comments, order and layout are its
 * owner's. Each change is a cut or an insertion, and counts only if the file then says exactly what it should.
 */
import { isDeepStrictEqual } from "node:util";
import {
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

/** Undefined: the file is laid out in a way in which this cannot be done safely. */
export type Edited = string | undefined;

type Path = readonly string[];
type Plain = { [key: string]: unknown };

interface Found {
  readonly key: Node;
  readonly value: Node | null;
}

/** What stands at the path's end is a list, if it is there: the values are added to it. Otherwise it must be absent. */
export function withAdded(text: string, path: Path, value: unknown): Edited {
  const root = rootOf(text);
  if (root === undefined) return undefined;
  const edited = inserted(text, root.contents, path, value);
  return confirmed(edited, (after) => isDeepStrictEqual(after, plainWith(root.plain, path, value)));
}

/** Removes an entry, and what is empty without it. An entry that is absent changes nothing. */
export function withoutEntry(text: string, path: Path): Edited {
  const root = rootOf(text);
  if (root === undefined) return undefined;
  const wanted = plainWithout(root.plain, path);
  if (isDeepStrictEqual(wanted, root.plain)) return text;
  const edited = cut(text, cutsOf(text, root.contents, path));
  return confirmed(edited, (after) => isDeepStrictEqual(after, wanted));
}

/** Removes the texts of a list that are so; a list that is empty then goes too. */
export function withoutItems(text: string, path: Path, isGone: (item: string) => boolean): Edited {
  let current: Edited = text;
  while (current !== undefined) {
    const list = nodeAt(rootOf(current)?.contents ?? null, path);
    if (!isSeq(list)) return current;
    const at = list.items.findIndex((item) => isScalar(item) && isGone(String(item.value)));
    if (at < 0) return current;
    current = list.items.length === 1 ? withoutEntry(current, path) : withoutItem(current, path, list, at);
  }
  return current;
}

function withoutItem(text: string, path: Path, list: YAMLSeq, at: number): Edited {
  const items = list.items as Node[];
  const edited = cut(text, [
    list.flow === true ? flowCut(items, items, at) : lineCut(text, items[at], items[at]),
  ]);
  const before = plainAt(rootOf(text)?.plain, path) as readonly unknown[];
  return confirmed(edited, (after) => isDeepStrictEqual(plainAt(after, path), before.toSpliced(at, 1)));
}

function rootOf(text: string): { readonly contents: Node | null; readonly plain: Plain } | undefined {
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: true });
  if (document.errors.length > 0 || document.warnings.length > 0) return undefined;
  const contents = document.contents as Node | null;
  if (contents !== null && !isMap(contents)) return undefined;
  return { contents, plain: (document.toJS() ?? {}) as Plain };
}

function confirmed(edited: Edited, isRight: (plain: Plain) => boolean): Edited {
  const root = edited === undefined ? undefined : rootOf(edited);
  return root !== undefined && isRight(root.plain) ? edited : undefined;
}

function find(map: YAMLMap, key: string): Found | undefined {
  const pair = map.items.find((one) => isScalar(one.key) && one.key.value === key);
  return pair as Found | undefined;
}

function nodeAt(from: Node | null, [first, ...rest]: Path): Node | null {
  if (first === undefined) return from;
  return isMap(from) ? nodeAt(find(from, first)?.value ?? null, rest) : null;
}

/** Into the deepest part of the path that is there. */
function inserted(text: string, contents: Node | null, path: Path, value: unknown): Edited {
  let map = contents;
  let above: Node | undefined;
  for (const [depth, key] of path.entries()) {
    const isThere = map !== null && !isBare(map);
    if (isThere && !isMap(map)) return undefined;
    const found = isMap(map) ? find(map, key) : undefined;
    if (found === undefined) {
      const missing = nested(path.slice(depth), value) as Plain;
      return isMap(map) ? intoMap(text, map, above, missing) : below(text, above, missing);
    }
    above = found.key;
    map = found.value;
  }
  if (map === null || isBare(map)) return below(text, above, value);
  return isSeq(map) && Array.isArray(value) ? intoList(text, map, value) : undefined;
}

function intoMap(text: string, map: YAMLMap, above: Node | undefined, more: Plain): Edited {
  if (map.flow === true) {
    const comma = map.items.length > 0 ? "," : " ";
    return spliced(text, startOf(map) + 1, ` ${flowText(more).slice(1, -1).trim()}${comma}`);
  }
  const [first] = map.items;
  const indent = column(text, startOf(first?.key as Node));
  return above === undefined ? atEnd(text, more, indent) : afterLine(text, endOf(above), more, indent);
}

/** Under a key without a value, or at the end of a file without any. */
function below(text: string, above: Node | undefined, more: unknown): Edited {
  if (above === undefined) return atEnd(text, more, 0);
  return afterLine(text, endOf(above), more, column(text, startOf(above)) + 2);
}

function intoList(text: string, list: YAMLSeq, values: readonly unknown[]): Edited {
  const items = list.items as Node[];
  const last = items.at(-1);
  if (list.flow === true) {
    const more = values.map(flowText).join(", ");
    return last === undefined
      ? spliced(text, startOf(list) + 1, more)
      : spliced(text, endOf(last), `, ${more}`);
  }
  if (last === undefined) return undefined;
  return afterLine(text, lastOf(last), values, column(text, startOf(list)));
}

function atEnd(text: string, more: unknown, indent: number): string {
  const gap = text === "" || text.endsWith("\n") ? "" : newline(text);
  return text + gap + blockText(text, more, indent);
}

function afterLine(text: string, position: number, more: unknown, indent: number): string {
  const end = text.indexOf("\n", position);
  if (end < 0) return atEnd(text, more, indent);
  return spliced(text, end + 1, blockText(text, more, indent));
}

function blockText(text: string, value: unknown, indent: number): string {
  const lines = stringify(value, { lineWidth: 0 }).trimEnd().split("\n");
  return lines.map((line) => `${" ".repeat(indent)}${line}${newline(text)}`).join("");
}

function flowText(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
}

type Cut = readonly [from: number, until: number];

function cut(text: string, cuts: readonly Cut[] | undefined): Edited {
  return cuts
    ?.toSorted((one, other) => other[0] - one[0])
    .reduce((rest, [from, until]) => rest.slice(0, from) + rest.slice(until), text);
}

function cutsOf(text: string, contents: Node | null, path: Path): readonly Cut[] | undefined {
  const [map, key] = [nodeAt(contents, path.slice(0, -1)), path.at(-1) ?? ""];
  if (!isMap(map)) return undefined;
  const at = map.items.findIndex((one) => isScalar(one.key) && one.key.value === key);
  const pair = map.items[at] as Found | undefined;
  if (pair === undefined) return undefined;
  const isLast = map.items.length === 1 && path.length > 1;
  if (map.flow === true && isLast) return cutsOf(text, contents, path.slice(0, -1));
  if (map.flow === true) {
    const pairs = map.items as unknown as Found[];
    return [
      flowCut(
        pairs.map(({ key: one }) => one),
        pairs.map(({ key: one, value }) => value ?? one),
        at,
      ),
    ];
  }
  const own = lineCut(text, pair.key, pair.value ?? pair.key);
  if (!isLast) return [own];
  // Comments between the two lines stay.
  const parent = nodeAt(contents, path.slice(0, -2));
  const above = isMap(parent) ? find(parent, path.at(-2) ?? "") : undefined;
  if (above === undefined || !isMap(parent)) return undefined;
  return [own, lineCut(text, above.key, above.key)];
}

/** Whole lines. */
function lineCut(text: string, first: Node | undefined, last: Node | undefined): Cut {
  const from = first === undefined ? 0 : text.lastIndexOf("\n", startOf(first) - 1) + 1;
  const end = last === undefined ? 0 : lastOf(last);
  if (text[end - 1] === "\n") return [from, end];
  const newlineAt = text.indexOf("\n", end);
  return [from, newlineAt < 0 ? text.length : newlineAt + 1];
}

function flowCut(starts: readonly Node[], ends: readonly Node[], at: number): Cut {
  const [own, next, before] = [starts[at], starts[at + 1], ends[at - 1]];
  if (own === undefined) return [0, 0];
  if (next !== undefined) return [startOf(own), startOf(next)];
  const end = ends[at]?.range?.[1] ?? 0;
  return [before?.range?.[1] ?? startOf(own), end];
}

function nested(path: Path, value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function plainAt(plain: unknown, path: Path): unknown {
  return path.reduce((part, key) => (part as Plain | null | undefined)?.[key], plain);
}

function plainWith(plain: Plain, [first = "", ...rest]: Path, value: unknown): Plain {
  const before = plain[first];
  if (rest.length > 0) return { ...plain, [first]: plainWith((before ?? {}) as Plain, rest, value) };
  return { ...plain, [first]: Array.isArray(before) ? [...before, ...(value as unknown[])] : value };
}

function plainWithout(plain: Plain, [first = "", ...rest]: Path): Plain {
  const { [first]: own, ...others } = plain;
  if (own === undefined || rest.length === 0) return others;
  const inner = plainWithout((own ?? {}) as Plain, rest);
  return Object.keys(inner).length === 0 ? others : { ...plain, [first]: inner };
}

/** A key that has nothing after its colon. */
function isBare(node: Node): boolean {
  return isScalar(node) && node.value === null && node.source === "";
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

function endOf(node: Node): number {
  return node.range?.[1] ?? 0;
}

/** Where the last value inside it ends: a block's own range takes in the comments after it. */
function lastOf(node: Node): number {
  if (isMap(node) && node.flow !== true) {
    const last = node.items.at(-1) as Found | undefined;
    return last === undefined ? endOf(node) : lastOf(last.value ?? last.key);
  }
  if (isSeq(node) && node.flow !== true) {
    const last = node.items.at(-1) as Node | undefined;
    return last === undefined ? endOf(node) : lastOf(last);
  }
  return endOf(node);
}

function column(text: string, position: number): number {
  return position - (text.lastIndexOf("\n", position - 1) + 1);
}

function newline(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function spliced(text: string, at: number, more: string): string {
  return text.slice(0, at) + more + text.slice(at);
}
