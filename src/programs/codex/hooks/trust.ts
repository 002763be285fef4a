/**
 * Codex runs a hook only if config.toml holds its fingerprint, under a name made of the hook's place in hooks.json.
 * Ours are written with the hooks, so that Codex does not ask. If adding or removing ours moves a person's own hook to
 * another place, its fingerprint is moved too. Pure: text in, text out, all other lines unchanged.
 */
import { createHash } from "node:crypto";
import { present } from "../../../core/present.ts";
import { newlineOf, withBlock, withoutBlock } from "../../../hooks/appended-block.ts";
import type { FoundHandler, HandlerPlace } from "../../../hooks/handlers.ts";
import { type TomlLine, tomlKey, tomlLines } from "./toml-lines.ts";

const MARK =
  '# Bellhop: Codex trusts these hooks. Written by "bellhop hooks install", removed by "bellhop hooks remove".';

export interface TrustChange {
  /** New fingerprints, by the name of the place. */
  readonly add: ReadonlyMap<string, string>;
  /** Names of places that held our hooks. */
  readonly drop: ReadonlySet<string>;
  /** Fingerprints of our hooks, removed wherever they are. */
  readonly dropHashes: ReadonlySet<string>;
  /** Old name → new name. */
  readonly move: ReadonlyMap<string, string>;
}

export type TrustOutcome =
  | { readonly kind: "text"; readonly text: string }
  /** The table is written in a form that cannot be extended line by line. */
  | { readonly kind: "by-hand"; readonly line: number };

/** As Codex computes it: compact JSON, sorted keys, defaults filled in. */
export function trustHash(
  event: string,
  handler: { readonly command: string; readonly timeout: number },
): string {
  const { command, timeout } = handler;
  const hooks = [{ async: false, command, timeout, type: "command" }];
  const text = JSON.stringify({ event_name: snakeCase(event), hooks });
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

export function trustName(hooksFile: string, { event, group, index }: HandlerPlace): string {
  return `${hooksFile}:${snakeCase(event)}:${group}:${index}`;
}

/** Old and new places of the handlers that are not ours. */
export function movedPlaces(
  before: readonly FoundHandler[],
  after: readonly FoundHandler[],
  isOurs: (handler: FoundHandler) => boolean,
): readonly { readonly from: HandlerPlace; readonly to: HandlerPlace }[] {
  const events = [...new Set(before.map(({ event }) => event))];
  return events.flatMap((event) => {
    const others = (all: readonly FoundHandler[]) =>
      all.filter((each) => each.event === event && !isOurs(each));
    const now = others(after);
    return others(before).flatMap((from, at) => {
      const to = now[at];
      return to === undefined || (to.group === from.group && to.index === from.index) ? [] : [{ from, to }];
    });
  });
}

export function trustIn(
  config: string,
): ReadonlyMap<string, { readonly hash?: string; readonly enabled: boolean }> {
  const tables = sections(config).flatMap(({ name, lines }) => {
    if (name === undefined) return [];
    const hash = lines
      .map(({ text }) => /^\s*trusted_hash\s*=\s*["'](.*)["']/.exec(text)?.[1])
      .find((each) => each);
    const enabled = !lines.some(({ text }) => /^\s*enabled\s*=\s*false\b/.test(text));
    return [[name, { enabled, ...present({ hash }) }] as const];
  });
  return new Map(tables);
}

export function changeTrust(config: string, change: TrustChange): TrustOutcome {
  const blocking = blockingLine(config);
  if (blocking !== undefined) return { kind: "by-hand", line: blocking };
  const known = trustIn(config);
  const isStale = (name: string): boolean => {
    const expected = change.add.get(name);
    if (expected !== undefined)
      return known.get(name)?.hash !== expected || known.get(name)?.enabled === false;
    return change.drop.has(name) || change.dropHashes.has(known.get(name)?.hash ?? "");
  };
  const missing = [...change.add.keys()].some((name) => !known.has(name));
  const stale = [...known.keys()].some(isStale);
  if (!missing && !stale && change.move.size === 0) return { kind: "text", text: config };
  const isOurs = (name: string) => change.add.has(name) || isStale(name);
  return { kind: "text", text: append(strip(config, isOurs, change.move), change.add) };
}

function append(config: string, add: ReadonlyMap<string, string>): string {
  if (add.size === 0) return config;
  const newline = newlineOf(config);
  const tables = [...add].map(
    ([name, hash]) => `[hooks.state.${JSON.stringify(name)}]${newline}trusted_hash = "${hash}"${newline}`,
  );
  return withBlock(config, `${MARK}${newline}${tables.join(newline)}`);
}

/** The exact inverse of `append`: what others have written around and between our lines keeps its bytes. */
function strip(config: string, isOurs: (name: string) => boolean, move: ReadonlyMap<string, string>): string {
  const all = sections(config);
  const isOurTable = (section: Section | undefined) => section?.name !== undefined && isOurs(section.name);
  /** Split where our block began; a table of ours without the block's mark is simply left out. */
  const kept: [string, ...string[]] = [""];
  for (const [at, section] of all.entries()) {
    const { header, name, lines } = section;
    const next = all[at + 1];
    const moved = name === undefined ? undefined : move.get(name);
    if (!isOurTable(section)) kept[kept.length - 1] += moved === undefined ? header : renamed(header, moved);
    for (const line of isOurTable(section) ? othersIn(lines, isOurTable(next)) : lines) {
      // Another Bellhop's block in the same file: its mark is directly above its first table.
      const isAnothers = line === lines.at(-1) && next?.name !== undefined && !isOurTable(next);
      if (kept.length === 1 && isMark(line) && !isAnothers) kept.push("");
      else kept[kept.length - 1] += line.text;
    }
  }
  const [before, behind] = kept;
  return behind === undefined ? before : withoutBlock(before, behind);
}

function isMark({ text, kind }: TomlLine): boolean {
  return kind === "line" && text.trimEnd() === MARK;
}

/** What others wrote below one of our tables: all but its settings and the blank line before our next table. */
function othersIn(lines: readonly TomlLine[], oursFollows: boolean): readonly TomlLine[] {
  const others = lines.filter(({ text }) => !/^\s*(?:trusted_hash|enabled)\s*=/.test(text));
  return oursFollows && others[0]?.text.trim() === "" ? others.slice(1) : others;
}

interface Section {
  /** Includes its line end; empty for the text before the first table. */
  readonly header: string;
  /** The name in a `[hooks.state."…"]` table. */
  readonly name: string | undefined;
  readonly lines: TomlLine[];
}

function sections(config: string): readonly Section[] {
  const found: Section[] = [{ header: "", name: undefined, lines: [] }];
  for (const line of tomlLines(config)) {
    if (line.kind === "header") found.push({ header: line.text, name: stateName(line), lines: [] });
    else found.at(-1)?.lines.push(line);
  }
  return found;
}

function stateName(header: TomlLine): string | undefined {
  const [hooks, state, name, ...deeper] = tomlKey(header) ?? [];
  const isState = hooks === "hooks" && state === "state" && deeper.length === 0;
  return isState && !isList(header) ? name : undefined;
}

function isList({ text }: TomlLine): boolean {
  return /^\s*\[\[/.test(text);
}

function renamed(header: string, name: string): string {
  return header.replace(/^(\s*\[).*(\])/, (_, open: string, close: string) => {
    return `${open}hooks.state.${JSON.stringify(name)}${close}`;
  });
}

/** An unclosed list would swallow our table, and after an inline table Codex would refuse the whole file. */
function blockingLine(config: string): number | undefined {
  const lines = tomlLines(config);
  if (tomlLines(`${config}\n[end]`).at(-1)?.kind !== "header") return lines.length;
  let table: readonly string[] = [];
  for (const [at, line] of lines.entries()) {
    const key = tomlKey(line);
    if (isInTheWay(line, table, key)) return at + 1;
    if (line.kind === "header") table = key ?? ["unknown"];
  }
  return undefined;
}

function isInTheWay(line: TomlLine, table: readonly string[], key: readonly string[] | undefined): boolean {
  if (key === undefined) return false;
  const [hooks, state] = line.kind === "header" ? key : [...table, ...key];
  if (hooks !== "hooks") return false;
  if (line.kind === "header") return isList(line) && (state === undefined || state === "state");
  return table.length === 0 || (state === "state" && table.length < 3);
}

function snakeCase(event: string): string {
  return event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
