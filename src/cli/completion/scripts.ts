/**
 * Shell completion, generated from the specs that parse the command line. At Tab, names and ids are requested from the
 * daemon through `bellhop completions words`.
 */
import { assertNever } from "../../core/errors.ts";
import type { Command } from "../command.ts";
import { fish } from "./fish.ts";
import type { Offer } from "./offers.ts";
import { FILES, offersByPlace, type Place, places, valued } from "./places.ts";

export type Shell = "bash" | "zsh" | "fish";

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const all = places(commands);
  switch (shell) {
    case "bash":
      return bash(all);
    case "zsh":
      return zsh(all);
    case "fish":
      return fish(all);
    default:
      return assertNever(shell);
  }
}

function wordsAt(place: Place): string {
  return [...place.words.map(({ word }) => word), ...place.options.map(([name]) => `--${name}`)].join(" ");
}

/** The choices of `--priority`, wherever it occurs. */
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

/**
 * The words after `bellhop` that are not options determine the place; the longest known path wins. bash splits words at
 * a colon, and completes only what follows it.
 */
function bash(all: readonly Place[]): string {
  return `# bellhop completion for bash
_bellhop() {
  local place="" at count=0 words="" offer="" only="" id part glue="" cut=""
  local -a line=()
  for ((at = 0; at <= COMP_CWORD; at++)); do
    part="\${COMP_WORDS[at]}"
    if [ "$part" = : ] || { [ -n "$glue" ] && [ -n "$part" ]; }; then line[\${#line[@]}-1]+="$part"; else line+=("$part"); fi
    if [ "$part" = : ]; then glue=yes; else glue=""; fi
  done
  local last=$((\${#line[@]} - 1))
  local word="\${line[last]}" before="\${line[last-1]}"
  [ "$word" = "\${COMP_WORDS[COMP_CWORD]}" ] || cut="\${word%"\${word##*:}"}"
${walkDown(all, { list: "line", first: 1, end: "last" })}
  case "$before" in
${choices(all)
  .map(
    ([name, values]) =>
      `    --${name}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$word")); return ;;`,
  )
  .join("\n")}
    ${files()}) COMPREPLY=($(compgen -f -- "$word")); COMPREPLY=("\${COMPREPLY[@]#"$cut"}"); return ;;
  esac
${offerHere(all, "last")}
  case "$place" in
${all.map((place) => `    "${place.path}") words="${wordsAt(place)}" ;;`).join("\n")}
  esac
  [ -n "$only" ] && words=""
  if [ -n "$offer" ] && [ "\${word#-}" = "$word" ]; then
    while IFS=$'\\t' read -r id _; do words="$words $id"; done < <(bellhop completions words "$offer" 2>/dev/null)
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  COMPREPLY=("\${COMPREPLY[@]#"$cut"}")
}
complete -F _bellhop bellhop
`;
}

/** Finds the place and how many plain words follow it: the same in both shells. */
function walkDown(
  all: readonly Place[],
  { list, first, end }: { readonly list: string; readonly first: number; readonly end: string },
): string {
  const steps = all
    .filter(({ path }) => path !== "")
    .map(
      ({ path }) =>
        `      "${path.includes(" ") ? path : ` ${path}`}") place="${path}"; count=0; continue ;;`,
    );
  return `  for ((at = ${first}; at < ${end}; at++)); do
    case "$place \${${list}[at]}" in
${steps.join("\n")}
    esac
    case "\${${list}[at]}" in
      ${valued(all).join("|")}) at=$((at + 1)) ;;
      -*) ;;
      *) count=$((count + 1)) ;;
    esac
  done`;
}

/** An option's value comes first: it is where a word would be. */
function offerHere(all: readonly Place[], end: string): string {
  const arms = (patterns: readonly string[], offer: Offer) =>
    patterns.length === 0
      ? []
      : [`    ${patterns.map((pattern) => `"${pattern}"`).join("|")}) offer=${offer} ;;`];
  const isOption = (at: string) => at.includes(":--");
  const isRepeated = (at: string) => at.endsWith(":+");
  const byPlace = offersByPlace(all);
  const values = byPlace.flatMap(([offer, at]) => arms(at.filter(isOption), offer));
  const words = byPlace.flatMap(([offer, at]) =>
    arms(
      at.filter((each) => !isOption(each) && !isRepeated(each)),
      offer,
    ),
  );
  const repeated = byPlace.flatMap(([offer, at]) =>
    arms(
      at.filter(isRepeated).map((each) => each.slice(0, -":+".length)),
      offer,
    ),
  );
  return `  case "$place" in
${repeated.join("\n")}
  esac
  case "$place:$count" in
${words.join("\n")}
  esac
  if [ "$at" -gt "$${end}" ]; then
    only=yes offer=""
    case "$place:$before" in
${values.join("\n")}
    esac
  fi`;
}

function zsh(all: readonly Place[]): string {
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
  local place="" at count=0 offer="" only="" before="\${words[CURRENT-1]}"
  local -a found names
${walkDown(all, { list: "words", first: 2, end: "CURRENT" })}
  case "$before" in
${choices(all)
  .map(([name, values]) => `    --${name}) compadd -- ${values.join(" ")}; return ;;`)
  .join("\n")}
    ${files()}) _files; return ;;
  esac
${offerHere(all, "CURRENT")}
  if [[ -n "$offer" && "\${words[CURRENT]}" != -* ]]; then
    for at in "\${(@f)$(bellhop completions words "$offer" 2>/dev/null)}"; do
      [[ -n "$at" ]] && names+=("\${\${at%%$'\\t'*}//:/\\\\:}:\${at#*$'\\t'}")
    done
    (( $#names )) && _describe -V "$offer" names
  fi
  [[ -n "$only" ]] && return
  case "$place" in
${all.map((place) => `    "${place.path}") found=(${described(place)}) ;;`).join("\n")}
  esac
  _describe 'bellhop' found
}
compdef _bellhop bellhop
`;
}
