import { EXIT } from "../../core/errors.ts";
import type { ListedSession } from "../../wire/shapes/sessions.ts";
import type { Command } from "../command.ts";
import { printTable } from "../table.ts";

export const ls: Command = {
  name: "ls",
  summary: "list the agents that run here",
  usage: ["ls"],
  options: {},
  words: { least: 0, most: 0 },
  examples: [
    { command: "bellhop ls", does: "look again and list them" },
    { command: "bellhop ls --json", does: "for scripts" },
  ],
  run: async ({ ask, out }) => {
    const { sessions } = await ask("ls", {});
    if (out.json) out.value(sessions);
    else if (sessions.length === 0) {
      out.line("No agents run in tmux. Start one there, or keep a mailbox with: bellhop agent add NAME");
    } else {
      printTable<ListedSession>(
        out,
        [
          { title: "AGENT", cell: ({ agent }) => agent },
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

function stateOf({ readiness, hold }: ListedSession): string {
  return hold === undefined || hold.reason === readiness ? readiness : `${readiness}, held: ${hold.reason}`;
}
