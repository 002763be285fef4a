/** Shell completion out of the same specs that parse the command line. */
import { assertNever } from "../core/errors.ts";
import { COMMON_OPTIONS, type Command, type OptionSpec } from "./command.ts";

export type Shell = "bash" | "zsh" | "fish";

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  switch (shell) {
    case "bash":
      return bash(commands);
    case "zsh":
      return zsh(commands);
    case "fish":
      return fish(commands);
    default:
      return assertNever(shell);
  }
}

/** Options whose value is a file. */
const FILES = ["file", "output"];

interface Place {
  /** `""`, `queue`, `queue cancel`. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  readonly options: readonly (readonly [string, OptionSpec])[];
}

function places(commands: readonly Command[]): readonly Place[] {
  const names = (each: readonly Command[]) =>
    each.flatMap(({ name, aliases = [], summary }) => [name, ...aliases].map((word) => ({ word, summary })));
  const walk = (path: string, command: Command): readonly Place[] => [
    {
      path,
      words: [
        ...names(command.subcommands ?? []),
        ...(command.wordChoices ?? []).map((word) => ({ word, summary: "" })),
      ],
      options: Object.entries({ ...command.options, ...COMMON_OPTIONS }),
    },
    ...(command.subcommands ?? []).flatMap((inner) => walk(`${path} ${inner.name}`, inner)),
  ];
  return [
    { path: "", words: names(commands), options: Object.entries(COMMON_OPTIONS) },
    ...commands.flatMap((command) =>
      [command.name, ...(command.aliases ?? [])].flatMap((name) => walk(name, command)),
    ),
  ];
}

function wordsAt(place: Place): string {
  return [...place.words.map(({ word }) => word), ...place.options.map(([name]) => `--${name}`)].join(" ");
}

/** `--priority`'s choices, wherever it stands. */
function choices(all: readonly Place[]): readonly (readonly [string, readonly string[]])[] {
  const found = new Map<string, readonly string[]>();
  for (const { options } of all) {
    for (const [name, spec] of options) if (spec.choices !== undefined) found.set(name, spec.choices);
  }
  return [...found];
}

function files(): string {
  return FILES.map((name) => `--${name}`).join("|");
}

/** Words that are no options, after `bellhop`, tell the place; the longest known path wins. */
function bash(commands: readonly Command[]): string {
  const all = places(commands);
  return `# bellhop completion for bash
_bellhop() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place="" at
  case "$before" in
${choices(all)
  .map(
    ([name, values]) =>
      `    --${name}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$word")); return ;;`,
  )
  .join("\n")}
    ${files()}) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$place \${COMP_WORDS[at]}" in
${stepsDown(all)}
    esac
  done
  case "$place" in
${all.map((place) => `    "${place.path}") COMPREPLY=($(compgen -W "${wordsAt(place)}" -- "$word")) ;;`).join("\n")}
  esac
}
complete -F _bellhop bellhop
`;
}

/** A word that is a place of its own, behind the place where one is: the same in both shells. */
function stepsDown(all: readonly Place[]): string {
  return all
    .filter(({ path }) => path !== "")
    .map(({ path }) => `      "${path.includes(" ") ? path : ` ${path}`}") place="${path}" ;;`)
    .join("\n");
}

function zsh(commands: readonly Command[]): string {
  const all = places(commands);
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const described = (place: Place) =>
    [
      ...place.words.map(({ word, summary }) => `${word}:${summary}`),
      ...place.options.map(([name, { summary }]) => `--${name}:${summary}`),
    ]
      .map(quote)
      .join(" ");
  return `#compdef bellhop
# bellhop completion for zsh
_bellhop() {
  local place="" at
  local -a found
  case "\${words[CURRENT-1]}" in
${choices(all)
  .map(([name, values]) => `    --${name}) compadd -- ${values.join(" ")}; return ;;`)
  .join("\n")}
    ${files()}) _files; return ;;
  esac
  for ((at = 2; at < CURRENT; at++)); do
    case "$place \${words[at]}" in
${stepsDown(all)}
    esac
  done
  case "$place" in
${all.map((place) => `    "${place.path}") found=(${described(place)}) ;;`).join("\n")}
  esac
  _describe 'bellhop' found
}
compdef _bellhop bellhop
`;
}

function fish(commands: readonly Command[]): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = ["# bellhop completion for fish", "complete -c bellhop -f"];
  for (const place of places(commands)) {
    const names = place.path.split(" ").filter(Boolean);
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ");
    const inner = place.words.map(({ word }) => word).join(" ");
    const here = seen === "" ? "__fish_use_subcommand" : seen;
    const condition =
      names.length === 1 && inner !== "" ? `${here}; and not __fish_seen_subcommand_from ${inner}` : here;
    for (const { word, summary } of place.words) {
      lines.push(`complete -c bellhop -n ${quote(condition)} -a ${word} -d ${quote(summary)}`);
    }
    for (const [name, { short, kind, choices: values, summary }] of place.options) {
      const parts = [`complete -c bellhop -n ${quote(here)} -l ${name}`];
      if (short !== undefined) parts.push(`-s ${short}`);
      if (kind === "value") parts.push(values === undefined ? "-r" : `-x -a ${quote(values.join(" "))}`);
      if (FILES.includes(name)) parts.push("-F");
      parts.push(`-d ${quote(summary)}`);
      lines.push(parts.join(" "));
    }
  }
  return `${lines.join("\n")}\n`;
}
