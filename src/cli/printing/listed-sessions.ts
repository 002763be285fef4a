/** The running sessions as a table, for `ls`, once or repeatedly. */
import type { ListedSession } from "../../wire/shapes/sessions.ts";
import { endingWords } from "./endings.ts";
import { clockTime } from "./moments.ts";
import type { Output } from "./output.ts";
import { type Columns, printTable } from "./table.ts";

export function printSessions(out: Output, sessions: readonly ListedSession[]): void {
  if (sessions.length === 0) {
    out.line(
      "No agents run here. Start one: bellhop run --name NAME -- claude (or in tmux, where it is found)",
    );
    return;
  }
  const columns: Columns<ListedSession> = {
    AGENT: ({ agent }) => agent,
    ...(sessions.some(({ role }) => role !== undefined) ? { ROLE: ({ role = "" }) => role } : {}),
    ID: ({ id }) => id,
    PROGRAM: ({ program }) => program,
    STATE: stateOf,
    QUEUED: ({ queued }) => String(queued),
    WHERE: ({ label }) => label,
    HEADLINE: ({ id, headline }) => (headline === id ? "" : headline),
  };
  printTable(out, sessions, columns, askedBelow);
}

/** The question with which it waits for the person. */
function askedBelow({ asks }: ListedSession): string {
  if (asks === undefined) return "";
  const what = asks.kind === "permission" ? "asks for a permission" : "asks";
  return `↳ ${what} since ${clockTime(asks.since)}: ${asks.text}`;
}

function stateOf({ readiness, hold, ending }: ListedSession): string {
  if (ending !== undefined) return `${endingWords(ending)} at ${clockTime(ending.at)}`;
  return hold === undefined || hold.reason === readiness ? readiness : `${readiness}, held: ${hold.reason}`;
}
