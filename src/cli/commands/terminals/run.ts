import { BellhopError, EXIT } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { windowOf } from "../../arguments/window.ts";
import { attachTo } from "../../attaching.ts";
import type { Arguments, Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { MOST_WORDS, RUNNING_OPTIONS, runRequest, tellStarted, whileStarting } from "../../running.ts";
import { printScreen } from "../../screens.ts";

const DETACH = {
  kind: "flag",
  short: "d",
  summary: "do not attach: leave it running in the background",
} as const;

export const run: Command = {
  name: "run",
  summary: "run an agent in a terminal that Bellhop hosts, and attach to it",
  usage: ["run [--name N] [--role R] [--cwd FOLDER] [--tmux|--pty] [--detach] -- PROGRAM [ARGUMENT…]"],
  options: { ...RUNNING_OPTIONS, detach: DETACH },
  words: { least: 1, most: MOST_WORDS },
  examples: [
    { command: "bellhop run --name coder -- claude", does: "Claude Code, called coder" },
    { command: "bellhop run --detach -- codex --model o3", does: "in the background" },
    { command: "bellhop run --tmux --name web -- claude", does: "in a tmux window" },
    {
      command: "bellhop run -- vim notes.txt",
      does: "any program: you can attach to it; Bellhop never types into it",
    },
  ],
  run: (context, args) => start(context, args, args.words),
};

export const newSession: Command = {
  name: "new",
  summary: "start Claude Code in a terminal that Bellhop hosts",
  usage: ["new [--name N] [--role R] [--cwd FOLDER] [--tmux|--pty] [--detach] [-- ARGUMENT…]"],
  options: { ...RUNNING_OPTIONS, detach: DETACH },
  words: { least: 0, most: MOST_WORDS },
  examples: [
    { command: "bellhop new --name coder", does: 'the same as "bellhop run --name coder -- claude"' },
    { command: "bellhop new -- --model opus", does: "with arguments for Claude Code" },
  ],
  run: (context, args) => start(context, args, ["claude", ...args.words]),
};

async function start(context: CommandContext, args: Arguments, command: readonly string[]): Promise<number> {
  const { out } = context;
  const request = runRequest(context, args, command);
  const started = await whileStarting(context, sanitiseLine(command[0] ?? ""), context.ask("run", request));
  const here =
    started.terminal.kind === "pty" && !args.flag("detach") && !out.json && windowOf(context) === "whole";
  if (!here) {
    tellStarted(out, started);
    return EXIT.ok;
  }
  try {
    return await attachTo(context, started.sessionId, "type");
  } catch (error) {
    // It ended before anyone could attach: its output is all there is to see.
    if (!(error instanceof BellhopError) || !ENDED.includes(error.code)) throw error;
    printScreen(context, { who: started.agent }, await context.ask("peek", { who: started.sessionId }));
    return EXIT.ok;
  }
}

const ENDED: readonly string[] = ["session.exited", "terminal.gone"];
