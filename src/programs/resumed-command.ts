/** A command run again to resume a conversation: without options that chose another, and without the first prompt. */
export interface CommandOptions {
  /** Options that choose a conversation. */
  readonly choice: Readonly<Record<string, "flag" | "value">>;
  /** Options without a value: a sentence after one of them is the prompt. */
  readonly flags: readonly string[];
  /** Options that take every word up to the next option. */
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

/** The prompt was given when the conversation began; given again, the agent would act on it twice. Kept in doubt. */
function withoutPrompt(words: readonly string[], { flags, takeMany }: CommandOptions): readonly string[] {
  const last = words.at(-1);
  if (last === undefined || last.startsWith("-") || !/\s/u.test(last)) return words;
  const option = words.findLastIndex((word) => word.startsWith("-"));
  const name = words[option] ?? "";
  const isItsValue =
    option >= 0 && option === words.length - 2 && !flags.includes(name) && !name.includes("=");
  return isItsValue || takeMany.includes(name) ? words : words.slice(0, -1);
}
