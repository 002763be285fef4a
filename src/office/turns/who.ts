/** Whose turns: which session answers for a mailbox without a terminal, and what was said about its turns. */
import { agentAddress, sessionAddress, splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, AgentName } from "../../core/message.ts";
import { type AutoRun, type ResolvedAutoRun, resolveAutoRun } from "../../core/turns/auto-run.ts";
import type { StoredSession, StoreReader } from "../../ports/store.ts";
import type { Ground } from "../presence/ground.ts";

/** A session that takes turns without a terminal. */
export interface Seat {
  readonly session: StoredSession;
  readonly autoRun: AutoRun;
  readonly mailboxes: readonly Address[];
}

/** What counts for an agent, or for one of its sessions. What was set while it ran counts over the config's words. */
export function autoRunFor(
  { context }: Ground,
  agent: AgentName,
  session: StoredSession | undefined,
  read: StoreReader = context.store.read,
): ResolvedAutoRun {
  const { turns } = context.settings();
  const named = session?.name;
  return resolveAutoRun({
    config: turns.everyone,
    agent: { ...turns.of(agent), ...read.autoRun({ kind: "agent", agent }) },
    session:
      session === undefined
        ? undefined
        : {
            ...(named === undefined ? undefined : turns.of(agent, named)),
            ...read.autoRun({ kind: "session", sessionId: session.id }),
          },
  });
}

/** The session whose turn a message in this mailbox would start; undefined if nobody takes turns for it. */
export function sessionFor(ground: Ground, mailbox: Address): StoredSession | undefined {
  const { context, directory } = ground;
  const { read } = context.store;
  const { kind, rest } = splitAddress(mailbox);
  if (kind === "session") return directory.recordOf(rest);
  return kind === "agent" ? mainSession(ground, rest, read) : undefined;
}

export function mainSession(
  { directory }: Ground,
  agent: AgentName,
  read: StoreReader,
): StoredSession | undefined {
  return read.agent(agent) === undefined ? undefined : directory.mainOf(read.sessionsOf(agent));
}

/** Its own, and its agent's if it is the main one; whoever empties them. */
export function mailboxesOf(ground: Ground, sessionId: string): readonly Address[] {
  const session = ground.directory.recordOf(sessionId);
  if (session === undefined) return [];
  const main = mainSession(ground, session.agent, ground.context.store.read);
  const own = sessionAddress(session.id);
  return main?.id === session.id ? [own, agentAddress(session.agent)] : [own];
}

/** Its terminal, or the one in which its agent is at home, is not seen, but not known to have ended either. */
export function unseenIn(ground: Ground, sessionId: string): boolean {
  const { directory } = ground;
  const session = directory.recordOf(sessionId);
  if (session === undefined) return false;
  const isUnseen = (one: StoredSession) =>
    one.identity !== undefined && one.exitedAt === undefined && directory.get(one.id) === undefined;
  if (isUnseen(session)) return true;
  const isMain = mailboxesOf(ground, sessionId).length > 1;
  return (
    isMain && ground.context.store.read.sessionsOf(session.agent).some((one) => one.main && isUnseen(one))
  );
}

/** Undefined: it takes no turns, or a terminal takes its mail, or may. */
export function seatOf(ground: Ground, sessionId: string): Seat | undefined {
  const { context, directory } = ground;
  const { read } = context.store;
  const session = directory.recordOf(sessionId);
  if (session === undefined || read.agent(session.agent) === undefined) return undefined;
  const { autoRun } = autoRunFor(ground, session.agent, session);
  if (!autoRun.enabled) return undefined;
  const mailboxes = mailboxesOf(ground, sessionId).filter(
    (mailbox) => directory.takerOfMailbox(mailbox) === undefined,
  );
  // In a terminal it is not also run without one, whatever waits elsewhere.
  const isOpen =
    directory.get(session.id) !== undefined ||
    !mailboxes.includes(sessionAddress(session.id)) ||
    unseenIn(ground, sessionId);
  return isOpen ? undefined : { session, autoRun, mailboxes };
}

/** Whether a turn without a terminal would take what comes into this mailbox. */
export function takesTurns(ground: Ground, mailbox: Address): boolean {
  const session = sessionFor(ground, mailbox);
  return session !== undefined && seatOf(ground, session.id)?.mailboxes.includes(mailbox) === true;
}

/** Where it works: what was said, else where it worked last. */
export function folderOf({ context }: Ground, { session, autoRun }: Seat): string | undefined {
  if (autoRun.cwd !== undefined) return autoRun.cwd;
  if (session.folder !== undefined) return session.folder;
  const past = context.store.read.sessionsOf(session.agent).filter(({ folder }) => folder !== undefined);
  return past.toSorted((a, b) => b.lastActiveAt - a.lastActiveAt)[0]?.folder;
}

/**
 * The conversation that a turn goes on with: its session's. For the main session it is the last one of all that were
 * main, because a terminal may have had a session of its own; but only where the program finds it, in the turn's folder,
 * and never one that is open in a terminal.
 */
export function conversationOf(ground: Ground, seat: Seat): string | undefined {
  const { session, autoRun } = seat;
  const folder = folderOf(ground, seat);
  const others = session.main ? ground.context.store.read.sessionsOf(session.agent) : [];
  const isEnded = ({ id, identity, exitedAt }: StoredSession) =>
    ground.directory.get(id) === undefined && (identity === undefined || exitedAt !== undefined);
  const [last] = [
    session,
    ...others.filter((other) => other.main && other.folder === folder && isEnded(other)),
  ]
    .filter(({ program, programSessionId }) => program === autoRun.runner && programSessionId !== undefined)
    .toSorted((a, b) => b.lastActiveAt - a.lastActiveAt);
  return last?.programSessionId;
}

export function namedAgent({ context, directory }: Ground, asked: string): AgentName {
  const name = directory.nameHere(asked);
  if (context.store.read.agent(name) !== undefined) return name;
  throw directory.noAgent(
    asked,
    'Make it with "bellhop agent add NAME", or see who is there with "bellhop agent list".',
  );
}

export function namedSession(ground: Ground, agent: AgentName, named: string | undefined): StoredSession {
  const found =
    named === undefined
      ? mainSession(ground, agent, ground.context.store.read)
      : ground.directory.sessionOf(agent, named);
  if (found !== undefined) return found;
  throw new BellhopError("session.unknown", {
    message: `"${agent}" has no session "${named ?? "main"}".`,
    next: `See its sessions with "bellhop agent show ${agent}".`,
  });
}
