/**
 * Which keys answer a permission dialog, from the lines that it shows: yes, once, and no. Only a numbered menu with a
 * pointer whose question can be seen whole; anything else a person answers in the terminal. Pure.
 */
import { sanitiseLine, sanitiseText } from "../text/sanitise.ts";

export type DialogAnswer = "approve" | "deny";

export interface ShownDialog {
  readonly title: string;
  readonly fingerprint: string;
}

/** Names of keys. */
export type DialogKeys = Readonly<Record<DialogAnswer, readonly string[]>>;

export const LONGEST_QUESTION = 1_200;

interface Choice {
  readonly number: number;
  readonly isPointed: boolean;
  /** With the lines that it was wrapped into. */
  readonly text: string;
}

const CHOICE = /^([❯›]\s*)?(\d{1,2})\.\s+(\S.*)$/u;
const KEYS_NAMED = /^(?:esc|enter|tab|press enter)\b|\besc to \w+/iu;
/** A program that has not enough rows says so. */
const CUT = /^\[… \d+ lines?\]|^[↓↑]/u;
const NEXT_LINE = "⏎";
const SAYS_NOTHING = /^tip: /iu;
/** Nothing may follow: "Yes, and don't ask again" is more than a yes. */
const YES_ONCE = /^(?:yes|allow|approve)(?:,? (?:proceed|once|this time|just this once))?(?: \([a-z]\))?$/iu;
const NO = /^no\b(?!.*\b(?:always|never|ask again)\b)/iu;

/** Undefined if it cannot be told. `dismiss`: the keys that close a dialog of this program as a no. */
export function dialogKeys(dialog: ShownDialog, dismiss?: readonly string[]): DialogKeys | undefined {
  if (!showsAll(dialog)) return undefined;
  const { choices, below } = partsOf(dialog);
  const yes = choices.find(({ text }) => YES_ONCE.test(text));
  const no = choices.find(({ text }) => NO.test(text));
  const namesKeys = below.some((line) => KEYS_NAMED.test(line));
  const deny = no === undefined ? (namesKeys ? dismiss : undefined) : [keyOf(no)];
  if (yes === undefined || deny === undefined || deny.length === 0) return undefined;
  return deny.includes(keyOf(yes)) ? undefined : { approve: [keyOf(yes)], deny };
}

/** A numbered menu with a pointer, the question above it, and nothing that the program or Bellhop had to leave out. */
function showsAll(dialog: ShownDialog): boolean {
  const { above, choices } = partsOf(dialog);
  if (choices.length < 2 || choices.length > 9 || above.length < 2) return false;
  if (choices.filter(({ isPointed }) => isPointed).length !== 1) return false;
  return !linesOf(dialog).some((line) => CUT.test(line)) && !questionOf(dialog).isCut;
}

/** The key that the choice itself names, else its number. */
function keyOf({ number, text }: Choice): string {
  const named = /\(([a-z]|esc)\)$/iu.exec(text)?.[1];
  if (named === undefined) return String(number);
  return named.length === 1 ? named : "Escape";
}

/** What it asks, for a person who does not see the terminal. */
export function questionOf(dialog: ShownDialog): { readonly text: string; readonly isCut: boolean } {
  const { above } = partsOf(dialog);
  const whole = sanitiseText(above.filter((line) => !SAYS_NOTHING.test(line)).join("\n")).trim();
  const characters = [...whole];
  const isCut = characters.length > LONGEST_QUESTION;
  return { text: isCut ? `${characters.slice(0, LONGEST_QUESTION).join("")}…` : whole, isCut };
}

/**
 * All of it in one line, with its choices, for whoever presses keys from afar. Undefined if that is longer, if not all of it
 * is shown, or if a line of it could be taken for several.
 */
export function inOneLine(dialog: ShownDialog, longest: number): string | undefined {
  const lines = linesOf(dialog);
  if (!showsAll(dialog) || lines.some((line) => line.includes(NEXT_LINE))) return undefined;
  const whole = sanitiseLine(lines.join(` ${NEXT_LINE} `));
  return [...whole].length > longest ? undefined : whole;
}

/**
 * Whether nothing of it is above the screen: what fills the screen to its first row may have begun earlier, and nobody
 * may approve what they cannot see.
 */
export function isWhole({ title }: ShownDialog, rows: readonly string[]): boolean {
  const first = rows.map(withoutBars).find((row) => /[^╌\s]/u.test(row));
  return first !== undefined && first.replace(/\s+/gu, " ") !== withoutBars(title);
}

/** Some programs draw a bar beside a dialog, which is no part of its title. */
function withoutBars(row: string): string {
  return row.replace(/^[│┃\s]+|[│┃\s]+$/gu, "");
}

function linesOf({ title, fingerprint }: ShownDialog): readonly string[] {
  const all = fingerprint
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  // For a taught program the fingerprint is the whole screen. From the first such line on: rather too much than too little.
  return all.slice(Math.max(0, all.indexOf(title.trim())));
}

/** Only the last menu counts: what is asked about may contain one too. */
function partsOf(dialog: ShownDialog) {
  const lines = linesOf(dialog);
  const first = lines.findLastIndex((line) => CHOICE.exec(line)?.[2] === "1");
  if (first === -1) return { above: lines, choices: [], below: [] };
  const choices: Choice[] = [];
  const below: string[] = [];
  for (const line of lines.slice(first)) {
    const [, pointer, digits, text = ""] = CHOICE.exec(line) ?? [];
    const last = choices.at(-1);
    if (digits !== undefined)
      choices.push({ number: Number(digits), isPointed: pointer !== undefined, text: text.trim() });
    else if (below.length > 0 || KEYS_NAMED.test(line)) below.push(line);
    else if (last !== undefined) choices.splice(-1, 1, { ...last, text: `${last.text} ${line}` });
  }
  const inOrder = choices.every(({ number }, index) => number === index + 1);
  return { above: lines.slice(0, first), choices: inOrder ? choices : [], below };
}
