/**
 * Which session a program in a terminal is, and what is recorded of it. Decided from known facts; nothing is queried.
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

/** The live sessions of this server that no sighting shows any more. */
export function notSeen<Live extends Placed>(
  live: readonly Live[],
  { server, sightings }: { readonly server: string; readonly sightings: readonly Sighting[] },
): readonly Live[] {
  const byPane = new Map<string, Sighting[]>();
  for (const sighting of sightings) {
    const { pane } = sighting.identity;
    const there = byPane.get(pane);
    if (there === undefined) byPane.set(pane, [sighting]);
    else there.push(sighting);
  }
  return live.filter(
    ({ identity }) =>
      identity.server === server &&
      !byPane.get(identity.pane)?.some((sighting) => sameIdentity(sighting.identity, identity)),
  );
}

export type Recognised<Live> =
  | { readonly kind: "running"; readonly session: Live }
  /**
   * The open session must be closed first: its server was removed and added again, its program is known only now, or
   * another program came to the front of a hosted terminal, which is one session whatever runs in it.
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

/** It was first seen after its process had started but before the program in it had. */
function isNamedSince({ record }: Met, { program }: Sighting): boolean {
  return record.program === UNKNOWN_PROGRAM && program !== UNKNOWN_PROGRAM;
}

function isHostedIn({ kind, server, pane }: TerminalIdentity, other: TerminalIdentity): boolean {
  return kind === "pty" && other.kind === "pty" && other.server === server && other.pane === pane;
}

export type Arrival =
  /** The same process: the daemon was restarted. */
  | { readonly kind: "same"; readonly session: StoredSession }
  /** Another process that provably continues it. */
  | { readonly kind: "resumed"; readonly session: StoredSession }
  | { readonly kind: "new" };

export function sameProcess(
  { identity }: Sighting,
  stored: readonly StoredSession[],
): StoredSession | undefined {
  return stored.find((past) => past.identity !== undefined && sameIdentity(past.identity, identity));
}

/** `proven`: the best proof first. A running session is never continued, whatever the new process inherited. */
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
  // The program may have been updated since: this process must say which version it is.
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

/** The sighting it was last seen with. */
export function sightingOf(record: StoredSession, identity: TerminalIdentity): Sighting {
  const { program, label, title, folder } = record;
  return { identity, program, label, title, folder, agentArgv: [] };
}

/** An agent's name until someone chooses one: after its folder. */
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
 * The same process in the same terminal. The server's start is not compared: the same agent process implies the same
 * server, and an earlier release recorded the start as tmux reports it.
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
