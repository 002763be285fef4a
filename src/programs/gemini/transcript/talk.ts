/** What an entry of Gemini CLI's session file adds to the conversation. Pure. */
import type { Utterance } from "../../../ports/transcript.ts";
import { type Fields, fieldsOf, timeOf } from "../../transcripts/line.ts";
import { toolCall } from "../../transcripts/talk.ts";
import { readGeminiLine, textsIn } from "./prompts.ts";

export function geminiTalk(line: Fields): readonly Utterance[] {
  const at = timeOf(line);
  return saidIn(line).map((said) => (Number.isNaN(at) ? said : { ...said, at }));
}

/** The line that states the whole conversation anew, as it does after Escape and after a resume. */
export function geminiRestated(line: Fields): readonly Fields[] | undefined {
  const messages = fieldsOf(line.$set)?.messages;
  if (!Array.isArray(messages)) return undefined;
  return messages.flatMap((message: unknown): readonly Fields[] => {
    const entry = fieldsOf(message);
    return entry === undefined ? [] : [entry];
  });
}

/** An answer is written again, with the same id, once its tools have run. */
export function geminiEntryId({ id }: Fields): string | undefined {
  return typeof id === "string" ? id : undefined;
}

function saidIn(line: Fields): readonly Utterance[] {
  if (line.type === "gemini") {
    const said = textsIn(line.content).map((text): Utterance => ({ by: "agent", text }));
    return [...said, ...callsIn(line.toolCalls)];
  }
  return (readGeminiLine(line)?.texts ?? []).map((text) => ({ by: "prompt", text }));
}

function callsIn(calls: unknown): readonly Utterance[] {
  return (Array.isArray(calls) ? calls : []).map((call: unknown) => {
    const fields = fieldsOf(call);
    return { by: "tool", text: toolCall(fields?.name, fields?.args) };
  });
}
