/**
 * Whether a submitted prompt is our text and nothing else. A prompt with our header and other words around it, such
 * as a person's draft, proves no delivery: what the agent was told is not what was sent.
 */
import type { Attempt } from "../message.ts";
import { findTokens, mentions } from "./prompt-header.ts";

/** `alone`: only ours, complete. `mixed`: our header with other text before or after it. `absent`: not in it. */
export type Carried = "alone" | "mixed" | "absent";

/** The name under which a hook of such a prompt is recorded, next to the one that a prompt was submitted. */
export const PROMPT_MIXED = "prompt-mixed";

export const SENT_WITH_OTHER_TEXT = "sent together with other text";

/**
 * A text without everything that programs, screens and session files change on the way: white space (a trailing blank
 * is trimmed, a tab becomes blanks, U+2028 a newline, a screen wraps) and invisible characters.
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
  // A native inbox bypasses the composer and wraps the text in its own words.
  if (attempt.transport !== "paste" || attempt.composerDigest === undefined)
    return findTokens(prompt).includes(attempt.token) ? "alone" : "absent";
  if (digest(essence(prompt)) === attempt.composerDigest) return "alone";
  return mentions(prompt, attempt.token) ? "mixed" : "absent";
}

/**
 * For a session file. A busy program may record several texts of its queue as one turn: then ours is complete if its
 * header starts a line.
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
