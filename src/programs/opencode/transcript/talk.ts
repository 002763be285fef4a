/** What a message of OpenCode adds to the conversation. Pure. */
import type { Utterance } from "../../../ports/transcript.ts";
import { type Fields, fieldsOf } from "../../transcripts/line.ts";
import { toolCall } from "../../transcripts/talk.ts";
import { readOpencodeLine } from "./prompts.ts";

export function opencodeTalk(line: Fields): readonly Utterance[] {
  const sighting = readOpencodeLine(line);
  if (sighting !== undefined) return sighting.texts.map((text) => ({ by: "prompt", text }));
  if (line.role !== "assistant" || !Array.isArray(line.parts)) return [];
  return line.parts.flatMap((each: unknown): readonly Utterance[] => {
    const part = fieldsOf(each);
    if (part?.type === "text" && typeof part.text === "string") return [{ by: "agent", text: part.text }];
    return part?.type === "tool"
      ? [{ by: "tool", text: toolCall(part.tool, fieldsOf(part.state)?.input) }]
      : [];
  });
}
