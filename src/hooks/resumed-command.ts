/** A command that is run again to go on with a conversation: without what chose another one, and without its first prompt. */

const CLAUDE_CHOICE: Readonly<Record<string, "flag" | "value">> = {
  "--continue": "flag",
  "-c": "flag",
  "--fork-session": "flag",
  "--resume": "value",
  "-r": "value",
  "--session-id": "value",
};
const CODEX_CHOICE: Readonly<Record<string, "flag" | "value">> = {
  resume: "value",
  fork: "value",
  "--last": "flag",
  "--all": "flag",
};

/** Options that take nothing: a sentence behind them is the prompt. */
const FLAGS = new Set([
  "--dangerously-skip-permissions",
  "--verbose",
  "--ide",
  "--full-auto",
  "--search",
  "--oss",
  "--no-daemon",
  "--dangerously-bypass-approvals-and-sandbox",
]);
/** Options that take everything up to the next one. */
const TAKE_MANY = new Set([
  "--allowedTools",
  "--allowed-tools",
  "--disallowedTools",
  "--disallowed-tools",
  "--add-dir",
  "--mcp-config",
  "-i",
  "--image",
]);

export function resumedClaude(words: readonly string[], id: string): readonly string[] {
  return ["--resume", id, ...withoutPrompt(withoutChoice(words, CLAUDE_CHOICE))];
}

export function resumedCodex(words: readonly string[], id: string): readonly string[] {
  return ["resume", id, ...withoutPrompt(withoutChoice(words, CODEX_CHOICE))];
}

function withoutChoice(
  words: readonly string[],
  choice: Readonly<Record<string, "flag" | "value">>,
): readonly string[] {
  return words.filter((word, at) => {
    const before = words[at - 1];
    const isValue = before !== undefined && choice[before] === "value" && !word.startsWith("-");
    return choice[word.split("=")[0] ?? ""] === undefined && !isValue;
  });
}

/** It was said when the conversation began; said again, the agent would do it twice. What is in doubt stays. */
function withoutPrompt(words: readonly string[]): readonly string[] {
  const last = words.at(-1);
  if (last === undefined || last.startsWith("-") || !/\s/u.test(last)) return words;
  const option = words.findLastIndex((word) => word.startsWith("-"));
  const name = words[option] ?? "";
  const isItsValue = option >= 0 && option === words.length - 2 && !FLAGS.has(name) && !name.includes("=");
  return isItsValue || TAKE_MANY.has(name) ? words : words.slice(0, -1);
}
