/** Tool calls and answers in a message of OpenCode. Pure. */
import { type Fields, fieldsOf, textIn } from "../../transcripts/line.ts";
import type { ToolSign } from "../../transcripts/reader.ts";
import { partsOf } from "./prompts.ts";

/** A part holds both; the answer comes first, as in files that are read backwards. */
export function opencodeTools(line: Fields): readonly ToolSign[] {
  return partsOf(line, "tool").flatMap(({ callID: id, state }): readonly ToolSign[] => {
    const { status, input, output } = fieldsOf(state) ?? {};
    if (typeof id !== "string") return [];
    const called: ToolSign = { kind: "called", id, input: textIn(input) };
    return status === "completed" ? [{ kind: "answered", id, answer: textIn(output) }, called] : [called];
  });
}
