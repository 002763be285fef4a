/** What `run`, `new` and `spawn` have in common: what to run, where, and for whom. */
import { resolve } from "node:path";
import { present } from "../core/present.ts";
import type { RunResponse } from "../wire/shapes/sessions.ts";
import type { RunRequest } from "../wire/verbs/sessions.ts";
import { type Arguments, type OptionSpec, usage } from "./command.ts";
import type { CommandContext } from "./context.ts";
import type { Output } from "./printing/output.ts";

export const RUNNING_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  name: { kind: "value", value: "N", summary: "the agent's name (default: the name of its folder)" },
  role: { kind: "value", value: "R", summary: "what it is for, shown beside its name" },
  cwd: { kind: "value", value: "FOLDER", summary: "the folder it runs in (default: this one)" },
  pty: { kind: "flag", summary: "run it in a terminal that Bellhop hosts (the default)" },
  tmux: { kind: "flag", summary: "run it in a tmux window of its own instead" },
};

/** The program and its arguments. */
export const MOST_WORDS = 10_000;
/** A person who waits longer than this is told what for. */
const PATIENCE_MS = 1_000;

export function runRequest(context: CommandContext, args: Arguments, command: readonly string[]): RunRequest {
  const name = args.value("name");
  const role = args.value("role");
  if (args.flag("tmux") && args.flag("pty")) {
    throw usage(
      "--tmux and --pty cannot both be given.",
      "Choose one. The default is --pty, a terminal that Bellhop hosts.",
    );
  }
  return {
    command,
    ...present({ name, role }),
    folder: resolve(context.folder(), args.value("cwd") ?? ""),
    environment: environmentOf(context),
    ...terminalSize(),
    ...(args.flag("tmux") ? { where: "tmux" } : {}),
    claims: context.claims(),
  };
}

export function environmentOf({ env }: CommandContext): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}

/** If a start takes long, tells a person who is watching. */
export async function whileStarting<T>({ out }: CommandContext, what: string, work: Promise<T>): Promise<T> {
  const clear = (): void => out.progress("");
  let tidy = (): void => {};
  const timer = setTimeout(() => {
    out.progress(`Starting ${what}…`);
    tidy = clear;
  }, PATIENCE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    tidy();
  }
}

export function tellStarted(out: Output, started: RunResponse): void {
  const { agent, sessionId, terminal, note } = started;
  if (out.json) out.value(started);
  else if (terminal.kind === "tmux") {
    const way = `tmux -S ${terminal.server} attach`;
    out.line(`"${agent}" runs as session ${sessionId} in tmux (${terminal.pane}). To see it: ${way}`);
  } else out.line(`"${agent}" runs as session ${sessionId}. Attach: bellhop attach ${agent}`);
  if (note !== undefined && !out.json) out.note(note);
}

/** Two rows are for the bar. */
function terminalSize(): { readonly columns: number; readonly rows: number } | undefined {
  const { columns, rows, isTTY } = process.stdout;
  if (isTTY !== true || columns === undefined || rows === undefined) return undefined;
  return { columns: Math.min(1_000, Math.max(20, columns)), rows: Math.min(500, Math.max(5, rows - 2)) };
}
