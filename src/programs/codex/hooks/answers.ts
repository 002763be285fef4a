/** How Codex takes text in the answers to its hooks; measured on every proven release. Pure. */
import type { HookAnswers } from "../../../ports/hook-answers.ts";

/** It cuts longer ones in the middle: from about 10,000 bytes on, which it counts as 2,500 tokens. */
const MOST_BYTES = 8_000;
/** Codex has no limit of its own. */
const MOST_IN_A_ROW = 50;

export const codexAnswers: HookAnswers = {
  moments: () => ({ PostToolUse: "tool-result", Stop: "turn-end" }),
  mostBytes: MOST_BYTES,
  mostInARow: MOST_IN_A_ROW,
  // At the end of a turn it takes nothing else: `additionalContext` is an error there. Its own tag stands before the
  // text, and our header begins a line.
  output: (event, text) =>
    event === "Stop"
      ? { decision: "block", reason: `\n${text}` }
      : { hookSpecificOutput: { hookEventName: event, additionalContext: text } },
};
