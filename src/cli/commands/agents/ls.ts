import { present } from "../../../core/present.ts";
import { type Command, usage } from "../../command.ts";
import { printSessions } from "../../printing/listed-sessions.ts";
import { printWants } from "../../printing/wants.ts";

export const ls: Command = {
  name: "ls",
  summary: "list the agents that run here",
  usage: ["ls [--all] [--watch]"],
  options: {
    all: {
      kind: "flag",
      short: "a",
      summary: "also list those that ended in the last day, and how they ended",
    },
    watch: {
      kind: "flag",
      short: "w",
      summary: "keep the list up to date, until q or Ctrl+C; with --json, print a line for each change",
    },
  },
  examples: [
    { command: "bellhop ls", does: "look for agents now and list them" },
    { command: "bellhop ls --all", does: "include those that have ended" },
    { command: "bellhop ls --watch", does: "a live view: who works, who waits for you and for what" },
    { command: "bellhop ls --json", does: "for scripts" },
  ],
  run: async (context, args) => {
    const { ask, out } = context;
    if (args.flag("watch")) {
      if (args.flag("all")) {
        throw usage(
          "--watch and --all cannot both be given: --watch shows only who is running.",
          "Give one of them.",
        );
      }
      const { watchOverview } = await import("../../overview.ts");
      return watchOverview(context);
    }
    const { sessions, ...wants } = await ask("ls", present({ all: args.given("all") }));
    out.result(sessions, () => {
      printSessions(out, sessions);
      printWants(out, wants);
    });
  },
};
