/** The answers to a recipe's questions: from options, files, stdin, or a person. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { BellhopError } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { type Arguments, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { askLine, askSecret } from "./prompting.ts";
import type { Question, Recipe } from "./recipes.ts";

export interface Answered {
  readonly answers: Readonly<Record<string, string | undefined>>;
  /** By the file that will hold each. */
  readonly secrets: ReadonlyMap<string, string>;
}

export type Asking = "at-terminal" | "never";

const MOST_TRIES = 3;
/** What another answer may mend. */
const MENDABLE: readonly string[] = ["bridge.refused", "config.invalid"];
const LONGEST_SECRET = 64 * 1024;
/** Options that every bridge takes. */
const SHARED = ["json", "help", "yes", "person"];

/**
 * At a terminal somebody whose secret is refused is asked again: if they were not, the next one that they paste would be
 * shown by their shell.
 */
export async function untilAccepted<Result>(
  context: CommandContext,
  args: Arguments,
  recipe: Recipe,
  asking: Asking,
  attempt: (answered: Answered) => Promise<Result>,
): Promise<Result> {
  const isAsked = ({ secret, name }: Question) =>
    secret !== undefined && args.value(name) === undefined && args.value(`${name}-file`) === undefined;
  const tries = asking === "at-terminal" && recipe.questions.some(isAsked) ? MOST_TRIES : 1;
  for (let count = 1; ; count += 1) {
    const answered = await answersTo(context, args, recipe, asking);
    try {
      return await attempt(answered);
    } catch (error) {
      if (!(error instanceof BellhopError) || !MENDABLE.includes(error.code) || count >= tries) throw error;
      context.out.note(`✗ ${sanitiseLine(error.message)}`);
      context.out.note("Try again, or press Ctrl+C.");
    }
  }
}

async function answersTo(
  context: CommandContext,
  args: Arguments,
  recipe: Recipe,
  asking: Asking,
): Promise<Answered> {
  refuseOthers(args, recipe);
  const answers: Record<string, string | undefined> = {};
  const secrets = new Map<string, string>();
  for (const question of recipe.questions) {
    const { secret, name } = question;
    if (secret === undefined) {
      const answer = await plainAnswer(args, recipe, question, asking, answers);
      const isPath = question.isFile === true && answer !== undefined;
      answers[name] = isPath ? resolve(context.folder(), answer) : answer;
    } else secrets.set(secret(answers), await secretAnswer(context, args, recipe, question, asking));
  }
  return { answers, secrets };
}

/** The options that answer one question. */
export function optionsOf({ name, secret }: Question): readonly string[] {
  return secret === undefined ? [name] : [name, `${name}-file`];
}

function refuseOthers(args: Arguments, recipe: Recipe): void {
  const known = new Set([...SHARED, ...recipe.questions.flatMap(optionsOf)]);
  const strange = args.names().find((name) => !known.has(name));
  if (strange === undefined) return;
  const own = recipe.questions.flatMap(optionsOf).map((name) => `--${name}`);
  throw usage(`--${strange} does not go with ${recipe.name}.`, `It takes: ${own.join(", ")}.`);
}

async function plainAnswer(
  args: Arguments,
  recipe: Recipe,
  { name, ask, otherwise, optional }: Question,
  asking: Asking,
  known: Answered["answers"],
): Promise<string | undefined> {
  const given = args.value(name);
  if (given !== undefined) return given.trim();
  const standard = otherwise?.(known);
  if (asking === "at-terminal" && ask !== undefined) {
    const hint = standard === undefined ? (optional ? " (or Enter)" : "") : ` [${standard}]`;
    const said = await askLine(`${ask}${hint}`);
    if (said !== "") return said;
  }
  if (standard !== undefined || optional) return standard;
  throw missing(recipe, `--${name}`);
}

async function secretAnswer(
  context: CommandContext,
  args: Arguments,
  recipe: Recipe,
  { name, ask = name }: Question,
  asking: Asking,
): Promise<string> {
  const [inline, file] = [args.value(name), args.value(`${name}-file`)];
  if (inline !== undefined && inline !== "-")
    throw usage(
      `A secret on the command line can be seen by others: --${name} takes only "-", for stdin.`,
      `Write it into a file for --${name}-file. As it was seen, get a new one.`,
    );
  if (inline !== undefined)
    return checked((await context.readStdin(LONGEST_SECRET)).toString("utf8"), "stdin");
  if (file !== undefined) return checked(readSecretFrom(resolve(context.folder(), file)), `--${name}-file`);
  if (asking === "at-terminal") return checked(await askSecret(ask), "the answer");
  throw missing(recipe, `--${name}-file FILE, or --${name} - to read it from stdin`);
}

function readSecretFrom(path: string): string {
  try {
    if (statSync(path).size > LONGEST_SECRET)
      throw usage(`${path} is too long.`, "Give the file with the secret.");
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || code.includes(".")) throw error;
    throw usage(`${path} cannot be read (${code}).`, "Give a file that you may read.");
  }
}

function checked(text: string, where: string): string {
  const secret = text.trim();
  if (secret !== "" && !/[\r\n\0]/.test(secret)) return secret;
  throw usage(`The secret from ${where} is empty or has several lines.`, "Give one line, the secret alone.");
}

function missing({ name }: Recipe, what: string) {
  return usage(`"bellhop bridge add ${name}" needs ${what}.`, "At a terminal it asks for what is missing.");
}
