/** `config.yaml`: read, checked and frozen once; every value knows where it came from. */
import { isUtf8 } from "node:buffer";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { LineCounter, type Node, parseDocument } from "yaml";
import { assertNever, BellhopError, isOutOfFiles, outOfFiles } from "../core/errors.ts";
import { PRIORITIES, parsePriority } from "../core/priority.ts";
import { readAgents } from "./agents.ts";
import { readTurns, STANDARD_TURNS } from "./auto-run.ts";
import { readBridges } from "./bridges.ts";
import { readCluster } from "./cluster.ts";
import { readNotify, readRights, readTransports } from "./lists.ts";
import { readProfiles } from "./profiles.ts";
import { ConfigReader, type Entry, type Problem } from "./reader.ts";
import {
  type ConfigValues,
  LIST_SECTIONS,
  type ListSettings,
  type PlainSettings,
  SECTIONS,
  SETTINGS,
  type SettingKey,
  type SettingRule,
  type SettingValue,
  valuesFrom,
} from "./schema.ts";

export type Origin = { readonly kind: "default" } | { readonly kind: "file"; readonly line: number };

export interface Config {
  readonly path: string;
  readonly values: ConfigValues;
  /** By the key in the file: `delivery.max_batch_size`, `profiles`. */
  readonly origins: Readonly<Record<string, Origin>>;
  /** Values by the same keys, in the file's units, to show to people. */
  readonly shown: Readonly<Record<string, unknown>>;
}

export const CONFIG_BYTES = 1024 * 1024;

const LIST_READERS: {
  readonly [Section in keyof ListSettings]: (reader: ConfigReader, section: Entry) => ListSettings[Section];
} = {
  transports: readTransports,
  profiles: readProfiles,
  agents: readAgents,
  rights: readRights,
  notify: readNotify,
  bridges: readBridges,
  turns: readTurns,
  cluster: readCluster,
};

const STANDARD_LISTS: ListSettings = {
  transports: { byProgram: {} },
  profiles: [],
  agents: [],
  rights: { default: [], agents: {} },
  notify: ["tmux"],
  bridges: {},
  turns: STANDARD_TURNS,
  cluster: undefined,
};

/** Without a file, the defaults; an invalid file throws `config.invalid` with line numbers. */
export function loadConfig(path: string): Config {
  return parseConfig(readText(path) ?? "", path);
}

export function parseConfig(text: string, path: string): Config {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const reader = new ConfigReader(document, lines);
  for (const error of [...document.errors, ...document.warnings]) {
    const message = error.code === "DUPLICATE_KEY" ? "this key appears twice" : error.message;
    reader.complain(reader.lineAt(error.pos[0]), message);
  }
  refuseIfAny(reader.problems, path);

  const plain = standardSettings();
  const origins: Record<string, Origin> = {};
  for (const key of [...Object.keys(SETTINGS), ...LIST_SECTIONS]) origins[key] = { kind: "default" };
  let lists = STANDARD_LISTS;
  for (const section of reader.entries(document.contents as Node | null, "", 1, SECTIONS)) {
    const list = LIST_SECTIONS.find((one) => one === section.key);
    if (list === undefined) readSection(reader, section, plain, origins);
    else {
      lists = { ...lists, [list]: LIST_READERS[list](reader, section) };
      origins[list] = { kind: "file", line: section.line };
    }
  }
  refuseIfAny(reader.problems, path);
  const { transports, notify } = lists;
  return deepFreeze({
    path,
    values: valuesFrom(plain as PlainSettings, lists),
    origins,
    shown: {
      ...plain,
      ...lists,
      transports: transports.everywhere ?? transports.byProgram,
      notify: notify.length === 0 ? ["off"] : notify,
      cluster: lists.cluster ?? "none",
    },
  });
}

function readSection(
  reader: ConfigReader,
  section: Entry,
  plain: Record<string, SettingValue>,
  origins: Record<string, Origin>,
): void {
  const prefix = `${section.key}.`;
  const inside = Object.keys(SETTINGS).filter((key) => key.startsWith(prefix));
  const known = [...new Set(inside.map((key) => key.slice(prefix.length).replace(/\..*/u, "")))];
  for (const entry of reader.entries(section.value, section.key, section.line, known)) {
    const key = `${prefix}${entry.key}` as SettingKey;
    if (!(key in SETTINGS)) {
      readSection(reader, { ...entry, key }, plain, origins);
      continue;
    }
    const value = readSetting(reader, key, SETTINGS[key], entry);
    if (value === undefined) continue;
    plain[key] = value;
    origins[key] = { kind: "file", line: entry.line };
  }
}

function readSetting(
  reader: ConfigReader,
  key: SettingKey,
  rule: SettingRule,
  { value, line }: Entry,
): SettingValue | undefined {
  switch (rule.kind) {
    case "number": {
      const what = rule.unit === "port" ? "a port number" : `a number of ${rule.unit}`;
      const number = reader.number(value, key, line, what);
      if (number === undefined) return undefined;
      if (number >= rule.least && number <= rule.most && (!rule.whole || Number.isInteger(number)))
        return number;
      const form = rule.whole ? "a whole number" : "a number";
      reader.complain(line, `${key}: expected ${form} from ${rule.least} to ${rule.most}, found ${number}`);
      return undefined;
    }
    case "flag":
      return reader.flag(value, key, line);
    case "priority": {
      const text = reader.text(value, key, line);
      const priority = text === undefined ? undefined : parsePriority(text);
      if (text !== undefined && priority === undefined) {
        reader.complain(line, `${key}: expected one of ${PRIORITIES.join(", ")}, found "${text}"`);
      }
      return priority;
    }
    case "choice": {
      const text = reader.text(value, key, line);
      if (text === undefined || rule.of.includes(text)) return text;
      reader.complain(line, `${key}: expected one of ${rule.of.join(", ")}, found "${text}"`);
      return undefined;
    }
    case "text": {
      const text = reader.text(value, key, line);
      if (text === undefined) return text;
      const instead = rule.instead?.(text);
      if (instead !== undefined) reader.complain(line, `${key}: expected ${instead}, found "${text}"`);
      else if (text.length <= rule.most) return text;
      else reader.complain(line, `${key}: at most ${rule.most} characters`);
      return undefined;
    }
    case "texts":
      return reader
        .items(value, key, line, rule.most)
        .map((item) => {
          const text = reader.text(item, key, reader.lineOf(item, line));
          const instead = text === undefined ? undefined : rule.instead?.(text);
          if (instead === undefined) return text;
          reader.complain(reader.lineOf(item, line), `${key}: expected ${instead}, found "${text}"`);
          return undefined;
        })
        .filter((text) => text !== undefined);
    default:
      return assertNever(rule);
  }
}

function standardSettings(): Record<string, SettingValue> {
  return Object.fromEntries(Object.entries(SETTINGS).map(([key, rule]) => [key, rule.standard]));
}

function readText(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (isOutOfFiles(error)) throw outOfFiles(`${path} cannot be read`, error);
    throw unreadable(path, `cannot be read (${code})`);
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw unreadable(path, "is not a file");
    if (found.size > CONFIG_BYTES) throw unreadable(path, `is larger than ${CONFIG_BYTES} bytes`);
    const bytes = readFileSync(file);
    if (!isUtf8(bytes)) throw unreadable(path, "is not valid UTF-8");
    return bytes.toString("utf8");
  } finally {
    closeSync(file);
  }
}

function refuseIfAny(problems: readonly Problem[], path: string): void {
  if (problems.length === 0) return;
  const told = problems.map(({ line, message }) => `${path}:${line}: ${message}`);
  throw new BellhopError("config.invalid", {
    message: told.join("\n"),
    next: 'Correct the file; "bellhop config" shows the settings in force.',
  });
}

function unreadable(path: string, why: string): BellhopError {
  return new BellhopError("config.invalid", {
    message: `${path} ${why}.`,
    next: "Put a readable YAML file there, or remove it to use the defaults.",
  });
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === "object" && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
