/**
 * Automatic turns in `config.yaml`: `turns` for everyone, `auto_run` of an agent or of one of its sessions. The command line
 * reads values too.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { isScalar, LineCounter, type Node, parseDocument } from "yaml";
import { BellhopError } from "../core/errors.ts";
import { parsePattern } from "../core/routing/pattern.ts";
import { sanitiseLine } from "../core/text/sanitise.ts";
import { AUTO_RUN_FORMS, type AutoRunWords, autoRunWords } from "../core/turns/auto-run.ts";
import { isRuleText, type TurnRule } from "../core/turns/rules.ts";
import {
  AUTO_RUN_KEYS,
  AUTO_RUN_SETTINGS,
  type AutoRunRule,
  type AutoRunSetting,
  type AutoRunSettingKey,
} from "./auto-run-settings.ts";
import { ConfigReader, type Entry } from "./reader.ts";

const RULE_KEYS = ["path", "from", "text"] as const;
const RULE_LENGTHS = { path: 1_024, from: 1_024, text: 256 } as const;

const AT_ONCE = { kind: "number", unit: "turns", least: 1, most: 100, whole: true } as const;
/** The three limits, which may stand together. */
const BUDGET = "budget";
const BUDGET_KEYS = ["turns_per_hour", "turns_per_day", "usd_per_day"] as const;

/** `turns`: how many run at once, and what counts for everyone of whom nothing else is said. */
export interface TurnsDefinition {
  readonly atOnce: number;
  readonly everyone: AutoRunWords;
}

export const STANDARD_TURNS: TurnsDefinition = { atOnce: 5, everyone: {} };

export function readTurns(reader: ConfigReader, { value, line, key: where }: Entry): TurnsDefinition {
  let { atOnce } = STANDARD_TURNS;
  const said: Entry[] = [];
  for (const entry of reader.entries(value, where, line, ["at_once", BUDGET, ...AUTO_RUN_KEYS])) {
    if (entry.key !== "at_once") said.push(entry);
    else atOnce = readNumber(reader, entry.value, `${where}.at_once`, entry.line, AT_ONCE) ?? atOnce;
  }
  return { atOnce, everyone: wordsOf(reader, said, where) };
}

/** A flag, or keys with values: a value alone turns nothing on. */
export function readAutoRun(reader: ConfigReader, entry: Entry, where: string): AutoRunWords {
  return autoRunWords(readWords(reader, entry, where));
}

/** One value as it is written on a command line; throws what is wrong with it. */
export function parseAutoRunValue(key: AutoRunSettingKey, text: string): AutoRunWords {
  const lines = new LineCounter();
  const document = parseDocument(JSON.stringify({ [key]: valueIn(AUTO_RUN_SETTINGS[key].rule, text) }), {
    lineCounter: lines,
    prettyErrors: false,
  });
  const reader = new ConfigReader(document, lines);
  const words = readWords(reader, { key: "", line: 1, value: document.contents as Node | null }, "");
  const [problem] = reader.problems;
  if (problem === undefined && typeof words !== "boolean") return words;
  throw new BellhopError("usage.invalid", {
    message: `${problem?.message ?? key}.`,
    next: `Write it as in config.yaml: --set ${key}=VALUE.`,
  });
}

function valueIn(rule: AutoRunRule, text: string): unknown {
  const isJson = text.trimStart().startsWith("[");
  switch (rule.kind) {
    case "flag":
      return text === "true" ? true : text === "false" ? false : text;
    case "number":
      return /^\d+(?:\.\d+)?$/u.test(text) ? Number(text) : text;
    case "rules":
    case "texts":
      return isJson ? parsedJson(text) : text === "" ? [] : text.split(",").map((word) => word.trim());
    default:
      return text;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readWords(reader: ConfigReader, { value, line }: Entry, where: string): boolean | AutoRunWords {
  const found = reader.resolve(value);
  if (isScalar(found) && typeof found.value === "boolean") return found.value;
  if (isScalar(found) && found.value !== null) {
    reader.expected(line, where, "true, false, or keys with values", found);
    return {};
  }
  return wordsOf(reader, reader.entries(value, where, line, [...AUTO_RUN_KEYS, BUDGET]), where);
}

function wordsOf(reader: ConfigReader, entries: readonly Entry[], where: string): AutoRunWords {
  const words: Record<string, unknown> = {};
  for (const entry of entries) {
    if (entry.key === BUDGET) {
      const inside = `${where}.${BUDGET}`;
      Object.assign(
        words,
        wordsOf(reader, reader.entries(entry.value, inside, entry.line, BUDGET_KEYS), inside),
      );
      continue;
    }
    const { as, rule }: AutoRunSetting = AUTO_RUN_SETTINGS[entry.key as AutoRunSettingKey];
    const read = readValue(reader, entry, where === "" ? entry.key : `${where}.${entry.key}`, rule);
    if (read !== undefined) words[as] = read;
  }
  return words as AutoRunWords;
}

function readValue(reader: ConfigReader, { value, line }: Entry, where: string, rule: AutoRunRule): unknown {
  switch (rule.kind) {
    case "flag":
      return reader.flag(value, where, line);
    case "text":
      return readText(reader, value, where, line, rule);
    case "number":
      return readNumber(reader, value, where, line, rule);
    case "choice": {
      const text = reader.text(value, where, line);
      if (text === undefined || rule.of.includes(text)) return text;
      reader.complain(line, `${where}: expected one of ${rule.of.join(", ")}, found "${text}"`);
      return undefined;
    }
    case "texts": {
      const one = { kind: "text", most: rule.longest } as const;
      return reader
        .items(value, where, line, rule.most)
        .map((item) => readText(reader, item, where, reader.lineOf(item, line), one))
        .filter((text) => text !== undefined);
    }
    case "rules":
      return reader
        .items(value, where, line, rule.most)
        .map((item) => readRule(reader, item, where, reader.lineOf(item, line)))
        .filter((one) => one !== undefined);
  }
}

function readText(
  reader: ConfigReader,
  value: Node | null,
  where: string,
  line: number,
  { most, empty, like, form = "line" }: Extract<AutoRunRule, { kind: "text" }>,
): string | undefined {
  if (empty === "allowed" && isScalar(value) && value.value === "") return "";
  const written = reader.text(value, where, line);
  if (written === undefined) return undefined;
  const text = form === "folder" ? inHome(written) : written;
  if (text.length > most) reader.complain(line, `${where}: at most ${most} characters`);
  else if (form === "folder" && !text.startsWith("/"))
    reader.complain(line, `${where}: expected a path from / or ~/, found "${sanitiseLine(text, 64)}"`);
  else if (!AUTO_RUN_FORMS[form].test(text))
    reader.complain(line, `${where}: control characters cannot be in it`);
  else if (like !== undefined && !like.test(text))
    reader.complain(line, `${where}: "${text}" must match ${like.source}`);
  else return text;
  return undefined;
}

/** Of the owner, as whom the daemon runs too. */
function inHome(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

function readNumber(
  reader: ConfigReader,
  value: Node | null,
  where: string,
  line: number,
  rule: Extract<AutoRunRule, { kind: "number" }>,
): number | undefined {
  const number = reader.number(value, where, line, `a number of ${rule.unit}`);
  if (number === undefined) return undefined;
  if (number >= rule.least && number <= rule.most && (!rule.whole || Number.isInteger(number)))
    return rule.times === undefined ? number : Math.round(number * rule.times);
  const form = rule.whole ? "a whole number" : "a number";
  reader.complain(line, `${where}: expected ${form} from ${rule.least} to ${rule.most}, found ${number}`);
  return undefined;
}

function readRule(
  reader: ConfigReader,
  node: Node | null,
  where: string,
  line: number,
): TurnRule | undefined {
  const problems = reader.problems.length;
  const rule: { path?: string; from?: string; text?: string } = {};
  for (const entry of reader.entries(node, where, line, RULE_KEYS)) {
    const key = entry.key as (typeof RULE_KEYS)[number];
    const form = key === "text" ? "lines" : "line";
    const one = { kind: "text", most: RULE_LENGTHS[key], form } as const;
    const text = readText(reader, entry.value, `${where}.${key}`, entry.line, one);
    if (text === undefined) continue;
    if (key === "text" && !isRuleText(text))
      reader.complain(entry.line, `${where}.text: nothing in it can be seen`);
    rule[key] = key === "text" ? text : (readPattern(reader, text, `${where}.${key}`, entry.line) ?? text);
  }
  if (reader.problems.length > problems) return undefined;
  if (Object.keys(rule).length > 0) return rule;
  reader.complain(line, `${where}: a rule needs a path, a from or a text`);
  return undefined;
}

function readPattern(reader: ConfigReader, text: string, where: string, line: number): string | undefined {
  try {
    return parsePattern(text).text;
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    reader.complain(line, `${where}: ${error.message}`);
    return undefined;
  }
}
