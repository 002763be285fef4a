/** What an automatic turn of Gemini CLI may do, as a policy file for that turn. It counts before its user's own. Pure. */

/** Reading within its folder: its tools open nothing outside. */
const READING = [
  "read_file",
  "read_many_files",
  "glob",
  "grep_search",
  "search_file_content",
  "list_directory",
];
const EDITING = ["replace", "write_file"];
const SHELL = "run_shell_command";

/** Tools whose names people also write as other programs do, such as `Bash`. The others are exact. */
const OWN_TOOLS: Readonly<Record<string, readonly string[]>> = {
  ...{ edit: EDITING, write: EDITING, multiedit: EDITING, patch: EDITING },
  ...{ bash: [SHELL], shell: [SHELL], [SHELL]: [SHELL] },
  ...{ webfetch: ["web_fetch"], websearch: ["google_web_search"] },
};

/** Whoever writes these decides what the next turn may do. Its arguments are matched as JSON, however it writes them. */
const NOT_TO_EDIT = '"file_path":"[^"]*[.][gG](?:[eE][mM][iI][nN][iI]|[iI][tT])(?:[/"])';
/** Files with secrets. */
const NOT_TO_READ = '"(?:file_path|absolute_path)":"[^"]*[.]env(?:[.](?!example)|")';

const DENIED = 1;
const ALLOWED = 100;
const FORBIDDEN = 900;

type Field = readonly [key: string, value: string | number | readonly string[]];

export const NO_TOOLS = rule(["toolName", "*"], ["decision", "deny"], ["priority", FORBIDDEN]);

/** `mode` is its own word for what it may do unasked; undefined: nothing has to be said, it may do everything. */
export function turnPolicy(tools: readonly string[], mode: string | undefined): string | undefined {
  if (mode === "yolo") return undefined;
  const allowed = [...READING, ...(mode === "auto_edit" ? EDITING : [])];
  return [
    rule(["toolName", "*"], ["decision", "deny"], ["priority", DENIED]),
    rule(["toolName", allowed], ["decision", "allow"], ["priority", ALLOWED]),
    ...tools.map(allowing),
    rule(["toolName", EDITING], ["argsPattern", NOT_TO_EDIT], ["decision", "deny"], ["priority", FORBIDDEN]),
    rule(["toolName", READING], ["argsPattern", NOT_TO_READ], ["decision", "deny"], ["priority", FORBIDDEN]),
  ].join("\n");
}

/** `Bash`, `run_shell_command(git log)`, or as others write it: `Bash(git log:*)`, `mcp__server__tool`. */
function allowing(tool: string): string {
  const [, word = tool, pattern] = /^([^()]+)\((.+)\)$/su.exec(tool) ?? [];
  const names = OWN_TOOLS[word.toLowerCase()] ?? [word.replace(/^mcp__(.+?)__/u, "mcp_$1_")];
  const prefix = pattern?.replace(/(?::| )\*$/u, "");
  const isShell = names.includes(SHELL);
  const which: readonly Field[] =
    prefix === undefined || !isShell
      ? [["toolName", names]]
      : [
          ["toolName", SHELL],
          ["commandPrefix", prefix],
        ];
  return rule(...which, ["decision", "allow"], ["priority", ALLOWED]);
}

/** A string in JSON is one in TOML too. */
function rule(...fields: readonly Field[]): string {
  return `[[rule]]\n${fields.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join("")}`;
}
