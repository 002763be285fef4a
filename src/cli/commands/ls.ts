import { BellhopError, EXIT } from "../../core/errors.ts";
import type { Command } from "../command.ts";
import { printSessions } from "../listed-sessions.ts";
import { printWants } from "../wants.ts";

export const ls: Command = {
  name: "ls",
  summary: "list the agents that run here",
  usage: ["ls [--all] [--watch]"],
  options: {
    all: { kind: "flag", short: "a", summary: "also those that ended within a day, and how" },
    watch: {
      kind: "flag",
      short: "w",
      summary: "go on and show each change, until q or Ctrl+C; with --json one line for each",
    },
  },
  words: { least: 0, most: 0 },
  examples: [
    { command: "bellhop ls", does: "look again and list them" },
    { command: "bellhop ls --all", does: "also those that have ended" },
    { command: "bellhop ls --watch", does: "who works, who waits for you, and for what, as it changes" },
    { command: "bellhop ls --json", does: "for scripts" },
  ],
  run: async (context, args) => {
    const { ask, out } = context;
    if (args.flag("watch")) {
      if (args.flag("all")) {
        throw new BellhopError("usage.invalid", {
          message: "--watch shows who runs; --all also shows who has ended.",
          next: "Give one of them.",
        });
      }
      const { watchOverview } = await import("../overview.ts");
      return watchOverview(context);
    }
    const { sessions, ...wants } = await ask("ls", args.flag("all") ? { all: true } : {});
    if (out.json) out.value(sessions);
    else {
      printSessions(out, sessions);
      printWants(out, wants);
    }
    return EXIT.ok;
  },
};
