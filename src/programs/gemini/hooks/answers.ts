/** How Gemini CLI takes text in the answers to its hooks. Pure. */
import type { HookAnswers } from "../../../ports/hook-answers.ts";

/** As for the other programs; Gemini cuts nothing of that length. */
const MOST_BYTES = 8_000;
/** It counts each as a step of the same turn, of which it allows a hundred. */
const MOST_IN_A_ROW = 50;

export const geminiAnswers: HookAnswers = {
  moments: () => ({ AfterTool: "tool-result", AfterAgent: "turn-end" }),
  mostBytes: MOST_BYTES,
  mostInARow: MOST_IN_A_ROW,
  // At the end of a turn the reason becomes the next prompt, word for word, and its prompt hook reports it.
  output: (event, text) =>
    event === "AfterAgent"
      ? { decision: "block", reason: text }
      : { hookSpecificOutput: { hookEventName: event, additionalContext: `\n${text}\n` } },
};
