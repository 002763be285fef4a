/** What a program that we start may inherit. */
import { AGENT_VARIABLES } from "./agent-variables.ts";

/** They name the session of whoever started us: a child that keeps them is taken for its parent. */
export const SESSION_VARIABLES: readonly string[] = [
  "BELLHOP_SESSION_ID",
  "BELLHOP_AGENT",
  "BELLHOP_PARENT",
  ...AGENT_VARIABLES,
  "TMUX",
  "TMUX_PANE",
];

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
