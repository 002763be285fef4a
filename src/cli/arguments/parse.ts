/** Shell words → a command and its arguments, using Node's own tokeniser. */
import { parseArgs } from "node:util";
import { BellhopError } from "../../core/errors.ts";
import { present } from "../../core/present.ts";
import { didYouMean, nearest } from "../../core/text/nearest.ts";
import { type Arguments, COMMON_OPTIONS, type Command, type OptionSpec, usage } from "../command.ts";

export interface CommandLine {
  readonly command: Command;
  /** The names that lead to it: `["queue", "cancel"]`. */
  readonly path: readonly string[];
  readonly rest: readonly string[];
}

/** Descends into subcommands; common flags may come before a name. */
export function findCommand(argv: readonly string[], commands: readonly Command[]): CommandLine | undefined {
  let found: CommandLine | undefined;
  let rest = [...argv];
  for (let among: readonly Command[] | undefined = commands; among !== undefined; ) {
    const at = rest.findIndex((word) => !isCommonFlag(word));
    const name = at === -1 ? undefined : rest[at];
    const command: Command | undefined = among.find(
      (each) => each.name === name || (name !== undefined && each.aliases?.includes(name) === true),
    );
    if (command === undefined) return found;
    rest = rest.toSpliced(at, 1);
    found = { command, path: [...(found?.path ?? []), command.name], rest };
    among = command.subcommands;
  }
  return found;
}

export function wants(argv: readonly string[], flag: "json" | "help"): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).some(
    (word) => word === `--${flag}` || (flag === "help" && word === "-h"),
  );
}

export function unknownCommand(
  name: string,
  path: readonly string[],
  commands: readonly Command[],
): BellhopError {
  const known = commands.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  const meant = nearest(name, known);
  const before = ["bellhop", ...path].join(" ");
  return new BellhopError("usage.unknown_command", {
    message: `"${before}" has no command "${name}".`,
    next: meant === undefined ? `See "${before} --help".` : `Did you mean "${before} ${meant}"?`,
  });
}

export function parseArguments({ command, path, rest }: CommandLine): Arguments {
  const specs = { ...command.options, ...COMMON_OPTIONS };
  const tokens = rest.some(looksLikeOption) ? tokenise(rest, specs) : rest.map(asWord);
  const words: string[] = [];
  const literal = new Set<number>();
  const given = new Map<string, string[]>();
  let afterTerminator = false;
  for (const token of tokens) {
    switch (token.kind) {
      case "option-terminator":
        afterTerminator = true;
        break;
      case "positional":
        if (afterTerminator) literal.add(words.length);
        words.push(token.value);
        break;
      case "option":
        given.set(token.name, [...(given.get(token.name) ?? []), checkOption(token, specs, path)]);
        break;
    }
  }
  checkWords(words, command, path);
  return {
    words,
    isLiteral: (index) => literal.has(index),
    flag: (name) => given.has(name),
    given: (name) => given.has(name) || undefined,
    value: (name) => given.get(name)?.at(-1),
    values: (name) => given.get(name) ?? [],
    names: () => [...given.keys()],
  };
}

interface OptionToken {
  readonly kind: "option";
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

type Token =
  | OptionToken
  | { readonly kind: "positional"; readonly value: string }
  | { readonly kind: "option-terminator" };

/** Node loads its tokeniser on first use, which takes a millisecond that `send WHO TEXT` can avoid. */
function looksLikeOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

function asWord(value: string): Token {
  return { kind: "positional", value };
}

function tokenise(args: readonly string[], specs: Readonly<Record<string, OptionSpec>>): readonly Token[] {
  const options = Object.entries(specs).map(([name, { kind, short }]) => [
    name,
    { type: kind === "flag" ? "boolean" : "string", ...present({ short }) } as const,
  ]);
  // Not strict: its own errors know neither our options nor what was meant.
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  }).tokens;
}

function checkOption(
  { name, rawName, value, inlineValue }: OptionToken,
  specs: Readonly<Record<string, OptionSpec>>,
  path: readonly string[],
): string {
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
  if (spec === undefined) {
    const meant = nearest(name, Object.keys(specs));
    throw usage(
      `"bellhop ${path.join(" ")}" has no option "${rawName}".`,
      meant === undefined
        ? `See "bellhop ${path.join(" ")} --help". A text that starts with "-" goes after "--".`
        : `Did you mean "--${meant}"?`,
    );
  }
  if (spec.kind === "flag") {
    if (value !== undefined) throw usage(`${rawName} takes no value.`, `Write ${rawName} alone.`);
    return "";
  }
  if (value === undefined || (inlineValue === false && value.startsWith("-") && value !== "-")) {
    throw usage(
      `${rawName} needs a value.`,
      spec.takes === undefined
        ? `Write --${name} ${spec.value ?? "VALUE"}, or --${name}=${value ?? "…"}.`
        : `Write --${name} with ${spec.takes}.`,
    );
  }
  if (spec.choices !== undefined && !spec.choices.includes(value)) {
    throw usage(
      `${rawName} does not take "${value}".`,
      `${didYouMean(value, spec.choices)}It takes: ${spec.choices.join(", ")}.`,
    );
  }
  return value;
}

/** Nobody reads a longer hint. */
const LONGEST_ADVICE = 400;

function checkWords(words: readonly string[], command: Command, path: readonly string[]): void {
  const { least, most } = command.words ?? { least: 0, most: 0 };
  const [first] = words;
  if (words.length >= least && words.length <= most) {
    if (command.wordChoices === undefined || first === undefined || command.wordChoices.includes(first))
      return;
    throw usage(
      `"bellhop ${path.join(" ")}" does not take "${first}".`,
      `${didYouMean(first, command.wordChoices)}It takes: ${command.wordChoices.join(", ")}.`,
    );
  }
  if (words.length > most && first !== undefined && command.subcommands !== undefined) {
    throw unknownCommand(first, path, command.subcommands);
  }
  const name = `bellhop ${path.join(" ")}`;
  const forms = command.usage.map((form) => `bellhop ${form}`).join(", or ");
  if (words.length < least) throw usage(`"${name}" needs more than that.`, `Usage: ${forms}`);
  const quoted = [
    ...words.slice(0, Math.max(0, most - 1)),
    `"${words.slice(Math.max(0, most - 1)).join(" ")}"`,
  ].join(" ");
  throw usage(
    `"${name}" takes ${most === 0 ? "no words" : `at most ${most} ${most === 1 ? "word" : "words"}`}, not ${words.length}.`,
    most === 0 || quoted.length > LONGEST_ADVICE || !takesText(command)
      ? `Usage: ${forms}`
      : `Put quotes around a text of several words: ${name} ${quoted}`,
  );
}

/** Other commands take ids and names, which are one word each. */
function takesText({ usage: forms }: Command): boolean {
  return forms.some((form) => /"[^"]+"/u.test(form));
}

function isCommonFlag(word: string): boolean {
  return word === "--json" || word === "--help" || word === "-h";
}
