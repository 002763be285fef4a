/** What a program that we start may inherit. */
import { AGENT_VARIABLES } from "./agent-programs.ts";

/** They name the session of our own parent: a child that inherits them would be taken for it. */
export const SESSION_VARIABLES: readonly string[] = [
  "BELLHOP_SESSION_ID",
  "BELLHOP_AGENT",
  "BELLHOP_PARENT",
  "BELLHOP_TURN",
  ...AGENT_VARIABLES,
  "TMUX",
  "TMUX_PANE",
];

/** The size of the caller's window; a program that uses them would draw for that one. */
export const WINDOW_VARIABLES = ["LINES", "COLUMNS"] as const;

/** `secrets`: the variables that hold the daemon's. */
export function childEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
  secrets: readonly string[] = [],
): Readonly<Record<string, string>> {
  const dropped: ReadonlySet<string> = new Set([...SESSION_VARIABLES, ...WINDOW_VARIABLES, ...secrets]);
  const kept = Object.entries(inherited).flatMap(([name, value]) =>
    value === undefined || dropped.has(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), ...own };
}
