/** A person's or a peer's text in a line of Claude Code's session file. Pure. */
import { findTokens } from "../../../core/text/prompt.ts";
import { type Fields, fieldsOf, textsIn } from "../../transcripts/line.ts";
import type { PromptSign } from "../../transcripts/reader.ts";

export function readClaudeLine(line: Fields): PromptSign | undefined {
  switch (line.type) {
    case "user":
      return line.isSidechain === true || line.isCompactSummary === true ? undefined : userTurn(line.message);
    case "attachment": {
      const attachment = fieldsOf(line.attachment);
      if (attachment?.type === "hook_additional_context")
        return line.isSidechain === true ? undefined : ourContext(attachment.content);
      return attachment?.type === "queued_command" ? textAs("turn", attachment.prompt) : undefined;
    }
    case "queue-operation":
      if (line.operation === "enqueue") return textAs("queued", line.content);
      if (line.operation !== "remove") return undefined;
      return textAs(line.reason === "absorbed_mid_turn" ? "turn" : "withdrawn", line.content);
    default:
      return undefined;
  }
}

/** What a hook added for the model. Other people's hooks add theirs, which nobody sent to the agent. */
function ourContext(content: unknown): PromptSign | undefined {
  const texts = (Array.isArray(content) ? content : []).filter(isOurs);
  return texts.length === 0 ? undefined : { as: "turn", texts };
}

function isOurs(text: unknown): text is string {
  return typeof text === "string" && findTokens(text).length > 0;
}

/** Only text parts: tool output is stored in the same place and may quote us. */
function userTurn(message: unknown): PromptSign | undefined {
  const content = fieldsOf(message)?.content;
  if (!Array.isArray(content)) return textAs("turn", content);
  const texts = textsIn(content, "text");
  return texts.length === 0 ? undefined : { as: "turn", texts };
}

function textAs(as: PromptSign["as"], text: unknown): PromptSign | undefined {
  return typeof text === "string" ? { as, texts: [text] } : undefined;
}
