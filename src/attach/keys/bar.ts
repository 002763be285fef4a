/** The line in which a person writes before sending. Pure: a key in, the next bar out. */
import { assertNever } from "../../core/errors.ts";
import { LIMITS, type Priority } from "../../core/message.ts";
import type { Key } from "./keys.ts";

export interface Bar {
  readonly text: string;
  /** Where the next character goes, in UTF-16 units; never inside a character. */
  readonly at: number;
  readonly priority: Priority;
  /** Earlier texts, oldest first. */
  readonly said: readonly string[];
  /** Which of them is in the bar; `said.length` means the person's new text. */
  readonly recalled: number;
  /** The new text, while an earlier one is in the bar. */
  readonly draft: string;
}

export interface BarAnswer {
  /**
   * `submit`: Enter; the bar is unchanged and should be emptied once its text is accepted. `full`: there is no room for
   * the text. `unknown`: the key means nothing here.
   */
  readonly kind: "bar" | "submit" | "full" | "unknown";
  readonly bar: Bar;
}

export const BAR_LIMITS = { bytes: LIMITS.bodyBytes, said: 200 } as const;

/** The order in which Tab cycles: first those that wait longer, last the one that stops a turn. */
export const BAR_PRIORITIES: readonly Priority[] = ["normal", "idle-first", "idle", "interrupt"];

export const EMPTY_BAR: Bar = { text: "", at: 0, priority: "normal", said: [], recalled: 0, draft: "" };

export function pressInBar(bar: Bar, key: Key): BarAnswer {
  switch (key.kind) {
    case "nothing":
      return { kind: "bar", bar };
    case "text":
      return insert(bar, key.text);
    case "key": {
      if (key.name === "Enter") return { kind: "submit", bar };
      if (key.name === "C-j" || key.name === "M-Enter" || key.name === "S-Enter") return insert(bar, "\n");
      const press = Object.hasOwn(PRESSES, key.name) ? PRESSES[key.name] : undefined;
      return press === undefined ? { kind: "unknown", bar } : { kind: "bar", bar: press(bar) };
    }
    default:
      return assertNever(key);
  }
}

/** The text was accepted: an empty bar that remembers it. The next text is normal again: nothing interrupts twice. */
export function emptied(bar: Bar): Bar {
  const said = remembered(bar.said, bar.text);
  return { ...EMPTY_BAR, said, recalled: said.length };
}

/** Returns a text that could not be sent to the bar, or to the history if the person has begun another. */
export function givenBack(bar: Bar, text: string, priority: Priority): Bar {
  if (bar.text !== "") return bar;
  const said = bar.said.at(-1) === text ? bar.said.slice(0, -1) : bar.said;
  return { ...bar, text, at: text.length, priority, said, recalled: said.length, draft: "" };
}

function remembered(said: readonly string[], text: string): readonly string[] {
  if (text === "" || said.at(-1) === text) return said;
  return [...said, text].slice(-BAR_LIMITS.said);
}

function insert(bar: Bar, typed: string): BarAnswer {
  // An Escape or a C-c in pasted text would act as a key in the program.
  const text = typed.replace(/\r\n?/g, "\n").replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, "");
  const whole = bar.text.slice(0, bar.at) + text + bar.text.slice(bar.at);
  if (Buffer.byteLength(whole) > BAR_LIMITS.bytes) return { kind: "full", bar };
  return { kind: "bar", bar: edited(bar, whole, bar.at + text.length) };
}

const PRESSES: Readonly<Record<string, (bar: Bar) => Bar>> = {
  Tab: (bar) => nextPriority(bar, 1),
  BTab: (bar) => nextPriority(bar, -1),
  Left: (bar) => ({ ...bar, at: characterBefore(bar) }),
  Right: (bar) => ({ ...bar, at: characterAfter(bar) }),
  Home: (bar) => ({ ...bar, at: 0 }),
  End: (bar) => ({ ...bar, at: bar.text.length }),
  BSpace: (bar) => cutOut(bar, characterBefore(bar), bar.at),
  Delete: (bar) => cutOut(bar, bar.at, characterAfter(bar)),
  Up: (bar) => recall(bar, bar.recalled - 1),
  Down: (bar) => recall(bar, bar.recalled + 1),
  "M-b": (bar) => ({ ...bar, at: wordBefore(bar) }),
  "M-f": (bar) => ({ ...bar, at: wordAfter(bar) }),
  "M-d": (bar) => cutOut(bar, bar.at, wordAfter(bar)),
  "M-BSpace": (bar) => cutOut(bar, wordBefore(bar), bar.at),
  "C-u": (bar) => cutOut(bar, 0, bar.at),
  "C-k": (bar) => cutOut(bar, bar.at, bar.text.length),
  "C-w": (bar) => cutOut(bar, blankBefore(bar), bar.at),
  ...alias("Home", "C-a"),
  ...alias("End", "C-e"),
  ...alias("Left", "C-b"),
  ...alias("Right", "C-f"),
  ...alias("Delete", "C-d"),
  ...alias("Up", "C-p"),
  ...alias("Down", "C-n"),
  ...alias("M-b", "C-Left", "M-Left"),
  ...alias("M-f", "C-Right", "M-Right"),
};

function alias(name: string, ...others: readonly string[]): Record<string, (bar: Bar) => Bar> {
  return Object.fromEntries(others.map((other) => [other, (bar: Bar) => PRESSES[name]?.(bar) ?? bar]));
}

function nextPriority(bar: Bar, step: 1 | -1): Bar {
  const count = BAR_PRIORITIES.length;
  const next = BAR_PRIORITIES[(BAR_PRIORITIES.indexOf(bar.priority) + step + count) % count];
  return { ...bar, priority: next ?? "normal" };
}

function cutOut(bar: Bar, from: number, to: number): Bar {
  return edited(bar, bar.text.slice(0, from) + bar.text.slice(to), from);
}

/** Editing an earlier text makes it a new one; the text that was there before it was recalled is kept. */
function edited(bar: Bar, text: string, at: number): Bar {
  if (text === bar.text) return { ...bar, at };
  const said = bar.recalled === bar.said.length ? bar.said : remembered(bar.said, bar.draft);
  return { ...bar, text, at, said, recalled: said.length, draft: "" };
}

function recall(bar: Bar, wanted: number): Bar {
  if (wanted < 0 || wanted > bar.said.length) return bar;
  const draft = bar.recalled === bar.said.length ? bar.text : bar.draft;
  const text = wanted === bar.said.length ? draft : (bar.said[wanted] ?? "");
  return { ...bar, text, at: text.length, recalled: wanted, draft };
}

const CHARACTERS = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** No visible character is longer. */
const LONGEST_CHARACTER = 64;

function characterBefore({ text, at }: Bar): number {
  const from = Math.max(0, at - LONGEST_CHARACTER);
  const last = [...CHARACTERS.segment(text.slice(from, at))].at(-1);
  return last === undefined ? at : from + last.index;
}

function characterAfter({ text, at }: Bar): number {
  const [first] = CHARACTERS.segment(text.slice(at, at + LONGEST_CHARACTER));
  return at + (first?.segment.length ?? 0);
}

function wordBefore({ text, at }: Bar): number {
  return back(text, back(text, at, not(isLetter)), isLetter);
}

function wordAfter({ text, at }: Bar): number {
  return forth(text, forth(text, at, not(isLetter)), isLetter);
}

function blankBefore({ text, at }: Bar): number {
  return back(text, back(text, at, isBlank), not(isBlank));
}

type Test = (character: string) => boolean;

const isLetter: Test = (character) => /[\p{L}\p{N}\p{M}_]/u.test(character);
const isBlank: Test = (character) => /\s/u.test(character);

function not(test: Test): Test {
  return (character) => !test(character);
}

function back(text: string, from: number, goesOn: Test): number {
  let at = from;
  while (at > 0) {
    const isPair = /[\udc00-\udfff]/.test(text[at - 1] ?? "");
    const before = at - (isPair ? 2 : 1);
    if (!goesOn(text.slice(before, at))) break;
    at = before;
  }
  return at;
}

function forth(text: string, from: number, goesOn: Test): number {
  let at = from;
  while (at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (!goesOn(character)) break;
    at += character.length;
  }
  return at;
}
