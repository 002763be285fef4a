import { EXIT } from "../../core/errors.ts";
import type { ListedSession } from "../../wire/shapes/sessions.ts";
import type { Command } from "../command.ts";
import { endingWords } from "../endings.ts";
import { clockTime } from "../moments.ts";
import { printTable } from "../table.ts";

export const ls: Command = {
  name: "ls",
  summary: "list the agents that run here",
  usage: ["ls [--all]"],
  options: { all: { kind: "flag", short: "a", summary: "also those that ended within a day, and how" } },
  words: { least: 0, most: 0 },
  examples: [
    { command: "bellhop ls", does: "look again and list them" },
    { command: "bellhop ls --all", does: "also those that have ended" },
    { command: "bellhop ls --json", does: "for scripts" },
  ],
  run: async ({ ask, out }, args) => {
    const { sessions } = await ask("ls", args.flag("all") ? { all: true } : {});
    const withRoles = sessions.some(({ role }) => role !== undefined);
    if (out.json) out.value(sessions);
    else if (sessions.length === 0) {
      out.line(
        "No agents run here. Start one: bellhop run --name NAME -- claude (or in tmux, where it is found)",
      );
    } else {
      printTable<ListedSession>(
        out,
        [
          { title: "AGENT", cell: ({ agent }) => agent },
          ...(withRoles ? [{ title: "ROLE", cell: ({ role = "" }: ListedSession) => role }] : []),
          { title: "ID", cell: ({ id }) => id },
          { title: "PROGRAM", cell: ({ program }) => program },
          { title: "STATE", cell: stateOf },
          { title: "QUEUED", cell: ({ queued }) => String(queued) },
          { title: "WHERE", cell: ({ label }) => label },
          { title: "HEADLINE", cell: ({ headline }) => headline },
        ],
        sessions,
      );
    }
    return EXIT.ok;
  },
};

function stateOf({ readiness, hold, ending }: ListedSession): string {
  if (ending !== undefined) return `${endingWords(ending)} at ${clockTime(ending.at)}`;
  return hold === undefined || hold.reason === readiness ? readiness : `${readiness}, held: ${hold.reason}`;
}
