/**
 * Whose conversation it is: which session a hook comes from, who had the conversation before, what is learnt about it.
 * Decided from known facts; the registrar calls it and acts.
 */
import type { Json, SessionId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { HookEvent } from "../../ports/program.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { TerminalIdentity } from "../../ports/terminal.ts";

interface Running {
  readonly record: StoredSession;
  readonly identity: TerminalIdentity;
}

/** `expects`: whether this hook returns a prompt that the session was just given. */
export function whoSpeaks<Live extends Running>(
  event: HookEvent,
  live: readonly Live[],
  expects: (session: SessionId) => boolean,
): Live | undefined {
  if (event.sessionId !== undefined) return live.find(({ record }) => record.id === event.sessionId);
  const sessions = live.filter(({ record }) => record.program === event.program);
  const { tmux, programSessionId } = event;
  // By conversation first: if a server runs the hooks, nothing else in them belongs to the session.
  const byConversation = sessions.find(
    ({ record }) => programSessionId !== undefined && record.programSessionId === programSessionId,
  );
  if (byConversation !== undefined) return byConversation;
  const expecting = sessions.filter(({ record }) => expects(record.id));
  if (expecting.length === 1) return expecting[0];
  const byProcess = sessions.find(({ identity }) => identity.agentPid === event.agentPid);
  if (byProcess !== undefined) return byProcess;
  if (tmux !== undefined)
    return sessions.find(({ identity }) => identity.pane === tmux.pane && identity.server === tmux.socket);
  // A hosted terminal is identified by its session; a tmux server inside it reports panes.
  return sessions.find(({ identity }) => identity.kind === "pty" && identity.pane === event.bellhopSession);
}

/** The program whose conversation the report names. */
export function programHaving(payload: Json, live: readonly Running[]): string | undefined {
  if (payload === null || typeof payload !== "object" || Array.isArray(payload)) return undefined;
  const { session_id: id } = payload as { readonly session_id?: Json };
  const having = live.filter(({ record }) => typeof id === "string" && record.programSessionId === id);
  return having[0]?.record.program;
}

/** The session that ran in this process when the hook did. */
export function whoSpoke(event: HookEvent, stored: readonly StoredSession[]): SessionId | undefined {
  const { program, agentPid, emittedAt } = event;
  return stored.findLast(
    (session) =>
      session.program === program &&
      session.identity?.agentPid === agentPid &&
      session.startedAt <= emittedAt &&
      emittedAt <= (session.exitedAt ?? Number.POSITIVE_INFINITY),
  )?.id;
}

/** The sessions a hook affects: the one it comes from, and the ended one that had the conversation it now names. */
export function whoIsMoved(
  { programSessionId }: HookEvent,
  speaking: StoredSession | undefined,
  spoke: StoredSession | undefined,
): readonly StoredSession[] {
  const isKnownOfIt =
    speaking !== undefined &&
    (programSessionId === undefined || programSessionId === speaking.programSessionId);
  return [speaking, isKnownOfIt ? undefined : spoke].flatMap((session) => session ?? []);
}

/** Another, ended session that had this conversation; of several, the one that was active last. */
export function hadItBefore(
  { id, program }: StoredSession,
  programSessionId: string,
  stored: readonly StoredSession[],
  isLive: (id: SessionId) => boolean,
): StoredSession | undefined {
  return stored
    .filter((past) => past.program === program && past.programSessionId === programSessionId)
    .filter((past) => past.id !== id && !isLive(past.id))
    .toSorted((a, b) => b.lastActiveAt - a.lastActiveAt)[0];
}

type Learnt = Partial<Pick<StoredSession, "programSessionId" | "transcriptPath" | "version">>;

/** Only the fields that were given, so that known ones are not overwritten with nothing. */
export function learntFrom({ programSessionId, version, transcriptPath }: Learnt): Learnt {
  return present({ programSessionId, version, transcriptPath });
}

export function isNews(record: StoredSession, learnt: Partial<StoredSession>): boolean {
  return Object.entries(learnt).some(([key, value]) => record[key as keyof StoredSession] !== value);
}
