/**
 * Which keys answer a permission dialog, from the lines that it shows: yes, once, and no. Only a numbered menu with a
 * pointer whose question can be seen whole; anything else a person answers in the terminal. Pure.
 */
import { sanitiseText } from "../text/sanitise.ts";

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
const SAYS_NOTHING = /^tip: /iu;
/** Nothing may follow: "Yes, and don't ask again" is more than a yes. */
const YES_ONCE = /^(?:yes|allow|approve)(?:,? (?:proceed|once|this time|just this once))?(?: \([a-z]\))?$/iu;
const NO = /^no\b(?!.*\b(?:always|never|ask again)\b)/iu;

/** Undefined if it cannot be told. `dismiss`: the keys that close a dialog of this program as a no. */
export function dialogKeys(dialog: ShownDialog, dismiss?: readonly string[]): DialogKeys | undefined {
  const { above, choices, below } = partsOf(dialog);
  if (choices.length < 2 || choices.length > 9 || above.length < 2) return undefined;
  if (choices.filter(({ isPointed }) => isPointed).length !== 1) return undefined;
  if (linesOf(dialog).some((line) => CUT.test(line))) return undefined;
  if (questionOf(dialog).isCut) return undefined;
  const yes = choices.find(({ text }) => YES_ONCE.test(text));
  const no = choices.find(({ text }) => NO.test(text));
  const namesKeys = below.some((line) => KEYS_NAMED.test(line));
  const deny = no === undefined ? (namesKeys ? dismiss : undefined) : [keyOf(no)];
  if (yes === undefined || deny === undefined || deny.length === 0) return undefined;
  return deny.includes(keyOf(yes)) ? undefined : { approve: [keyOf(yes)], deny };
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
 * Whether nothing of it is above the screen: what fills the screen to its first row may have begun earlier, and nobody
 * may approve what they cannot see.
 */
export function isWhole({ title }: ShownDialog, rows: readonly string[]): boolean {
  const first = rows.find((row) => /[^╌\s]/u.test(row));
  return first !== undefined && first.trim().replace(/\s+/gu, " ") !== title.trim();
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
