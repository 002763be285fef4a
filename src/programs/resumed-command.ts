/** A command that is run again to go on with a conversation: without what chose another one, and without its first prompt. */
export interface CommandOptions {
  /** What chooses a conversation. */
  readonly choice: Readonly<Record<string, "flag" | "value">>;
  /** Options that take nothing: a sentence behind them is the prompt. */
  readonly flags: readonly string[];
  /** Options that take everything up to the next one. */
  readonly takeMany: readonly string[];
}

export function resumedWords(words: readonly string[], options: CommandOptions): readonly string[] {
  return withoutPrompt(withoutChoice(words, options), options);
}

function withoutChoice(words: readonly string[], { choice }: CommandOptions): readonly string[] {
  return words.filter((word, at) => {
    const before = words[at - 1];
    const isValue = before !== undefined && choice[before] === "value" && !word.startsWith("-");
    return choice[word.split("=")[0] ?? ""] === undefined && !isValue;
  });
}

/** It was said when the conversation began; said again, the agent would do it twice. What is in doubt stays. */
function withoutPrompt(words: readonly string[], { flags, takeMany }: CommandOptions): readonly string[] {
  const last = words.at(-1);
  if (last === undefined || last.startsWith("-") || !/\s/u.test(last)) return words;
  const option = words.findLastIndex((word) => word.startsWith("-"));
  const name = words[option] ?? "";
  const isItsValue =
    option >= 0 && option === words.length - 2 && !flags.includes(name) && !name.includes("=");
  return isItsValue || takeMany.includes(name) ? words : words.slice(0, -1);
}
