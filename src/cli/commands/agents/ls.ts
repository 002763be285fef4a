import { present } from "../../../core/present.ts";
import { type Command, usage } from "../../command.ts";
import { NO_CLUSTER } from "../../printing/cluster.ts";
import { nobodyOnAnyHost, printAllHosts, printSessions } from "../../printing/listed-sessions.ts";
import { printWants } from "../../printing/wants.ts";

export const ls: Command = {
  name: "ls",
  summary: "list the agents that run here",
  usage: ["ls [--all] [--all-hosts] [--watch]"],
  options: {
    all: {
      kind: "flag",
      short: "a",
      summary: "also list those that ended in the last day, and how they ended",
    },
    "all-hosts": {
      kind: "flag",
      summary: "also list the agents of the other hosts of the cluster, as those last said",
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
    { command: "bellhop ls --all-hosts", does: "who runs where; write to one: bellhop send HOST:AGENT" },
    { command: "bellhop ls --all-hosts --all", does: "with the mailboxes for which no program runs" },
    { command: "bellhop ls --watch", does: "a live view: who works, who waits for you and for what" },
    { command: "bellhop ls --json", does: "for scripts" },
  ],
  run: async (context, args) => {
    const { ask, out } = context;
    if (args.flag("watch")) {
      const other = ["all", "all-hosts"].find((option) => args.flag(option));
      if (other !== undefined) {
        throw usage(
          `--watch and --${other} cannot both be given: --watch shows only who is running here.`,
          "Give one of them.",
        );
      }
      const { watchOverview } = await import("../../overview.ts");
      return watchOverview(context);
    }
    const request = present({ all: args.given("all"), allHosts: args.given("all-hosts") });
    const { sessions, host, elsewhere = [], mailboxes = [], ...wants } = await ask("ls", request);
    const others = [...mailboxes, ...elsewhere];
    const rows = host === undefined ? sessions : [...sessions.map((one) => ({ host, ...one })), ...others];
    out.result(rows, () => {
      if (host === undefined) printSessions(out, sessions);
      else if (rows.length === 0) out.line(nobodyOnAnyHost(args.flag("all")));
      else printAllHosts(out, host, sessions, others);
      printWants(out, wants);
      if (host === undefined && args.flag("all-hosts")) out.line(NO_CLUSTER);
    });
  },
};
