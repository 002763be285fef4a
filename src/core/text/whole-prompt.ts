/**
 * Whether a submitted prompt is our text and nothing else. A prompt that has our header with other words around it, a
 * person's draft glued to it, proves no delivery: what the agent was told is not what was sent.
 */
import type { Attempt } from "../message.ts";
import { findTokens, mentions } from "./prompt-header.ts";

/** `alone`: ours, whole. `mixed`: our header with other text before or behind. `absent`: not in it. */
export type Carried = "alone" | "mixed" | "absent";

/** How a hook is written down that told of such a prompt, beside the one that says that a prompt was submitted. */
export const PROMPT_MIXED = "prompt-mixed";

export const SENT_WITH_OTHER_TEXT = "sent together with other text";

/**
 * What is left of a text when everything is gone that programs, screens and session files change on its way: white
 * space (a trailing blank is trimmed, a tab becomes blanks, U+2028 a newline, a screen wraps) and what cannot be seen.
 */
export function essence(text: string): string {
  return text.normalize("NFC").replace(/[\s\p{Cc}\p{Cf}\p{Variation_Selector}]+/gu, "");
}

export function carriedBy(
  prompt: string,
  attempt: Pick<Attempt, "transport" | "token" | "promptDigest" | "composerDigest">,
  digest: (text: string) => string,
): Carried {
  if (digest(prompt) === attempt.promptDigest) return "alone";
  // A native inbox never sees the composer, and wraps a text in words of its own.
  if (attempt.transport !== "paste" || attempt.composerDigest === undefined)
    return findTokens(prompt).includes(attempt.token) ? "alone" : "absent";
  if (digest(essence(prompt)) === attempt.composerDigest) return "alone";
  return mentions(prompt, attempt.token) ? "mixed" : "absent";
}

/**
 * In a session file. A program that was busy may write down several texts of its own queue as one turn: then ours is
 * whole where its header opens a line.
 */
export function carriedByTurn(
  text: string,
  attempt: Pick<Attempt, "transport" | "token" | "promptDigest" | "composerDigest" | "wasBusy">,
  digest: (text: string) => string,
): Carried {
  const carried = carriedBy(text, attempt, digest);
  return carried === "mixed" && attempt.wasBusy && findTokens(text).includes(attempt.token)
    ? "alone"
    : carried;
}
