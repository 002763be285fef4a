/** The rules that let Gemini CLI run these commands unasked, in a policy file of our own. Pure. */
import { join } from "node:path";
import { withBlock, withoutBlock } from "../../../hooks/appended-block.ts";
import { AGENT_COMMANDS } from "../../../hooks/hooked-program.ts";

const BEGINS = "# Lets Gemini CLI send, answer and read messages with Bellhop without asking.";
const WRITTEN_BY = '# Written by "bellhop hooks install", removed by "bellhop hooks remove".';
const ENDS = "# End of what Bellhop wrote.";

/** Paths that mean the same in a regular expression, in TOML and in JSON, but for their dots. */
const PLAIN_PATH = /^[\w/.@%=:,-]+$/;

/**
 * A command is allowed only if each part of it is: Gemini takes it apart, and asks about anything around it, about
 * redirections and about what stands in `$( )`. Its own tool reads no file outside of the folder that it works in, so
 * a long message is read with `cat`, which must name one file of ours and nothing else.
 */
export function geminiPolicyRules(bellhopHome: string): readonly string[] {
  const commands = AGENT_COMMANDS.map((command) => `"bellhop ${command}"`).join(", ");
  const messages = join(bellhopHome, "messages");
  const file = `${messages.replaceAll(".", "[.]")}/[a-z0-9][a-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*[.]md`;
  return [
    `commandPrefix = [${commands}]`,
    ...(PLAIN_PATH.test(messages) ? [`commandRegex = "cat ${file}\\""`] : []),
  ];
}

export function geminiPolicy(bellhopHome: string): string {
  const rules = geminiPolicyRules(bellhopHome).map(
    (which) => `[[rule]]\ntoolName = "run_shell_command"\n${which}\ndecision = "allow"\npriority = 100\n`,
  );
  return `${BEGINS}\n${WRITTEN_BY}\n${rules.join("\n")}${ENDS}\n`;
}

export function withGeminiPolicy(text: string | undefined, policy: string): string {
  if (text?.includes(policy) === true) return text;
  return withBlock(withoutGeminiPolicy(text) ?? "", policy);
}

/** What any version wrote; keeps what a person has added to the file. */
export function withoutGeminiPolicy(text: string | undefined): string | undefined {
  const begins = text?.indexOf(`${BEGINS}\n${WRITTEN_BY}\n`) ?? -1;
  const ends = begins === -1 ? -1 : (text?.indexOf(`${ENDS}\n`, begins) ?? -1);
  const rest =
    text === undefined || ends === -1
      ? text
      : withoutBlock(text.slice(0, begins), text.slice(ends + ENDS.length + 1));
  return rest === "" ? undefined : rest;
}
