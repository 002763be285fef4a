/** What an automatic turn of OpenCode may do. Its own default is to allow nearly everything, so each turn says it all. */

type Action = "allow" | "deny";
type Patterns = Readonly<Record<string, Action>>;
/** Some of its permissions take patterns, and some only one word for all. */
type Rule = string | Patterns;
type Rules = Readonly<Record<string, Rule>>;

/** Reading within its folder. Files with secrets are those about which OpenCode asks a person. */
const READING: readonly (readonly [string, Rule])[] = [
  ["read", { "*": "allow", "*.env": "deny", "*.env.*": "deny", "*.env.example": "allow" }],
  ...["glob", "grep", "list", "skill", "todowrite"].map((name) => [name, "allow"] as const),
];

/** Whoever writes these decides what the next turn may do: it takes more than the permission to change files. */
const NOT_TO_EDIT: Patterns = {
  "*opencode.json": "deny",
  "*opencode.jsonc": "deny",
  "*.opencode/*": "deny",
  "*.git/*": "deny",
};

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
  const rules = new Map<string, Rule>([["*", mode === undefined || mode === "ask" ? "deny" : mode]]);
  for (const [name, rule] of READING) if (mode !== "allow") rules.set(name, rule);
  for (const tool of tools) {
    const { name, pattern } = toolIn(tool);
    rules.set(name, allowing(pattern, rules.get(name)));
  }
  const editing = rules.get("edit");
  if (editing !== undefined && mode !== "allow")
    rules.set("edit", { ...(typeof editing === "string" ? { "*": "allow" } : editing), ...NOT_TO_EDIT });
  for (const name of NOBODY_THERE) {
    rules.delete(name);
    rules.set(name, "deny");
  }
  return Object.fromEntries(rules);
}

function allowing(pattern: string, known: Rule | undefined): Rule {
  if (typeof known === "object") return { ...known, [pattern]: "allow" };
  return pattern === "*" || known === "allow" ? "allow" : { [pattern]: "allow" };
}

/** `bash`, `bash(git log *)`, or as Claude Code writes it: `Bash(git log:*)`. */
function toolIn(tool: string): { readonly name: string; readonly pattern: string } {
  const [, word = tool, pattern = "*"] = /^([^()]+)\((.+)\)$/su.exec(tool) ?? [];
  const name = OWN_TOOLS.get(word.toLowerCase()) ?? word;
  return { name, pattern: name === "bash" ? pattern.replace(/:\*$/u, " *") : pattern };
}
