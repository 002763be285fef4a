/** Tool calls and answers in an entry of Gemini CLI's session file. Pure. */
import { type Fields, fieldsOf, textIn } from "../../transcripts/line.ts";
import type { ToolSign } from "../../transcripts/reader.ts";

/** A call and its answer are in one entry. */
export function geminiTools(line: Fields): readonly ToolSign[] {
  if (line.type !== "gemini" || !Array.isArray(line.toolCalls)) return [];
  return line.toolCalls.flatMap((call: unknown): readonly ToolSign[] => {
    const fields = fieldsOf(call);
    if (typeof fields?.id !== "string") return [];
    const { id } = fields;
    const answer: readonly ToolSign[] =
      fields.status === "success" ? [{ kind: "answered", id, answer: textIn(fields.result) }] : [];
    return [...answer, { kind: "called", id, input: textIn(fields.args) }];
  });
}
