/** What a program that we start may inherit. */

/** They name the session of whoever started us: a child that keeps them is taken for its parent. */
export const SESSION_VARIABLES = [
  "BELLHOP_SESSION_ID",
  "BELLHOP_AGENT",
  "BELLHOP_PARENT",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_PID",
  "CLAUDECODE",
  "CODEX_THREAD_ID",
  "GEMINI_SESSION_ID",
  "OPENCODE_PID",
  "TMUX",
  "TMUX_PANE",
] as const;

/** The size of the window it was asked for in; a program that believes them draws for that one. */
export const WINDOW_VARIABLES = ["LINES", "COLUMNS"] as const;

export function childEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const dropped: ReadonlySet<string> = new Set([...SESSION_VARIABLES, ...WINDOW_VARIABLES]);
  const kept = Object.entries(inherited).flatMap(([name, value]) =>
    value === undefined || dropped.has(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), ...own };
}
