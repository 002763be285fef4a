/** An agent as every door shows it, with its sessions. Read-only; a list may name thousands of them. */
import type { Address, AgentName, SessionId } from "../../core/message.ts";
import { agentRights } from "../../core/rights/rights.ts";
import type { StoredSession, StoreReader } from "../../ports/store.ts";
import type { ShownAgent } from "../../wire/shapes/sessions.ts";
import { shownSubscription } from "../broker/broker-shape.ts";
import type { Ground } from "../presence/ground.ts";

/** For which mailboxes, and for which owners of subscriptions, the store has to be queried. */
export interface WorthAsking {
  isFilled(mailbox: Address): boolean;
  /** Whether this agent or session has subscriptions. */
  hears(owner: AgentName | SessionId): boolean;
}

const EVERYTHING: WorthAsking = { isFilled: () => true, hears: () => true };

export function shownAgent(
  { name, createdAt, origin, paused }: ReturnType<StoreReader["agents"]>[number],
  ground: Ground,
  worthAsking = EVERYTHING,
): ShownAgent {
  const { context, directory } = ground;
  const { read } = context.store;
  const sessions = read.sessionsOf(name);
  const main = directory.mainOf(sessions);
  const mailboxes = [`agent/${name}`, ...sessions.map(({ id }) => `session/${id}`)].filter((mailbox) =>
    worthAsking.isFilled(mailbox),
  );
  return {
    name,
    createdAt,
    origin,
    paused,
    queued: mailboxes.length === 0 ? 0 : read.countQueued(mailboxes),
    rights: agentRights(name, context.settings().rights),
    subscriptions: worthAsking.hears(name)
      ? read.subscriptionsOf({ kind: "agent", agent: name }).map(shownSubscription)
      : [],
    sessions: sessions.map((session) => shownSession(session, main, ground, worthAsking)),
  };
}

function shownSession(
  session: StoredSession,
  main: StoredSession | undefined,
  { context, directory }: Ground,
  { hears }: WorthAsking,
): ShownAgent["sessions"][number] {
  const { id, name, program, label } = session;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    title: name === undefined ? directory.headlineOf(session) : session.title || name,
    isDefault: id === main?.id,
    createdAt: session.startedAt,
    lastUsedAt: session.lastActiveAt,
    subscriptions: hears(id)
      ? context.store.read.subscriptionsOf({ kind: "session", sessionId: id }).map(shownSubscription)
      : [],
    program,
    label,
    live: directory.get(id) !== undefined,
  };
}
