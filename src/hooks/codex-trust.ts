/**
 * Codex runs a hook only if config.toml holds its fingerprint, under a name made of the hook's place in hooks.json.
 * Ours are written with the hooks, so that nobody is asked; and where our coming and going moves a person's own hook
 * to another place, its fingerprint moves along. Pure: text in, text out, every other line as it was.
 */
import { createHash } from "node:crypto";
import type { FoundHandler, HandlerPlace } from "./handlers.ts";
import { tomlLines } from "./toml-lines.ts";

const MARK =
  '# Bellhop: Codex trusts these hooks. Written by "bellhop hooks install", removed by "bellhop hooks remove".';

export interface TrustChange {
  /** What is at the place now, by the name of the place. */
  readonly add: ReadonlyMap<string, string>;
  /** Names of places that were ours. */
  readonly drop: ReadonlySet<string>;
  /** Fingerprints of ours: wherever they stand, they go. */
  readonly dropHashes: ReadonlySet<string>;
  /** From an old name to the new one. */
  readonly move: ReadonlyMap<string, string>;
}

export type TrustOutcome =
  | { readonly kind: "text"; readonly text: string }
  /** The file has the table in a form that cannot be added to line by line. */
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

/** Where the handlers that are not ours were, and where they are now. */
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
      .map((line) => /^\s*trusted_hash\s*=\s*["'](.*)["']/.exec(line)?.[1])
      .find((each) => each);
    const enabled = !lines.some((line) => /^\s*enabled\s*=\s*false\b/.test(line));
    return [[name, { enabled, ...(hash === undefined ? {} : { hash }) }] as const];
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
  const newline = config.includes("\r\n") ? "\r\n" : "\n";
  const tables = [...add].map(
    ([name, hash]) => `[hooks.state.${JSON.stringify(name)}]${newline}trusted_hash = "${hash}"${newline}`,
  );
  const before = config === "" ? "" : newline;
  return `${config}${before}${MARK}${newline}${tables.join(newline)}`;
}

/** The exact inverse of `append` where nobody has changed anything since. */
function strip(config: string, isOurs: (name: string) => boolean, move: ReadonlyMap<string, string>): string {
  const kept: string[] = [];
  for (const { header, name, lines } of sections(config)) {
    if (name === undefined || !isOurs(name)) {
      const moved = name === undefined ? undefined : move.get(name);
      kept.push(moved === undefined ? header : renamed(header, moved), ...lines);
      continue;
    }
    // What a person wrote below the table stays: only its own two settings go, and the blank line between ours.
    const rest = lines.filter((line) => !/^\s*(?:trusted_hash|enabled)\s*=/.test(line));
    kept.push(...(rest.every((line) => line.trim() === "") ? [] : rest));
  }
  return withoutMark(kept.join(""));
}

function withoutMark(config: string): string {
  const at = config.indexOf(MARK);
  if (at === -1) return config;
  const end = at + MARK.length;
  const newline = config.startsWith("\r\n", end) ? 2 : config.startsWith("\n", end) ? 1 : 0;
  const before = config.slice(0, at).replace(/\r?\n$/, "");
  return before + config.slice(end + newline);
}

interface Section {
  /** With its line end; empty for what stands before the first table. */
  readonly header: string;
  /** Of a `[hooks.state."…"]` table. */
  readonly name: string | undefined;
  readonly lines: readonly string[];
}

function sections(config: string): readonly Section[] {
  const found: { header: string; name: string | undefined; lines: string[] }[] = [
    { header: "", name: undefined, lines: [] },
  ];
  for (const { text, kind } of tomlLines(config)) {
    if (kind === "header") found.push({ header: text, name: stateName(text), lines: [] });
    else found.at(-1)?.lines.push(text);
  }
  return found;
}

const STATE_HEADER = /^(\s*\[\s*hooks\s*\.\s*state\s*\.\s*)("(?:[^"\\]|\\.)*"|'[^']*')(\s*\])/;

function stateName(header: string): string | undefined {
  const quoted = STATE_HEADER.exec(header)?.[2];
  if (quoted === undefined) return undefined;
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    // TOML's basic strings are JSON's but for \e, \x and \U, which no path of ours is written with.
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

function renamed(header: string, name: string): string {
  return header.replace(
    STATE_HEADER,
    (_, open: string, _name: string, close: string) => open + JSON.stringify(name) + close,
  );
}

/** What follows an unfinished list would be part of it; an inline table cannot be extended by `[hooks.state."…"]`: Codex would refuse the whole file. */
function blockingLine(config: string): number | undefined {
  const lines = tomlLines(config);
  if (tomlLines(`${config}\n[end]`).at(-1)?.kind !== "header") return lines.length;
  let table = "";
  for (const [at, { text, kind }] of lines.entries()) {
    if (kind === "header")
      table = /^\s*\[\s*([\w.\s]*?)\s*\]/.exec(text)?.[1]?.replaceAll(/\s/g, "") ?? "other";
    else if (kind === "inside") continue;
    else if (table === "" && /^\s*hooks\s*(?:\.\s*state\s*)?(?:\.|=)/.test(text)) return at + 1;
    else if (table === "hooks" && /^\s*state\s*(?:\.|=)/.test(text)) return at + 1;
    else if (table === "hooks.state" && /^\s*["']/.test(text)) return at + 1;
  }
  return undefined;
}

function snakeCase(event: string): string {
  return event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
