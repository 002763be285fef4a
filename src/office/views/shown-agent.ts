/** An agent as every door shows it, with its sessions. Read-only; a list may name thousands of them. */
import { agentAddress, sessionAddress, splitAddress } from "../../core/address.ts";
import type { AgentName, SessionId } from "../../core/message.ts";
import { agentRights } from "../../core/rights/rights.ts";
import type { Agent } from "../../core/session.ts";
import type { StoredSession, StoreReader } from "../../ports/store.ts";
import type { ShownAgent } from "../../wire/shapes/sessions.ts";
import { shownSubscription } from "../broker/broker-shape.ts";
import type { Ground } from "../presence/ground.ts";

/** For whom the store has to be queried, because something may wait there, or something is subscribed to. */
export interface WorthAsking {
  hasMail(agent: AgentName): boolean;
  sessionHasMail(session: SessionId): boolean;
  /** Whether this agent or session has subscriptions. */
  hears(owner: AgentName | SessionId): boolean;
}

const EVERYTHING: WorthAsking = { hasMail: () => true, sessionHasMail: () => true, hears: () => true };

/** Most have no subscriptions and no mail, and there may be thousands: they are not queried one by one. */
export function worthAsking(read: StoreReader): WorthAsking {
  const filled = new Set(read.mailboxesWithQueued());
  const sessions = new Set(
    [...filled].map(splitAddress).flatMap(({ kind, rest }) => (kind === "session" ? [rest] : [])),
  );
  const hearing = new Set(
    read.subscriptions().map(({ owner }) => (owner.kind === "session" ? owner.sessionId : owner.agent)),
  );
  return {
    hasMail: (agent) => filled.has(agentAddress(agent)),
    sessionHasMail: (session) => sessions.has(session),
    hears: (owner) => hearing.has(owner),
  };
}

export function shownAgent(agent: Agent, ground: Ground, worth = EVERYTHING): ShownAgent {
  const { context, directory } = ground;
  const { read } = context.store;
  const { name, createdAt, origin, paused } = agent;
  const sessions = read.sessionsOf(name);
  const main = directory.mainOf(sessions);
  const mailboxes = [
    ...(worth.hasMail(name) ? [agentAddress(name)] : []),
    ...sessions.filter(({ id }) => worth.sessionHasMail(id)).map(({ id }) => sessionAddress(id)),
  ];
  return {
    name,
    createdAt,
    origin,
    paused,
    queued: mailboxes.length === 0 ? 0 : read.countQueued(mailboxes),
    rights: agentRights(name, context.settings().rights),
    subscriptions: worth.hears(name)
      ? read.subscriptionsOf({ kind: "agent", agent: name }).map(shownSubscription)
      : [],
    sessions: sessions.map((session) => shownSession(session, main, ground, worth)),
  };
}

function shownSession(
  session: StoredSession,
  main: StoredSession | undefined,
  { context, directory }: Ground,
  { hears }: WorthAsking,
): ShownAgent["sessions"][number] {
  const { id, name } = session;
  // Written out as it is: an object put together from parts costs ten times as much, and there may be thousands.
  const shown = {
    id,
    title: name === undefined ? directory.headlineOf(session) : session.title || name,
    isDefault: id === main?.id,
    createdAt: session.startedAt,
    lastUsedAt: session.lastActiveAt,
    subscriptions: hears(id)
      ? context.store.read.subscriptionsOf({ kind: "session", sessionId: id }).map(shownSubscription)
      : [],
    program: session.program,
    label: session.label,
    live: directory.get(id) !== undefined,
  };
  return name === undefined ? shown : Object.assign({ id, name }, shown);
}
