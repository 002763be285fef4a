/** How a program takes one turn without a terminal: its command line, and what its output means. Pure. */
import { conversationId } from "../core/session.ts";
import type { TriageQuestion, TurnOrder, TurnReport } from "../ports/runner.ts";

export interface HeadlessCommand {
  readonly words: readonly string[];
  readonly stdin: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Files that it needs while it runs, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** In words and variables, it stands for the folder with those files. */
export const FILES_FOLDER = "\0files";

/** Reads the output of one turn, line by line. */
export interface HeadlessReader {
  /** What it does now, in a few words, if the line says so. */
  line(text: string): string | undefined;
  /** What it said at its end; `failed` is why, in its own words if it has any. */
  ended():
    | ({ readonly answer: string } & TurnReport)
    | ({ readonly failed: string | undefined } & TurnReport);
}

export interface Headless {
  turn(order: TurnOrder): HeadlessCommand;
  reader(): HeadlessReader;
  /** The file in which its user gives it more tools; undefined: nobody knows where it is. */
  settingsFile?(environment: Readonly<Record<string, string | undefined>>): string | undefined;
  /** A question to a small model, without tools, hooks and conversation. `settings`: what that file says. */
  question(question: TriageQuestion, settings: string): HeadlessCommand;
  /** `failed`: why, in its own words. */
  readonly answered: (stdout: string) => QuestionAnswer | undefined;
}

/** A program that takes turns. Not all of them can also be watched in a terminal. */
export interface HeadlessProgram {
  /** Its name on a command line, and as a runner. */
  readonly name: string;
  readonly headless: Headless;
}

export type QuestionAnswer = { readonly answer: string; readonly usd?: number } | { readonly failed: string };

const LONGEST_DOING = 120;

/** One line, for a list. */
export function doing(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length > LONGEST_DOING ? `${line.slice(0, LONGEST_DOING - 1)}…` : line;
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined: the line is not an object in JSON. Programs also print plain warnings. */
export function fieldsIn(line: string): Fields | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function textIn(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === "string" ? value : undefined;
}

/** Its own id of its conversation, if it can be one. */
export function conversationIn(fields: Fields, key: string): string | undefined {
  return conversationId(textIn(fields, key));
}

const MOST_USD = 1_000_000;
const MOST_TOKENS = Number.MAX_SAFE_INTEGER;

/** What no turn can have cost does not count. */
export function usdIn(fields: Fields, key: string): number | undefined {
  const value = fields[key];
  return typeof value === "number" && value >= 0 && value <= MOST_USD ? value : undefined;
}

export function tokensIn(fields: Fields, key: string): number | undefined {
  const value = fields[key];
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

type Amounts = readonly (number | undefined)[];

/** Undefined: there is none among them. */
export const sumOfUsd = (...amounts: Amounts) => sum(amounts, MOST_USD);
export const sumOfTokens = (...amounts: Amounts) => sum(amounts, MOST_TOKENS);

function sum(amounts: Amounts, most: number): number | undefined {
  const given = amounts.filter((amount) => amount !== undefined);
  if (given.length === 0) return undefined;
  return given.reduce((all, one) => Math.min(all + one, most), 0);
}
