/**
 * Who a program is that a terminal shows, and what is written down of it: decided from what is known, nobody is asked.
 * The registrar and the arrivals call it.
 */
import { slugAgentName } from "../../core/address.ts";
import type { AgentName, Instant, SessionId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { UNKNOWN_PROGRAM } from "../../core/session.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { ProgramFacts, RegistryEntry } from "../../ports/program.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { Sighting, TerminalIdentity } from "../../ports/terminal.ts";

interface Placed {
  readonly identity: TerminalIdentity;
}

interface Met extends Placed {
  readonly record: Pick<StoredSession, "program">;
}

/** Of those that run at this server, who is shown nowhere any more. */
export function notSeen<Live extends Placed>(
  live: readonly Live[],
  { server, sightings }: { readonly server: string; readonly sightings: readonly Sighting[] },
): readonly Live[] {
  return live
    .filter(({ identity }) => identity.server === server)
    .filter(({ identity }) => !sightings.some((sighting) => sameIdentity(sighting.identity, identity)));
}

export type Recognised<Live> =
  | { readonly kind: "running"; readonly session: Live }
  /**
   * What was opened before is closed: its server was taken out and put back, it is known only now which program it is,
   * or another came to the front of a hosted terminal, which is one session whoever runs in it.
   */
  | { readonly kind: "reached-anew"; readonly session: Live }
  | { readonly kind: "arrived" };

export function recognise<Live extends Met>(
  sighting: Sighting,
  live: readonly Live[],
  isReachable: (session: Live) => boolean,
): Recognised<Live> {
  const { identity } = sighting;
  const session = live.find((each) => sameIdentity(each.identity, identity));
  if (session !== undefined) {
    const isOpened = isReachable(session) && !isNamedSince(session, sighting);
    return { kind: isOpened ? "running" : "reached-anew", session };
  }
  const before = live.find((each) => isHostedIn(identity, each.identity));
  return before === undefined ? { kind: "arrived" } : { kind: "reached-anew", session: before };
}

/** It was seen in the moment between the start of its process and that of the program in it. */
function isNamedSince({ record }: Met, { program }: Sighting): boolean {
  return record.program === UNKNOWN_PROGRAM && program !== UNKNOWN_PROGRAM;
}

function isHostedIn({ kind, server, pane }: TerminalIdentity, other: TerminalIdentity): boolean {
  return kind === "pty" && other.kind === "pty" && other.server === server && other.pane === pane;
}

export type Arrival =
  /** The very process: the daemon was away. */
  | { readonly kind: "same"; readonly session: StoredSession }
  /** Another process that proves to go on with it. */
  | { readonly kind: "resumed"; readonly session: StoredSession }
  | { readonly kind: "new" };

export function sameProcess(
  { identity }: Sighting,
  stored: readonly StoredSession[],
): StoredSession | undefined {
  return stored.find((past) => past.identity !== undefined && sameIdentity(past.identity, identity));
}

/** `proven`: the best proof first. Whoever still runs is not gone on with, whatever the other inherited. */
export function resumes(
  proven: readonly (StoredSession | undefined)[],
  isLive: (id: SessionId) => boolean,
): Arrival {
  const session = proven.find((each) => each !== undefined && !isLive(each.id));
  return session === undefined ? { kind: "new" } : { kind: "resumed", session };
}

export function placeOf(sighting: Sighting) {
  return {
    identity: sighting.identity,
    label: sanitiseLine(sighting.label),
    title: sanitiseLine(sighting.title),
    program: sighting.program,
    ...present({ folder: sighting.folder }),
  };
}

export function revived(session: StoredSession, sighting: Sighting): StoredSession {
  const { exitedAt: _, ...rest } = session;
  return { ...rest, ...placeOf(sighting) };
}

export function resumedRecord(session: StoredSession, sighting: Sighting, now: Instant): StoredSession {
  // The program may have updated itself since: which release runs now, this process must tell.
  const { version: _, ...rest } = revived(session, sighting);
  return { ...rest, startedAt: now, hooked: false };
}

export function newRecord(
  sighting: Sighting,
  { id, agent, now }: { readonly id: SessionId; readonly agent: AgentName; readonly now: Instant },
): StoredSession {
  return { ...placeOf(sighting), id, agent, main: true, hooked: false, startedAt: now, lastActiveAt: now };
}

export function processOf({ agentPid, agentStartedAt }: TerminalIdentity) {
  return { pid: agentPid, startedAt: agentStartedAt };
}

/** As it was seen last. */
export function sightingOf(record: StoredSession, identity: TerminalIdentity): Sighting {
  const { program, label, title, folder } = record;
  return { identity, program, label, title, folder, agentArgv: [] };
}

/** What an agent is called before anybody names it: after its folder. */
export function nameAfterFolder(folder: string | undefined): AgentName {
  const last = folder
    ?.split("/")
    .filter((part) => part !== "")
    .at(-1);
  return slugAgentName(last ?? "agent");
}

export function factsOf(
  record: StoredSession,
  sighting: Sighting,
  entry: RegistryEntry | undefined,
): ProgramFacts {
  const { status: _status, editing: _editing, ...known } = entry ?? {};
  return {
    ...known,
    sessionId: record.id,
    agentPid: sighting.identity.agentPid,
    ...present({
      folder: sighting.folder,
      programSessionId: record.programSessionId,
      transcriptPath: record.transcriptPath,
    }),
  };
}

/**
 * The same process in the same terminal. The server's start is left out: the very agent proves the very server that it runs
 * under, and an earlier release wrote the start down as tmux tells it.
 */
export function sameIdentity(a: TerminalIdentity, b: TerminalIdentity): boolean {
  return (
    a.kind === b.kind &&
    a.server === b.server &&
    a.serverPid === b.serverPid &&
    a.pane === b.pane &&
    a.panePid === b.panePid &&
    a.agentPid === b.agentPid &&
    a.agentStartedAt === b.agentStartedAt
  );
}
