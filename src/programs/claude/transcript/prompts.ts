/** A person's or a peer's text in a line of Claude Code's session file. Pure. */
import { type Fields, fieldsOf, textsIn } from "../../transcripts/line.ts";
import type { PromptSign } from "../../transcripts/reader.ts";

export function readClaudeLine(line: Fields): PromptSign | undefined {
  switch (line.type) {
    case "user":
      return line.isSidechain === true || line.isCompactSummary === true ? undefined : userTurn(line.message);
    case "attachment": {
      const attachment = fieldsOf(line.attachment);
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
