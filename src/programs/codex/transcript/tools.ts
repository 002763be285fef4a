/** Tool calls and answers in a line of Codex's session file. Pure. */
import { type Fields, fieldsOf, textIn } from "../../transcripts/line.ts";
import type { ToolSign } from "../../transcripts/reader.ts";

/** Its tools have several forms (`function_call`, `custom_tool_call`, …), each with a call and an output. */
export function codexTools(line: Fields): readonly ToolSign[] {
  const payload = line.type === "response_item" ? fieldsOf(line.payload) : undefined;
  const id = payload?.call_id;
  if (payload === undefined || typeof id !== "string" || typeof payload.type !== "string") return [];
  if (payload.type.endsWith("_call_output"))
    return [{ kind: "answered", id, answer: textIn(payload.output) }];
  return payload.type.endsWith("_call") ? [{ kind: "called", id, input: textIn(payload) }] : [];
}
