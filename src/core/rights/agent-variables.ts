/**
 * What agent programs set in the environment of everything they run. It is here and not with the programs because
 * `send` and hooks read it without loading them, and because it names programs of which Bellhop knows nothing else.
 * A program that we start gets none of these. Callers claim only variables that name a conversation, and a caller that
 * claims one is never the person. One with only others, such as `CLAUDECODE=1` or `OPENCODE_PID`, is.
 */
interface AgentVariables {
  /** Names the conversation. */
  readonly session?: string;
  readonly others: readonly string[];
  /** One server runs the commands and hooks of all its windows, so only `session` is specific to a window. */
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

/** The variables that name a conversation. */
export const CONVERSATION_VARIABLES: readonly string[] = [...PROGRAM_OF.keys()];

export const AGENT_VARIABLES: readonly string[] = Object.keys(BY_PROGRAM).flatMap(variablesOf);

export function variablesOf(program: string): readonly string[] {
  const { session, others } = BY_PROGRAM[program] ?? { others: [] };
  return session === undefined ? others : [session, ...others];
}

/** The program names given to unknown callers that an agent program runs. */
export const STRANGE_PROGRAMS: readonly string[] = [...PROGRAM_OF.values(), "unknown"];

/** The agent program that runs the caller, according to its variable. */
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
