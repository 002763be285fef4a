/** The running sessions as a table, for `ls`, once or repeatedly. */
import type { HostName } from "../../core/cluster/hosts.ts";
import type { ListedElsewhere, ListedSession } from "../../wire/shapes/sessions.ts";
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
    PROGRAM: ({ program, unproven }) => (unproven === undefined ? program : `${program} (unproven)`),
    STATE: stateOf,
    QUEUED: ({ queued }) => String(queued),
    WHERE: ({ label }) => label,
    HEADLINE: ({ id, headline }) => (headline === id ? "" : headline),
  };
  printTable(out, sessions, columns, askedBelow);
}

export function nobodyOnAnyHost(all: boolean): string {
  const nobody = all
    ? "There are no agents here, and no other host has said that some are there."
    : "No agents run here, and no other host has said that some run there. Mailboxes without a program: bellhop ls --all-hosts --all.";
  return `${nobody} The hosts: bellhop cluster hosts`;
}

/** Those here first. What is known of the others is what their hosts last said. */
export function printAllHosts(
  out: Output,
  host: HostName,
  sessions: readonly ListedSession[],
  others: readonly ListedElsewhere[],
): void {
  printTable<AnyHost>(
    out,
    [
      ...sessions.map((session) => ({ host, session })),
      ...others.map((agent) => ({ host: agent.host, agent })),
    ],
    {
      HOST: (row) => row.host,
      AGENT: (row) => ("session" in row ? row.session.agent : row.agent.agent),
      ID: (row) => ("session" in row ? row.session.id : row.agent.sessions.join(" ")),
      PROGRAM: (row) => ("session" in row ? row.session.program : (row.agent.program ?? "")),
      STATE: (row) => ("session" in row ? stateOf(row.session) : stateElsewhere(row.agent)),
      QUEUED: (row) => ("session" in row ? String(row.session.queued) : ""),
      HEADLINE: (row) =>
        "session" in row && row.session.headline !== row.session.id ? row.session.headline : "",
    },
    (row) => ("session" in row ? askedBelow(row.session) : ""),
  );
}

type AnyHost = { readonly host: HostName } & (
  | { readonly session: ListedSession }
  | { readonly agent: ListedElsewhere }
);

function stateElsewhere({ readiness, hostState, heardAt }: ListedElsewhere): string {
  return hostState === "up" ? readiness : `${readiness} when last heard at ${clockTime(heardAt)}`;
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
