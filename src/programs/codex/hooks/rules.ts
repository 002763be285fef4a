import { withBlock, withoutBlock } from "../../../hooks/appended-block.ts";
import { AGENT_COMMANDS } from "../../../hooks/hooked-program.ts";

/** The rule that lets Codex run these commands unasked and outside its sandbox, in a file of our own. Pure. */
export const CODEX_RULES = `# Lets Codex send, answer and read messages with Bellhop without asking. Without it the sandbox stops them.
# Written by "bellhop hooks install", removed by "bellhop hooks remove".
prefix_rule(pattern = ["bellhop", [${AGENT_COMMANDS.map((command) => `"${command}"`).join(", ")}]], decision = "allow")
`;

/** Matches what any version wrote: with other commands, or with more than one rule. */
const WRITTEN =
  /^# Lets Codex [^\n]*\n# Written by "bellhop hooks install", removed by "bellhop hooks remove"\.\n(?:prefix_rule\(pattern = \["bellhop"[^\n]*\n)*/m;

export function withCodexRules(text: string | undefined): string {
  if (text?.includes(CODEX_RULES) === true) return text;
  return withBlock(withoutCodexRules(text) ?? "", CODEX_RULES);
}

/** Keeps what a person has added to the file. */
export function withoutCodexRules(text: string | undefined): string | undefined {
  const ours = WRITTEN.exec(text ?? "");
  const rest =
    text === undefined || ours === null
      ? text
      : withoutBlock(text.slice(0, ours.index), text.slice(ours.index + ours[0].length));
  return rest === undefined || rest === "" ? undefined : rest;
}
