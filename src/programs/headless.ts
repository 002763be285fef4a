/** How a program takes one turn without a terminal: its command line, and what its output means. Pure. */
import type { TriageQuestion, TurnOrder, TurnReport } from "../ports/runner.ts";

export interface HeadlessCommand {
  readonly words: readonly string[];
  readonly stdin: string;
  readonly environment?: Readonly<Record<string, string>>;
}

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

/** A number that can be added up: anything else a program may print does not count. */
export function amountIn(fields: Fields, key: string): number | undefined {
  const value = fields[key];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
