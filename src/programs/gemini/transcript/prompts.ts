/** A person's text in an entry of Gemini CLI's session file. Pure. */
import { findTokens } from "../../../core/text/prompt.ts";
import { type Fields, fieldsOf, textIn } from "../../transcripts/line.ts";
import type { PromptSign } from "../../transcripts/reader.ts";

/** What it tells the model in the user's name: where it works, and what hooks add. */
const ADDED_BY_GEMINI = /^\s*<(?:session_context|hook_context)>/u;

/**
 * Only entries of their own: after Escape it writes the whole conversation anew into one line, without the prompt that
 * was stopped.
 */
export function readGeminiLine(line: Fields): PromptSign | undefined {
  const texts = line.type === "user" ? [...textsIn(line.content), ...addedTo(line.content)] : [];
  return texts.length === 0 ? undefined : { as: "turn", texts };
}

const OPENS = "<hook_context>";
const CLOSES = "</hook_context>";

/** What our own hooks added to the results of tools. Other people's hooks add theirs, which nobody sent to the agent. */
function addedTo(content: unknown): readonly string[] {
  const results = (Array.isArray(content) ? content : []).map((part: unknown) =>
    textIn(fieldsOf(fieldsOf(part)?.functionResponse)?.response),
  );
  return results
    .flatMap((result) => additionsIn(result).map(unescaped))
    .filter((text) => findTokens(text).length > 0);
}

/** Each character is looked at once: a result may be of any size, and full of tags that are never closed. */
function additionsIn(result: string): readonly string[] {
  const found: string[] = [];
  for (let opens = result.indexOf(OPENS); opens !== -1; ) {
    const from = opens + OPENS.length;
    const closes = result.indexOf(CLOSES, from);
    if (closes === -1) break;
    found.push(result.slice(from, closes));
    opens = result.indexOf(OPENS, closes + CLOSES.length);
  }
  return found;
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">");
}

/** The texts of an entry, as a string or in parts; tool results are parts too, but have no text. */
export function textsIn(content: unknown): readonly string[] {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }];
  return parts
    .map((part) => fieldsOf(part)?.text)
    .filter((text) => typeof text === "string")
    .filter((text) => !ADDED_BY_GEMINI.test(text));
}
