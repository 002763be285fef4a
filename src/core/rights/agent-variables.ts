/**
 * What agent programs set in the environment of everything they run. It stands here and not with the programs, because
 * `send` and hooks read it without loading any, and because it names programs of which Bellhop knows nothing else.
 * None of these reaches a program that we start. A caller claims only those that name a conversation, and whoever claims
 * one never counts as the person; a process that has only others, such as `CLAUDECODE=1` or `OPENCODE_PID`, does.
 */
interface AgentVariables {
  /** It names the conversation. */
  readonly session?: string;
  readonly others: readonly string[];
  /** One server runs the commands and hooks of all its windows: of their environment only `session` is their own. */
  readonly sharesServer?: true;
}

const BY_PROGRAM: Readonly<Record<string, AgentVariables>> = {
  claude: {
    session: "CLAUDE_CODE_SESSION_ID",
    others: ["CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PID", "CLAUDECODE"],
  },
  codex: { session: "CODEX_THREAD_ID", others: [], sharesServer: true },
  gemini: { session: "GEMINI_SESSION_ID", others: [] },
  opencode: { others: ["OPENCODE_PID"] },
};

const PROGRAM_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_PROGRAM).flatMap(([program, { session }]) =>
    session === undefined ? [] : [[session, program] as const],
  ),
);

/** Those that name a conversation. */
export const CONVERSATION_VARIABLES: readonly string[] = [...PROGRAM_OF.keys()];

export const AGENT_VARIABLES: readonly string[] = Object.keys(BY_PROGRAM).flatMap(variablesOf);

export function variablesOf(program: string): readonly string[] {
  const { session, others } = BY_PROGRAM[program] ?? { others: [] };
  return session === undefined ? others : [session, ...others];
}

/** As whoever an agent program runs is stamped when we do not know it. */
export const STRANGE_PROGRAMS: readonly string[] = [...PROGRAM_OF.values(), "unknown"];

/** The agent program that runs a caller, by its own variable. */
export function runningProgram(conversations: Readonly<Record<string, string>> = {}): string | undefined {
  const [variable] = Object.keys(conversations);
  return variable === undefined ? undefined : (PROGRAM_OF.get(variable) ?? "unknown");
}

export function sharesServer(program: string): boolean {
  return BY_PROGRAM[program]?.sharesServer === true;
}

export interface SharedConversation {
  readonly program: string;
  readonly variable: string;
  readonly id: string;
}

/** The conversation in which a server, which several windows share, runs the caller. */
export function sharedConversation(
  conversations: Readonly<Record<string, string>> = {},
): SharedConversation | undefined {
  for (const [variable, id] of Object.entries(conversations)) {
    const program = PROGRAM_OF.get(variable);
    if (program !== undefined && sharesServer(program)) return { program, variable, id };
  }
  return undefined;
}
