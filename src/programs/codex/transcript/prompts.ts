/** A person's text in a line of Codex's session file. Pure. */
import { type Fields, fieldsOf, textsIn } from "../../transcripts/line.ts";
import type { PromptSign } from "../../transcripts/reader.ts";

/** Only what Codex itself calls a user message: items with the role `user` also hold instructions for the model. */
export function readCodexLine(line: Fields): PromptSign | undefined {
  const payload = line.type === "event_msg" ? fieldsOf(line.payload) : undefined;
  if (payload?.type === "user_message" && typeof payload.message === "string") {
    return { as: "turn", texts: [payload.message] };
  }
  const item = payload?.type === "item_completed" ? fieldsOf(payload.item) : undefined;
  if (item?.type !== "UserMessage" || !Array.isArray(item.content)) return undefined;
  return { as: "turn", texts: textsIn(item.content, "text") };
}
