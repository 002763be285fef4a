/** Every command. Loaded for all but `send` and `reply`, which do not need it. */
import { EXIT } from "../core/errors.ts";
import { VERSION } from "../wire/version.ts";
import { findCommand, parseArguments, unknownCommand, wants } from "./arguments/parse.ts";
import type { Command } from "./command.ts";
import { agent, name } from "./commands/agents/agent.ts";
import { attention } from "./commands/agents/attention.ts";
import { ls } from "./commands/agents/ls.ts";
import { profile } from "./commands/agents/profile.ts";
import { remind, reminders } from "./commands/agents/remind.ts";
import { transcript } from "./commands/agents/transcript.ts";
import { turn, turns } from "./commands/agents/turns.ts";
import { unwatch, watch } from "./commands/agents/watch.ts";
import { cluster } from "./commands/cluster/cluster.ts";
import { completionsOf } from "./commands/daemon/completions.ts";
import { config } from "./commands/daemon/config.ts";
import { doctor } from "./commands/daemon/doctor.ts";
import { down } from "./commands/daemon/down.ts";
import { hooks } from "./commands/daemon/hooks.ts";
import { logs } from "./commands/daemon/logs.ts";
import { mcp } from "./commands/daemon/mcp.ts";
import { open } from "./commands/daemon/open.ts";
import { status, up } from "./commands/daemon/up.ts";
import { ask } from "./commands/messages/ask.ts";
import { broadcast } from "./commands/messages/broadcast.ts";
import { exporting } from "./commands/messages/export.ts";
import { history } from "./commands/messages/history.ts";
import { inbox } from "./commands/messages/inbox.ts";
import { listen } from "./commands/messages/listen.ts";
import { queue } from "./commands/messages/queue.ts";
import { reply } from "./commands/messages/reply.ts";
import { send } from "./commands/messages/send.ts";
import { explain, read, show } from "./commands/messages/show.ts";
import { sub } from "./commands/messages/sub.ts";
import { unmatched } from "./commands/messages/unmatched.ts";
import { away } from "./commands/outside/away.ts";
import { bridge } from "./commands/outside/bridge.ts";
import { desk } from "./commands/outside/desk.ts";
import { attach } from "./commands/terminals/attach.ts";
import { draft } from "./commands/terminals/draft.ts";
import { peek } from "./commands/terminals/peek.ts";
import { newSession, run } from "./commands/terminals/run.ts";
import { spawn } from "./commands/terminals/spawn.ts";
import { restart, resume, stop } from "./commands/terminals/stop.ts";
import type { CommandContext } from "./context.ts";
import { type CommandGroup, printHelp, printOverview } from "./printing/help.ts";

const help: Command = {
  name: "help",
  summary: "explain a command",
  usage: ["help [COMMAND]"],
  words: { least: 0, most: 2 },
  examples: [{ command: "bellhop help send", does: 'the same as "bellhop send --help"' }],
  run: async (context, args) => explainCommand(context, args.words),
};

const version: Command = {
  name: "version",
  summary: "print the version",
  usage: ["version"],
  examples: [{ command: "bellhop version", does: "the version of this command" }],
  run: async ({ out }) => {
    out.result({ version: VERSION }, VERSION);
  },
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
      turns,
      turn,
    ],
  },
  { title: "Outside", commands: [bridge, away, desk, cluster] },
  { title: "Daemon", commands: [open, up, down, status, logs, config, doctor] },
  { title: "Set-up", commands: [hooks, mcp, profile, completionsOf(() => COMMANDS), version, help] },
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
  if (command.run !== undefined) return (await command.run(context, parseArguments(line))) ?? EXIT.ok;
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
