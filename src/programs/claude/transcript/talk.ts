/** What a line of Claude Code's session file adds to the conversation. Pure. */
import type { Utterance } from "../../../ports/transcript.ts";
import { type Fields, fieldsOf } from "../../transcripts/line.ts";
import { textsOf, toolCall } from "../../transcripts/talk.ts";
import { readClaudeLine } from "./prompts.ts";

export function claudeTalk(line: Fields): readonly Utterance[] {
  // Messages between sub-agents, and what the program itself tells the model.
  if (line.isSidechain === true) return [];
  if (line.type === "assistant") return saidByAgent(fieldsOf(line.message)?.content);
  const sighting = readClaudeLine(line);
  // A text that waits in the program's queue appears again once it is read.
  if (sighting?.as !== "turn" || (line.isMeta === true && line.origin === undefined)) return [];
  return sighting.texts.map((text) => ({ by: "prompt", text }));
}

function saidByAgent(content: unknown): readonly Utterance[] {
  if (!Array.isArray(content)) return textsOf(content).map((text) => ({ by: "agent", text }));
  return content.flatMap((block: unknown): readonly Utterance[] => {
    const fields = fieldsOf(block);
    if (fields?.type === "text") return textsOf(fields.text).map((text) => ({ by: "agent", text }));
    return fields?.type === "tool_use" ? [{ by: "tool", text: toolCall(fields.name, fields.input) }] : [];
  });
}
