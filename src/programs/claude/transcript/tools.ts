/** Tool calls and answers in a line of Claude Code's session file. Pure. */
import { type Fields, fieldsOf, textIn } from "../../transcripts/line.ts";
import type { ToolSign } from "../../transcripts/reader.ts";

export function claudeTools(line: Fields): readonly ToolSign[] {
  // The agent itself has not seen what a sub-agent opened.
  if (line.isSidechain === true) return [];
  const content = fieldsOf(line.message)?.content;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown): readonly ToolSign[] => {
    const fields = fieldsOf(block);
    if (fields?.type === "tool_use" && typeof fields.id === "string")
      return [{ kind: "called", id: fields.id, input: textIn(fields.input) }];
    if (fields?.type === "tool_result" && typeof fields.tool_use_id === "string" && fields.is_error !== true)
      return [{ kind: "answered", id: fields.tool_use_id, answer: textIn(fields.content) }];
    return [];
  });
}
