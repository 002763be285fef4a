/** How a turn of Gemini CLI ended, in its session file: its hook says the same after Escape and after an error. Pure. */
import type { Fields } from "../../transcripts/line.ts";
import { readGeminiLine } from "./prompts.ts";

const STOPPED = /^Request cancelled\b/u;

/** Undefined: the entry does not tell. */
export function geminiEnding(line: Fields): "whole" | "broken" | undefined {
  switch (line.type) {
    case "gemini":
      return "whole";
    case "error":
      return "broken";
    case "info":
      return typeof line.content === "string" && STOPPED.test(line.content) ? "broken" : undefined;
    // A prompt without an answer.
    case "user":
      return readGeminiLine(line) === undefined ? undefined : "broken";
    default:
      return undefined;
  }
}
