/** A person's text in a line of Codex's session file. Pure. */
import { findTokens } from "../../../core/text/prompt.ts";
import { type Fields, fieldsOf, textsIn } from "../../transcripts/line.ts";
import type { PromptSign } from "../../transcripts/reader.ts";

/**
 * Only what Codex itself calls a user message: items with the role `user` also hold instructions for the model. And
 * what our own hooks added, which it records as instructions or as a prompt of the hook.
 */
export function readCodexLine(line: Fields): PromptSign | undefined {
  if (line.type === "response_item") return ourInstructions(fieldsOf(line.payload));
  const payload = line.type === "event_msg" ? fieldsOf(line.payload) : undefined;
  if (payload?.type === "user_message" && typeof payload.message === "string") {
    return { as: "turn", texts: [payload.message] };
  }
  const item = payload?.type === "item_completed" ? fieldsOf(payload.item) : undefined;
  if (item?.type === "HookPrompt") return ours(hookTexts(item.fragments));
  if (item?.type !== "UserMessage" || !Array.isArray(item.content)) return undefined;
  return { as: "turn", texts: textsIn(item.content, "text") };
}

function ourInstructions(message: Fields | undefined): PromptSign | undefined {
  if (message?.type !== "message" || message.role !== "developer") return undefined;
  return ours(textsIn(message.content, "input_text"));
}

function hookTexts(fragments: unknown): readonly string[] {
  return (Array.isArray(fragments) ? fragments : []).flatMap((fragment: unknown) => {
    const text = fieldsOf(fragment)?.text;
    return typeof text === "string" ? [text] : [];
  });
}

function ours(texts: readonly string[]): PromptSign | undefined {
  const own = texts.filter((text) => findTokens(text).length > 0);
  return own.length === 0 ? undefined : { as: "turn", texts: own };
}
