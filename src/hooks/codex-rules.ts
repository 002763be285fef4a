import { AGENT_COMMANDS } from "./agent-commands.ts";

/** The rule that lets Codex run these commands unasked and outside its sandbox, in a file of our own. Pure. */
export const CODEX_RULES = `# Lets Codex send, answer and read messages with Bellhop without asking. Without it the sandbox keeps them from Bellhop.
# Written by "bellhop hooks install", removed by "bellhop hooks remove".
prefix_rule(pattern = ["bellhop", [${AGENT_COMMANDS.map((command) => `"${command}"`).join(", ")}]], decision = "allow")
`;

export function withCodexRules(text: string | undefined): string {
  if (text === undefined || text.trim() === "") return CODEX_RULES;
  if (text.includes(CODEX_RULES)) return text;
  return `${text}${text.endsWith("\n") ? "" : "\n"}${CODEX_RULES}`;
}

/** What a person has added to the file stays. */
export function withoutCodexRules(text: string | undefined): string | undefined {
  const rest = text?.replace(CODEX_RULES, "");
  return rest === undefined || rest.trim() === "" ? undefined : rest;
}
