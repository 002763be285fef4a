/** What an automatic turn of OpenCode may do. Its own default is to allow nearly everything, so each turn says it all. */

type Action = "allow" | "deny";
type Rules = Readonly<Record<string, string | Readonly<Record<string, Action>>>>;

/** Reading within its folder. Files with secrets are those about which OpenCode asks a person. */
const READING: readonly (readonly [string, Readonly<Record<string, Action>>])[] = [
  ["read", { "*": "allow", "*.env": "deny", "*.env.*": "deny", "*.env.example": "allow" }],
  ...["glob", "grep", "list", "skill", "todowrite"].map((name) => [name, { "*": "allow" }] as const),
];

/** They wait for a person; `task` because nobody hears the questions of the agents that it starts. */
const NOBODY_THERE = ["question", "plan_enter", "plan_exit", "task"] as const;

/** One permission covers all tools that change files. */
const EDITING = ["edit", "write", "multiedit", "patch", "apply_patch"];
/** Tools whose names people also write as other programs do, such as `Bash`. The others, as of MCP servers, are exact. */
const OWN_TOOLS: ReadonlyMap<string, string> = new Map([
  ...EDITING.map((name) => [name, "edit"] as const),
  ...["bash", "read", "glob", "grep", "list", "webfetch", "websearch"].map((name) => [name, name] as const),
]);

export const NO_TOOLS: Rules = { "*": "deny" };

/**
 * `mode` is what happens to everything that is neither reading nor in `tools`. The order counts: OpenCode goes by the
 * last rule that matches.
 */
export function permissions(tools: readonly string[], mode: string | undefined): Rules {
  // Nobody is there to be asked.
  const rules = new Map<string, Rules[string]>([["*", mode === undefined || mode === "ask" ? "deny" : mode]]);
  for (const [name, rule] of READING) if (mode !== "allow") rules.set(name, rule);
  for (const tool of tools) {
    const { name, pattern } = toolIn(tool);
    const known = rules.get(name);
    rules.set(name, { ...(typeof known === "object" ? known : {}), [pattern]: "allow" });
  }
  for (const name of NOBODY_THERE) {
    rules.delete(name);
    rules.set(name, "deny");
  }
  return Object.fromEntries(rules);
}

/** `bash`, `bash(git log *)`, or as Claude Code writes it: `Bash(git log:*)`. */
function toolIn(tool: string): { readonly name: string; readonly pattern: string } {
  const [, word = tool, pattern = "*"] = /^([^()]+)\((.+)\)$/su.exec(tool) ?? [];
  const name = OWN_TOOLS.get(word.toLowerCase()) ?? word;
  return { name, pattern: name === "bash" ? pattern.replace(/:\*$/u, " *") : pattern };
}
