import { EXIT } from "../../core/errors.ts";
import { attachTo } from "../attaching.ts";
import type { Arguments, Command } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { commandFrom, RUNNING_OPTIONS, runRequest, toldOf } from "../running.ts";

const DETACH = { kind: "flag", summary: "do not attach: leave it running in the background" } as const;

export const run: Command = {
  name: "run",
  summary: "run an agent in a terminal of Bellhop's own, and attach to it",
  usage: ["run [--name N] [--role R] [--detach] -- PROGRAM [ARGUMENT…]"],
  options: { ...RUNNING_OPTIONS, detach: DETACH },
  words: { least: 1, most: 1_000 },
  examples: [
    { command: "bellhop run --name coder -- claude", does: "Claude Code, called coder" },
    { command: "bellhop run --detach -- codex --model o3", does: "in the background" },
    { command: "bellhop run -- vim notes.txt", does: "any program: shown and attached to, never typed into" },
  ],
  run: (context, args) => start(context, args, commandFrom(args, 0)),
};

export const newSession: Command = {
  name: "new",
  summary: "start Claude Code in a terminal of Bellhop's own",
  usage: ["new [--name N] [--role R] [--detach] [-- ARGUMENT…]"],
  options: { ...RUNNING_OPTIONS, detach: DETACH },
  words: { least: 0, most: 1_000 },
  examples: [
    { command: "bellhop new --name coder", does: 'the same as "bellhop run --name coder -- claude"' },
    { command: "bellhop new -- --model opus", does: "with arguments of its own" },
  ],
  run: (context, args) => start(context, args, ["claude", ...args.words]),
};

async function start(context: CommandContext, args: Arguments, command: readonly string[]): Promise<number> {
  const { out } = context;
  const started = await context.ask("run", runRequest(context, args, command));
  const here =
    started.terminal.kind === "pty" &&
    !args.flag("detach") &&
    !out.json &&
    process.stdin.isTTY === true &&
    process.stdout.isTTY === true;
  if (here) return attachTo(context, started.sessionId, { watch: false });
  if (out.json) out.value(started);
  else out.line(toldOf(started));
  return EXIT.ok;
}
