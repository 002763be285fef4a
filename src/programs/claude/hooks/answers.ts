/** How Claude Code takes text in the answers to its hooks; measured on every proven release. Pure. */
import type { HookAnswers } from "../../../ports/hook-answers.ts";

/** It shows longer ones as a preview and a file of its own: from 10,000 characters on. */
const MOST_BYTES = 8_000;
/** The ninth in a row ends the turn with an error, and the model does not get its text. */
const MOST_IN_A_ROW = 7;
/** Before, it takes only `decision: block`, which it labels as an error of the hook. */
const CONTEXT_AT_STOP = [2, 1, 197] as const;

export const claudeAnswers: HookAnswers = {
  moments: () => ({ PostToolUse: "tool-result", Stop: "turn-end" }),
  mostBytes: MOST_BYTES,
  mostInARow: MOST_IN_A_ROW,
  output: (event, text, version) =>
    event === "Stop" && !takesContextAtStop(version)
      ? { decision: "block", reason: text }
      : { hookSpecificOutput: { hookEventName: event, additionalContext: onItsOwnLine(text) } },
};

/** Claude Code writes its own words before it, and our header begins a line. */
function onItsOwnLine(text: string): string {
  return `\n${text}`;
}

function takesContextAtStop(version: string | undefined): boolean {
  const numbers = /^(\d+)\.(\d+)\.(\d+)$/
    .exec(version ?? "")
    ?.slice(1)
    .map(Number);
  if (numbers === undefined) return false;
  const differing = CONTEXT_AT_STOP.findIndex((number, at) => numbers[at] !== number);
  return differing === -1 || (numbers[differing] ?? 0) > (CONTEXT_AT_STOP[differing] ?? 0);
}
