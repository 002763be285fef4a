/** What the desk says to people outside: plain text, short enough for a phone. */
import type { AgentName } from "../message.ts";
import { FLOOD_LIMITS } from "../outside/flood.ts";
import type { AskKind } from "../readiness/question.ts";
import { sanitiseLine, sanitiseText } from "../text/sanitise.ts";
import { type Candidate, wordFor } from "./candidates.ts";
import type { DialogAnswer } from "./dialog-answers.ts";
import type { Considered, Refusal } from "./resolve.ts";

const LONGEST_LABEL = 60;
const MOST_LISTED = 20;
const LONGEST_QUOTE = 80;

export function deliveredWords(label: string, despite: AgentName | undefined): string {
  const note = despite === undefined ? "" : ` (by its tag, though you answered ${despite})`;
  return `✓ Delivered to [${shown(label)}]${note}`;
}

export function unconfirmedWords(label: string): string {
  return `⚠ Typed into [${shown(label)}], not confirmed`;
}

export function undeliveredWords(label: string, why: string, live: readonly Candidate[]): string {
  return `✗ Not delivered to [${shown(label)}]: ${sanitiseLine(why, 200)}\n${liveWords(live)}`;
}

export function refusalWords(refusal: Refusal, live: readonly Candidate[]): string {
  switch (refusal.kind) {
    case "unknown-tag":
      return `✗ Nobody is called "${shown(refusal.tag)}".\n${liveWords(live)}`;
    case "ended":
      return `✗ ${shown(refusal.agent)} is not running.\n${liveWords(live)}`;
    case "no-such-choice":
      return `✗ Answer with a number from 1 to ${refusal.choices}.`;
    case "empty":
      return `✗ There is no text to relay.\n${liveWords(live)}`;
    case "nobody":
      return "✗ No agent is running.";
  }
}

export function questionWords(body: string, choices: readonly Candidate[]): string {
  const lines = choices.slice(0, MOST_LISTED).map((one, index) => `${index + 1}. ${named(one, choices)}`);
  return [`Who is this for? "${quoted(body)}"`, ...lines, "Answer with the number, within 10 minutes."].join(
    "\n",
  );
}

export const TOO_MANY_QUESTIONS =
  '✗ Nobody got it: too many questions wait for your answer. Answer one, or name an agent, as in "[name] text".';

export function undoneWords(label: string): string {
  return `✓ Undone: [${shown(label)}] did not get it.`;
}

/** It was not yet known whom it was for. */
export const UNDONE_UNSENT = "✓ Undone: nobody got it.";

export function followedUpWords(label: string): string {
  return `It was delivered to [${shown(label)}] already. I told it to disregard it.`;
}

export const NOT_UNDONE = "✗ The answer to a permission cannot be undone. Nothing was changed.";

export const NOTHING_TO_UNDO = "There is nothing to undo: only the last minute can be undone.";

interface Decided {
  readonly outcome: string;
  readonly rule?: string;
  readonly label?: string;
}

/** For `explain`: what the desk did with an arrival, and why. */
export function relaySentences({
  considered,
  ...decided
}: Decided & { readonly considered: readonly Considered[] }): readonly string[] {
  return [decidedWords(decided), ...considered.map((one) => `${one.rule}: ${sanitiseLine(one.why, 200)}`)];
}

function decidedWords({ outcome, rule, label = "" }: Decided): string {
  if (rule !== undefined)
    return `The desk chose [${shown(label)}] by the rule "${rule}"${outcome === "undone" ? "; it was undone" : ""}.`;
  if (outcome === "answered-dialog")
    return `The desk took it as the answer to the dialog of [${shown(label)}].`;
  if (outcome === "undone" && label !== "")
    return `The desk told [${shown(label)}] to disregard what it had got.`;
  return `The desk relayed it to nobody: it was ${outcome}.`;
}

/** For the agent that got something by mistake. */
export function disregardWords(body: string): string {
  return `Please disregard my last message ("${quoted(body)}"). It was sent by mistake.`;
}

/** What the person is told where they are. */
export function askingWords(
  who: string,
  { kind, text, answer }: { readonly kind: AskKind; readonly text: string; readonly answer: HowToAnswer },
): string {
  const what = kind === "permission" ? "asks for a permission" : "asks";
  return [`[${shown(who)}] ${what}:`, text, ...howToAnswer(answer)].join("\n");
}

/** Said once, instead of each further question. */
export function asksOftenWords(who: string): string {
  return `[${shown(who)}] asks often: for a while, not every question is told here.\nAll of them: bellhop attention`;
}

/** Said once for messages that nothing can hand over. */
export function waitingWords(who: string, line: string): string {
  return `[${shown(who)}] cannot be reached.\n${line}`;
}

/** By buttons under it, by a code, or only in the terminal. */
export type HowToAnswer = "buttons" | "terminal" | { readonly code: string };

function howToAnswer(answer: HowToAnswer): readonly string[] {
  if (answer === "buttons") return [];
  return [
    answer === "terminal"
      ? "Answer it in its terminal."
      : `Reply "yes ${answer.code}" or "no ${answer.code}".`,
  ];
}

const LONGEST_LAST_WORDS = 1_200;

export function finishedWords(who: string, lastWords: string | undefined): string {
  const said = [...sanitiseText(lastWords ?? "").trim()];
  if (said.length === 0) return `[${shown(who)}] has finished.`;
  const isCut = said.length > LONGEST_LAST_WORDS;
  const text = isCut ? `${said.slice(0, LONGEST_LAST_WORDS).join("")}…` : said.join("");
  return `[${shown(who)}] has finished:\n${text}`;
}

export function answeredDialogWords(answer: DialogAnswer, label: string): string {
  return `✓ ${answer === "approve" ? "Approved" : "Denied"} in [${shown(label)}]`;
}

export function unansweredDialogWords(label: string, why: string): string {
  return `✗ Nothing was pressed in [${shown(label)}]: ${sanitiseLine(why, 200)}`;
}

export function unconfirmedPressWords(label: string): string {
  return `⚠ Pressed in [${shown(label)}], not confirmed`;
}

export function perhapsPressedWords(label: string): string {
  return `⚠ Bellhop was interrupted while it pressed in [${shown(label)}]. Look there whether the dialog is answered.`;
}

export const DIALOG_WORDS = {
  closed: "⚠ That dialog is closed already. Nothing was pressed.",
  changed: "⚠ The terminal shows something else by now. Nothing was pressed.",
  unknown: "✗ This answers no dialog. Nothing was pressed.",
  used: "⚠ That dialog was answered already. Nothing was pressed.",
  expired: "⚠ That message is too old to be answered. Nothing was pressed.",
  unseen: "⚠ The terminal cannot be read now. Nothing was pressed.",
} as const;

/** The buttons are gone once one was pressed; the code still answers. */
export function unseenDialogWords(code: string): string {
  return `${DIALOG_WORDS.unseen}\nTo try again, reply "yes ${code}" or "no ${code}".`;
}

export const FLOOD_WORDS = `⚠ Too many messages: after ${FLOOD_LIMITS.arrivals} in a minute the rest is not relayed. It is kept: bellhop unmatched`;

/** How everything begins that is said here; a page may have a code under it. */
const OWN_WORDS: readonly RegExp[] = [
  /^✓ (?:Delivered to|Undone:|Approved in|Denied in) \[/u,
  /^✓ Undone: nobody got it\./u,
  /^✗ (?:Not delivered to|Nothing was pressed in) \[/u,
  /^✗ (?:Nobody is called "|There is no text to relay\.|No agent is running\.|Answer with a number from 1 to )/u,
  /^✗ .{1,60} is not running\.\n(?:Running: \[|No agent is running\.)/u,
  /^⚠ (?:Typed into|Pressed in) \[/u,
  /^(?:⚠|✗) .{1,80} Nothing was pressed(?:: try again)?\.(?:$|\n)/u,
  /^⚠ Too many messages: after \d+ in a minute /u,
  /^✗ Nobody got it: too many questions wait for your answer\./u,
  /^Who is this for\? ".*"\n1\. /u,
  /^It was delivered to \[.{1,60}\] already\. I told it to disregard it\./u,
  /^✗ The answer to a permission cannot be undone\./u,
  /^There is nothing to undo: only the last minute/u,
  /^\[.{1,60}\] (?:asks for a permission|asks|has finished):\n/u,
  /^\[.{1,60}\] has finished\.$/u,
  /^\[.{1,60}\] cannot be reached\.\n/u,
  /^\[.{1,60}\] asks often: for a while, not every question is told here\./u,
];

/** Whether a Bellhop said this of itself, here or elsewhere: it is no person's word. */
export function isBellhopsOwn(text: string): boolean {
  const plain = text.replace(/\p{Cf}|\u{FE0E}|\u{FE0F}|\r/gu, "").trim();
  const said = plain.replace(/^\(perhaps a repeat\) /u, "");
  return OWN_WORDS.some((words) => words.test(said));
}

function liveWords(live: readonly Candidate[]): string {
  if (live.length === 0) return "No agent is running.";
  const names = live.slice(0, MOST_LISTED).map((one) => `[${named(one, live)}]`);
  return `Running: ${names.join(" ")}${live.length > MOST_LISTED ? " …" : ""}`;
}

function named(candidate: Candidate, among: readonly Candidate[]): string {
  return shown(wordFor(candidate, among));
}

function shown(label: string): string {
  return sanitiseLine(label, LONGEST_LABEL);
}

function quoted(body: string): string {
  return sanitiseLine(body.replace(/\s+/gu, " "), LONGEST_QUOTE);
}
