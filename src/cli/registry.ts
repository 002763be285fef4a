/** Every command there is. Loaded for all but `send` and `reply`, which need none of it. */
import { EXIT } from "../core/errors.ts";
import type { Command } from "./command.ts";
import { agent } from "./commands/agent.ts";
import { ask } from "./commands/ask.ts";
import { attach } from "./commands/attach.ts";
import { attention } from "./commands/attention.ts";
import { broadcast } from "./commands/broadcast.ts";
import { completionsOf } from "./commands/completions.ts";
import { config } from "./commands/config.ts";
import { doctor } from "./commands/doctor.ts";
import { down } from "./commands/down.ts";
import { draft } from "./commands/draft.ts";
import { explain } from "./commands/explain.ts";
import { exporting } from "./commands/export.ts";
import { history } from "./commands/history.ts";
import { hooks } from "./commands/hooks.ts";
import { inbox } from "./commands/inbox.ts";
import { listen } from "./commands/listen.ts";
import { logs } from "./commands/logs.ts";
import { ls } from "./commands/ls.ts";
import { mcp } from "./commands/mcp.ts";
import { name } from "./commands/name.ts";
import { peek } from "./commands/peek.ts";
import { queue } from "./commands/queue.ts";
import { read } from "./commands/read.ts";
import { remind } from "./commands/remind.ts";
import { reminders } from "./commands/reminders.ts";
import { reply } from "./commands/reply.ts";
import { newSession, run } from "./commands/run.ts";
import { send } from "./commands/send.ts";
import { show } from "./commands/show.ts";
import { spawn } from "./commands/spawn.ts";
import { status } from "./commands/status.ts";
import { restart, resume, stop } from "./commands/stop.ts";
import { sub } from "./commands/sub.ts";
import { transcript } from "./commands/transcript.ts";
import { unmatched } from "./commands/unmatched.ts";
import { up } from "./commands/up.ts";
import { version } from "./commands/version.ts";
import { unwatch, watch } from "./commands/watch.ts";
import type { CommandContext } from "./context.ts";
import { type CommandGroup, printHelp, printOverview } from "./help.ts";
import { findCommand, parseArguments, unknownCommand, wants } from "./parse.ts";

const help: Command = {
  name: "help",
  summary: "explain a command",
  usage: ["help [COMMAND]"],
  options: {},
  words: { least: 0, most: 2 },
  examples: [{ command: "bellhop help send", does: 'the same as "bellhop send --help"' }],
  run: async (context, args) => explainCommand(context, args.words),
};

const GROUPS: readonly CommandGroup[] = [
  {
    title: "Messages",
    commands: [send, ask, reply, broadcast, inbox, read, show, explain, history, queue, draft],
  },
  { title: "Routing", commands: [sub, listen, unmatched, exporting] },
  { title: "Time", commands: [remind, reminders, watch, unwatch] },
  {
    title: "Agents",
    commands: [
      run,
      newSession,
      attach,
      spawn,
      stop,
      restart,
      resume,
      ls,
      attention,
      peek,
      transcript,
      name,
      agent,
    ],
  },
  { title: "Daemon", commands: [up, down, status, logs, config, doctor] },
  { title: "Set-up", commands: [hooks, mcp, completionsOf(() => COMMANDS), version, help] },
];

export const COMMANDS: readonly Command[] = GROUPS.flatMap(({ commands }) => commands);

export async function runCommand(context: CommandContext, argv: readonly string[]): Promise<number> {
  const first = argv.find((word) => word !== "--json");
  if (first === undefined || first === "--help" || first === "-h") return explainCommand(context, []);
  if (first === "--version" || first === "-V")
    return runCommand(context, argv.with(argv.indexOf(first), "version"));
  const line = findCommand(argv, COMMANDS);
  if (line === undefined) throw unknownCommand(first, [], COMMANDS);
  if (wants(line.rest, "help")) {
    printHelp(context.out, line.command, line.path);
    return EXIT.ok;
  }
  const { command, path, rest } = line;
  if (command.run !== undefined) return command.run(context, parseArguments(line));
  const word = rest.find((each) => !each.startsWith("-"));
  if (word !== undefined) throw unknownCommand(word, path, command.subcommands ?? []);
  printHelp(context.out, command, path);
  return EXIT.usage;
}

async function explainCommand({ out }: CommandContext, words: readonly string[]): Promise<number> {
  if (words.length === 0) {
    printOverview(out, GROUPS);
    return EXIT.ok;
  }
  const line = findCommand(words, COMMANDS);
  if (line === undefined) throw unknownCommand(words[0] ?? "", [], COMMANDS);
  printHelp(out, line.command, line.path);
  return EXIT.ok;
}
