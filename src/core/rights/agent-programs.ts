/**
 * What is known about agent programs without loading them: `send`, hooks and the list of commands read it, and it names
 * programs of which Bellhop knows nothing else. The variables are those that a program sets for everything it runs; a
 * program that we start gets none of them. Callers claim only variables that name a conversation, and a caller that
 * claims one is never the person. One with only others, such as `CLAUDECODE=1` or `OPENCODE_PID`, is.
 */
interface AgentProgram {
  /** Its name as its makers write it. */
  readonly title: string;
  /** The variable that names the conversation. */
  readonly session?: string;
  readonly others: readonly string[];
  /** One server runs the commands and hooks of all its windows, so only `session` is specific to a window. */
  readonly sharesServer?: true;
  readonly hasHooks?: true;
  /** It can be told to start Bellhop's MCP server. */
  readonly hasMcp?: true;
}

export const AGENT_PROGRAMS: Readonly<Record<string, AgentProgram>> = {
  claude: {
    title: "Claude Code",
    session: "CLAUDE_CODE_SESSION_ID",
    others: ["CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PID", "CLAUDECODE"],
    hasHooks: true,
    hasMcp: true,
  },
  codex: {
    title: "Codex",
    session: "CODEX_THREAD_ID",
    others: [],
    sharesServer: true,
    hasHooks: true,
    hasMcp: true,
  },
  opencode: { title: "OpenCode", others: ["OPENCODE_PID"], hasHooks: true, hasMcp: true },
  gemini: {
    title: "Gemini CLI",
    // Only its hooks have this one.
    session: "GEMINI_SESSION_ID",
    others: ["GEMINI_CLI"],
    hasHooks: true,
    hasMcp: true,
  },
};

const PROGRAM_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(AGENT_PROGRAMS).flatMap(([program, { session }]) =>
    session === undefined ? [] : [[session, program] as const],
  ),
);

/** The variables that name a conversation. */
export const CONVERSATION_VARIABLES: readonly string[] = [...PROGRAM_OF.keys()];

export const AGENT_VARIABLES: readonly string[] = Object.values(AGENT_PROGRAMS).flatMap(
  ({ session, others }) => (session === undefined ? others : [session, ...others]),
);

/** The programs for which "bellhop hooks" can install hooks: their titles by name. */
export const HOOKED_TITLES: ReadonlyMap<string, string> = new Map(
  Object.entries(AGENT_PROGRAMS).flatMap(([name, { title, hasHooks }]) =>
    hasHooks === true ? [[name, title] as const] : [],
  ),
);

/** The program names given to unknown callers that an agent program runs. */
export const STRANGE_PROGRAMS: readonly string[] = [...PROGRAM_OF.values(), "unknown"];

/** The agent program that runs the caller, according to its variable. */
export function runningProgram(conversations: Readonly<Record<string, string>> = {}): string | undefined {
  const [variable] = Object.keys(conversations);
  return variable === undefined ? undefined : (PROGRAM_OF.get(variable) ?? "unknown");
}

export function sharesServer(program: string): boolean {
  return AGENT_PROGRAMS[program]?.sharesServer === true;
}

export interface SharedConversation {
  readonly program: string;
  readonly variable: string;
  readonly id: string;
}

/** The caller's conversation, if it is run by a server that several windows share. */
export function sharedConversation(
  conversations: Readonly<Record<string, string>> = {},
): SharedConversation | undefined {
  for (const [variable, id] of Object.entries(conversations)) {
    const program = PROGRAM_OF.get(variable);
    if (program !== undefined && sharesServer(program)) return { program, variable, id };
  }
  return undefined;
}
