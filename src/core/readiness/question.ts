/**
 * What a program asks the person, from a reading of its screen: a permission or a question, in a few words. Pure.
 * The same question gives the same key, even while the person moves among its choices or types into one.
 */

import { sanitiseLine } from "../text/sanitise.ts";
import type { Reading } from "./reading.ts";
import type { ReadinessState } from "./state.ts";

export type AskKind = "permission" | "question";

export interface Asked {
  readonly kind: AskKind;
  /** One line, for people. */
  readonly text: string;
  readonly key: string;
}

export const LONGEST_ASKED = 200;
const MOST_LINES = 5;

/** Undefined if it asks nothing. */
export function askedOn(reading: Reading): Asked | undefined {
  const shown =
    reading.kind === "dialog" ? reading.fingerprint : reading.kind === "unknown" ? reading.asks : undefined;
  if (shown === undefined) return undefined;
  const whole = shown
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  // For a taught program this is the whole screen: what is above the question does not belong to it.
  const first = reading.kind === "dialog" ? whole.lastIndexOf(reading.title.trim()) : 0;
  const lines = whole.slice(Math.max(0, first));
  const firstChoice = lines.findIndex((line) => CHOICE.test(line));
  const above = firstChoice === -1 ? lines : lines.slice(0, firstChoice);
  const said = above.filter((line) => !SAYS_NOTHING.test(line)).map((line) => line.replace(TICK_BOX, ""));
  const words = (said.length > 0 ? said : lines).slice(0, MOST_LINES).join(" · ");
  const text = sanitiseLine(words, LONGEST_ASKED);
  return {
    kind: kindOf(lines),
    text: text === "" ? "a dialog is open" : text,
    key: above.join("\n"),
  };
}

/** While an answer is typed, a taught program shows it after the question. */
export function isSameQuestion(before: Asked | undefined, now: Asked): boolean {
  return before !== undefined && (now.key.startsWith(before.key) || before.key.startsWith(now.key));
}

/** A menu opened while the program was idle, such as a choice of models: only a person can have opened it. */
export function isOpenedByPerson({ hooked, beneath }: ReadinessState): boolean {
  return hooked && beneath?.concluded === "idle";
}

/** A pointer, or a number. */
const CHOICE = /^(?:[❯›]\s|[↓↑]?\s*\d+\.\s)/u;
const TICK_BOX = /^[☐☒✔]\s*/u;
/** Lines that are the same for every permission. */
const SAYS_NOTHING =
  /^(?:tip: |this command requires approval|do you want to proceed\?|environment: local$)|\besc to cancel\b/iu;
const ASKS_LEAVE =
  /^(?:[❯›]\s*)?(?:\d+\.\s*)?(?:yes\b|allow\b|approve\b)|\b(?:allow|approve|permission|proceed)\b/iu;
const OWN_WORDS = /^(?:[❯›]\s*)?(?:\d+\.\s*)?type something|^[☐☒]/iu;

function kindOf(lines: readonly string[]): AskKind {
  if (lines.some((line) => OWN_WORDS.test(line))) return "question";
  return lines.some((line) => ASKS_LEAVE.test(line)) ? "permission" : "question";
}
