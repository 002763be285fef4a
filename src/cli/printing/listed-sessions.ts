/** Who runs, as a table: for `ls`, once or again and again. */
import type { ListedSession } from "../../wire/shapes/sessions.ts";
import { endingWords } from "./endings.ts";
import { clockTime } from "./moments.ts";
import type { Output } from "./output.ts";
import { printTable } from "./table.ts";

export function printSessions(out: Output, sessions: readonly ListedSession[]): void {
  if (sessions.length === 0) {
    out.line(
      "No agents run here. Start one: bellhop run --name NAME -- claude (or in tmux, where it is found)",
    );
    return;
  }
  const withRoles = sessions.some(({ role }) => role !== undefined);
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
      { title: "HEADLINE", cell: ({ id, headline }) => (headline === id ? "" : headline) },
    ],
    sessions,
    askedBelow,
  );
}

/** What it waits for the person with. */
function askedBelow({ asks }: ListedSession): string {
  if (asks === undefined) return "";
  const what = asks.kind === "permission" ? "asks for a permission" : "asks";
  return `↳ ${what} since ${clockTime(asks.since)}: ${asks.text}`;
}

function stateOf({ readiness, hold, ending }: ListedSession): string {
  if (ending !== undefined) return `${endingWords(ending)} at ${clockTime(ending.at)}`;
  return hold === undefined || hold.reason === readiness ? readiness : `${readiness}, held: ${hold.reason}`;
}
