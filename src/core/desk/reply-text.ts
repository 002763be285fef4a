/** What a person wrote: whom they addressed in it, and what remains to be relayed. */
import { type Candidate, fold } from "./candidates.ts";
import type { DialogAnswer } from "./dialog-answers.ts";

export interface Tagged {
  readonly tag: string;
  readonly body: string;
}

const BRACKETS = /^\s*\[([^\]\n]{1,100})\][ \t]*(?:\n)?/u;
const AT_NAME = /^\s*@([\p{L}\p{N}][\p{L}\p{N}._:-]{0,79})[,:]?(?=\s|$)\s*/u;

/** `[tag] text` or `@name text`. */
export function tagOf(text: string): Tagged | undefined {
  const found = BRACKETS.exec(text) ?? AT_NAME.exec(text);
  const tag = found?.[1]?.replace(/[:.-]+$/u, "").trim();
  return found === null || tag === undefined || tag === ""
    ? undefined
    : { tag, body: text.slice(found[0].length).trim() };
}

/** The number of a choice, if the text is nothing else. */
export function choiceOf(text: string): number | undefined {
  const digits = /^\s*#?(\d{1,3})[.)]?\s*$/u.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function isUndo(text: string): boolean {
  return /^\s*undo[.!]?\s*$/iu.test(text);
}

export interface CodedAnswer {
  readonly answer: DialogAnswer;
  readonly code: string;
}

/** `yes k7x2qp`: the answer to one dialog, if the text is nothing else. Every code has a digit: "no thanks" has none. */
export function codedAnswerOf(text: string): CodedAnswer | undefined {
  const [, word, code] = /^\s*(yes|no|approve|deny)[,:]?\s+([a-z0-9]{6})[.!]?\s*$/iu.exec(text) ?? [];
  if (word === undefined || code === undefined || !isCode(code.toLowerCase())) return undefined;
  const answer = /^(?:yes|approve)$/iu.test(word) ? "approve" : "deny";
  return { answer, code: code.toLowerCase() };
}

/** A bare yes or no: the answer to a dialog only if it answers the message that asked. */
export function bareAnswerOf(text: string): DialogAnswer | undefined {
  const word = /^\s*(yes|no|approve|deny)[.!]?\s*$/iu.exec(text)?.[1]?.toLowerCase();
  if (word === undefined) return undefined;
  return word === "yes" || word === "approve" ? "approve" : "deny";
}

/** Whether a random id can be a code. */
export function isCode(id: string): boolean {
  return /^(?=.*\d)[a-z0-9]{6}$/u.test(id);
}

/** Instead of a code: no dialog at all, whatever it reads. */
export const NO_DIALOG = "none";

/** The two answers to one dialog have the same code. */
export function nonceOf({ answer, code }: CodedAnswer): string {
  return `${answer}-${code}`;
}

export function codeIn(nonce: string): string {
  return nonce.slice(nonce.indexOf("-") + 1);
}

const LEADS = /^(?:to|hey|hi|hello|ok|okay|dear)\s+/iu;
const LONGEST_LEAD = 120;

/**
 * The text without "To coder," at its beginning, if it literally names this one and something follows. Anything else
 * stays as it was written.
 */
export function withoutAddress(text: string, { agent, label }: Candidate): string {
  const mark = /[,:]/u.exec(text.slice(0, LONGEST_LEAD));
  if (mark === null) return text;
  const lead = text.slice(0, mark.index).trim().replace(LEADS, "");
  const rest = text.slice(mark.index + 1).trim();
  const isTheirs = fold(lead) === fold(agent) || fold(lead) === fold(label);
  return isTheirs && rest !== "" ? rest : text;
}
