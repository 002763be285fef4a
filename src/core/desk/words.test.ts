import { expect, it } from "vitest";
import { ringLine } from "../doorbell.ts";
import {
  answeredDialogWords,
  askingWords,
  asksOftenWords,
  DIALOG_WORDS,
  deliveredWords,
  FLOOD_WORDS,
  finishedWords,
  followedUpWords,
  isBellhopsOwn,
  NOT_UNDONE,
  NOTHING_TO_UNDO,
  questionWords,
  refusalWords,
  relaySentences,
  TOO_MANY_QUESTIONS,
  UNDONE_UNSENT,
  unansweredDialogWords,
  unconfirmedPressWords,
  unconfirmedWords,
  undeliveredWords,
  undoneWords,
  unseenDialogWords,
  waitingWords,
} from "./words.ts";

const live = ["api", "web"].map((agent) => ({ session: agent, agent, label: `${agent}:0.0` }));
const label = "api:0.0";

it.each([
  deliveredWords(label, undefined),
  deliveredWords(label, "web"),
  unconfirmedWords(label),
  undeliveredWords(label, "it ended", live),
  refusalWords({ kind: "unknown-tag", tag: "x" }, live),
  refusalWords({ kind: "ended", agent: "api" }, live),
  refusalWords({ kind: "ended", agent: "api" }, []),
  refusalWords({ kind: "no-such-choice", choices: 2 }, live),
  refusalWords({ kind: "empty" }, live),
  refusalWords({ kind: "nobody" }, []),
  questionWords("what\nnow", live),
  TOO_MANY_QUESTIONS,
  UNDONE_UNSENT,
  undoneWords(label),
  followedUpWords(label),
  NOT_UNDONE,
  NOTHING_TO_UNDO,
  FLOOD_WORDS,
  askingWords("api", { kind: "permission", text: "rm x", answer: "buttons" }),
  askingWords("api", { kind: "question", text: "which?", answer: "terminal" }),
  askingWords("api", { kind: "permission", text: "rm x", answer: { code: "k7x2qp" } }),
  asksOftenWords("api"),
  waitingWords("api", ringLine(2, "api")),
  finishedWords("api", undefined),
  finishedWords("api", "It is done."),
  answeredDialogWords("approve", label),
  answeredDialogWords("deny", label),
  unansweredDialogWords(label, "it is gone"),
  unconfirmedPressWords(label),
  ...Object.values(DIALOG_WORDS),
  unseenDialogWords("k7x2qp"),
])("knows its own words again: %s", (words) => {
  expect(isBellhopsOwn(words)).toBe(true);
  expect(isBellhopsOwn(`(perhaps a repeat) ${words}\n`)).toBe(true);
  expect(isBellhopsOwn(words.replace(/\n/gu, "\r\n").replace(/^([✓✗⚠])/u, "$1\u{FE0F}"))).toBe(true);
});

it.each([
  "✓ done, thanks",
  "[api] asks too much",
  "[api] has finished early, look why",
  "Who is this for?",
  "yes k7x2qp",
  "Delivered to [api]?",
])("takes a person's for a person's: %s", (words) => {
  expect(isBellhopsOwn(words)).toBe(false);
});

it.each([
  [{ outcome: "relayed", rule: "tag", label }, 'The desk chose [api:0.0] by the rule "tag".'],
  [{ outcome: "undone", rule: "tag", label }, 'The desk chose [api:0.0] by the rule "tag"; it was undone.'],
  [{ outcome: "answered-dialog", label }, "The desk took it as the answer to the dialog of [api:0.0]."],
  [{ outcome: "undone", label }, "The desk told [api:0.0] to disregard what it had got."],
  [{ outcome: "refused" }, "The desk relayed it to nobody: it was refused."],
])("explains what became of it: %j", (decided, sentence) => {
  expect(relaySentences({ ...decided, considered: [] })).toEqual([sentence]);
});
