/** What `run`, `new` and `spawn` have in common: what to run, where, and for whom. */
import { BellhopError } from "../core/errors.ts";
import type { RunRequest, RunResponse } from "../wire/shapes/sessions.ts";
import type { Arguments, OptionSpec } from "./command.ts";
import type { CommandContext } from "./context.ts";

export const RUNNING_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  name: { kind: "value", value: "N", summary: "what the agent is called (else: its folder's name)" },
  role: { kind: "value", value: "R", summary: "what it is there for, shown beside its name" },
  tmux: { kind: "flag", summary: "in a window of tmux instead, as that window's own command" },
  pty: { kind: "flag", summary: "in a terminal of Bellhop's own (the default)" },
  cwd: { kind: "value", value: "FOLDER", summary: "where it runs (else: here)" },
};

export function runRequest(context: CommandContext, args: Arguments, command: readonly string[]): RunRequest {
  const name = args.value("name");
  const role = args.value("role");
  const size = terminalSize();
  return {
    command,
    ...(name === undefined ? {} : { name }),
    ...(role === undefined ? {} : { role }),
    folder: args.value("cwd") ?? context.folder(),
    environment: environmentOf(context),
    ...(size === undefined ? {} : size),
    ...(args.flag("tmux") ? { where: "tmux" } : {}),
    claims: context.claims(),
  };
}

export function environmentOf({ env }: CommandContext): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}

/** What stands behind `--`. */
export function commandFrom(args: Arguments, from: number): readonly string[] {
  const command = args.words.slice(from);
  if (command.length > 0) return command;
  throw new BellhopError("usage.invalid", {
    message: "There is nothing to run.",
    next: "Write the program behind --, for example: bellhop run --name coder -- claude",
  });
}

export function toldOf({ agent, sessionId, terminal }: RunResponse): string {
  if (terminal.kind === "tmux")
    return `"${agent}" runs as session ${sessionId} in tmux (${terminal.pane}): tmux -S ${terminal.server} attach`;
  return `"${agent}" runs as session ${sessionId}. Attach: bellhop attach ${agent}`;
}

/** Two lines are the bar's. */
function terminalSize(): { readonly columns: number; readonly rows: number } | undefined {
  const { columns, rows, isTTY } = process.stdout;
  if (isTTY !== true || columns === undefined || rows === undefined) return undefined;
  return { columns: Math.max(20, columns), rows: Math.max(5, rows - 2) };
}
