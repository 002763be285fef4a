/** What a line of Codex's session file adds to the conversation. Pure. */
import type { Utterance } from "../../../ports/transcript.ts";
import { type Fields, fieldsOf, parseJson, textsIn } from "../../transcripts/line.ts";
import { toolCall } from "../../transcripts/talk.ts";
import { readCodexLine } from "./prompts.ts";

export function codexTalk(line: Fields): readonly Utterance[] {
  const sighting = readCodexLine(line);
  if (sighting !== undefined) return sighting.texts.map((text) => ({ by: "prompt", text }));
  const item = line.type === "response_item" ? fieldsOf(line.payload) : undefined;
  switch (item?.type) {
    case "message":
      if (item.role !== "assistant") return [];
      return textsIn(item.content, "output_text").map((text) => ({ by: "agent", text }));
    case "function_call":
      return [{ by: "tool", text: toolCall(item.name, parsed(item.arguments)) }];
    case "custom_tool_call":
      return [{ by: "tool", text: toolCall(item.name, item.input) }];
    case "local_shell_call":
      return [{ by: "tool", text: toolCall("shell", fieldsOf(item.action)) }];
    default:
      return [];
  }
}

/** Codex writes tool arguments as JSON inside JSON. */
function parsed(text: unknown): unknown {
  return typeof text === "string" ? (parseJson(text) ?? text) : text;
}
