/**
 * Every session in memory, indexed by agent, conversation and process: a long-lived agent has thousands of ended
 * sessions, and no message may scan them.
 */
import type { AgentName, SessionId } from "../../../core/message.ts";
import type { StoredSession } from "../../../ports/store.ts";

export class SessionIndex {
  readonly #byId = new Map<SessionId, StoredSession>();
  readonly #byAgent = new Groups();
  /** Those created by name, by agent. */
  readonly #named = new Groups();
  readonly #byConversation = new Groups();
  readonly #byProcess = new Groups();
  readonly #byFolder = new Groups();
  readonly #live = new Set<SessionId>();
  /** Ids in answer order; an agent without an entry has to be sorted again. */
  readonly #ordered = new Map<AgentName, readonly SessionId[]>();
  #exited: readonly SessionId[] | undefined;
  /** What `latestOfAgent` answered, by how many were asked for: every message for an agent that is away asks for it. */
  readonly #latest = new Map<AgentName, Map<number, readonly StoredSession[]>>();

  constructor(sessions: Iterable<StoredSession>) {
    for (const session of sessions) this.#add(session);
  }

  get(id: SessionId): StoredSession | undefined {
    return this.#byId.get(id);
  }

  /** The current record; undefined: removed. */
  set(id: SessionId, now: StoredSession | undefined): void {
    const before = this.#byId.get(id);
    const keepsPlace =
      before !== undefined &&
      before.agent === now?.agent &&
      before.startedAt === now.startedAt &&
      before.exitedAt === now.exitedAt;
    if (before !== undefined) this.#remove(before);
    if (now !== undefined) this.#add(now);
    for (const session of [before, now]) if (session !== undefined) this.#latest.delete(session.agent);
    if (keepsPlace) return;
    for (const session of [before, now]) if (session !== undefined) this.#ordered.delete(session.agent);
    this.#exited = undefined;
  }

  /** Live ones by start, then the others by end. */
  ofAgent(agent: AgentName): readonly StoredSession[] {
    if (!this.#byAgent.has(agent)) return NONE;
    let ids = this.#ordered.get(agent);
    if (ids === undefined) {
      ids = this.#all(this.#byAgent.of(agent)).toSorted(byTime).map(idOf);
      this.#ordered.set(agent, ids);
    }
    return this.#all(ids);
  }

  /**
   * As `ofAgent`, but of the ended ones only those created by name, and the `most` that ended last. The same list as
   * long as nothing about them changes.
   */
  latestOfAgent(agent: AgentName, most: number): readonly StoredSession[] {
    // Whatever name a message has: it is not remembered.
    if (!this.#byAgent.has(agent)) return NONE;
    const known = this.#latest.get(agent) ?? new Map<number, readonly StoredSession[]>();
    const before = known.get(most);
    if (before !== undefined) return before;
    const ids = this.#ordered.get(agent) ?? this.ofAgent(agent).map(idOf);
    const over = ids.findIndex((id) => !this.#live.has(id));
    const live = over === -1 ? ids.length : over;
    const last = ids.slice(Math.max(live, ids.length - most));
    const sessions = this.#all(new Set([...ids.slice(0, live), ...this.#named.of(agent), ...last]));
    this.#latest.set(agent, known.set(most, sessions));
    return sessions;
  }

  named(agent: AgentName, name: string): StoredSession | undefined {
    for (const id of this.#named.of(agent)) {
      const session = this.#byId.get(id);
      if (session?.name === name) return session;
    }
    return undefined;
  }

  ofConversation(program: string, programSessionId: string): readonly StoredSession[] {
    return this.#all(this.#byConversation.of(conversation(program, programSessionId))).toSorted(byTime);
  }

  ofProcess(agentPid: number): readonly StoredSession[] {
    return this.#all(this.#byProcess.of(String(agentPid))).toSorted(byTime);
  }

  inFolder(folder: string): readonly StoredSession[] {
    return this.#all(this.#byFolder.of(folder)).toSorted(byTime);
  }

  live(): readonly StoredSession[] {
    return this.#all(this.#live).toSorted(byTime);
  }

  /** In order of end. */
  exitedAfter(at: number): readonly StoredSession[] {
    this.#exited ??= [...this.#byId.values()]
      .filter(({ exitedAt }) => exitedAt !== undefined)
      .toSorted(byTime)
      .map(idOf);
    const exited = this.#exited;
    let first = exited.length;
    while (first > 0 && (this.#byId.get(exited[first - 1] ?? "")?.exitedAt ?? 0) > at) first -= 1;
    return this.#all(exited.slice(first));
  }

  #all(ids: Iterable<SessionId>): readonly StoredSession[] {
    const found: StoredSession[] = [];
    for (const id of ids) {
      const session = this.#byId.get(id);
      if (session !== undefined) found.push(session);
    }
    return found;
  }

  #add(session: StoredSession): void {
    this.#byId.set(session.id, session);
    for (const [group, key] of this.#groupsOf(session)) group.add(key, session.id);
    if (session.exitedAt === undefined) this.#live.add(session.id);
  }

  #remove(session: StoredSession): void {
    this.#byId.delete(session.id);
    for (const [group, key] of this.#groupsOf(session)) group.remove(key, session.id);
    this.#live.delete(session.id);
  }

  #groupsOf({ agent, name, program, programSessionId, identity, folder }: StoredSession) {
    const groups: [group: Groups, key: string][] = [[this.#byAgent, agent]];
    if (name !== undefined) groups.push([this.#named, agent]);
    if (programSessionId !== undefined)
      groups.push([this.#byConversation, conversation(program, programSessionId)]);
    if (identity !== undefined) groups.push([this.#byProcess, String(identity.agentPid)]);
    if (folder !== undefined) groups.push([this.#byFolder, folder]);
    return groups;
  }
}

const NONE: readonly StoredSession[] = [];

class Groups {
  readonly #groups = new Map<string, Set<SessionId>>();

  has(key: string): boolean {
    return this.#groups.has(key);
  }

  of(key: string): Iterable<SessionId> {
    return this.#groups.get(key) ?? [];
  }

  add(key: string, id: SessionId): void {
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, new Set([id]));
    else group.add(id);
  }

  remove(key: string, id: SessionId): void {
    const group = this.#groups.get(key);
    group?.delete(id);
    if (group?.size === 0) this.#groups.delete(key);
  }
}

function conversation(program: string, programSessionId: string): string {
  return `${program}\0${programSessionId}`;
}

function idOf({ id }: StoredSession): SessionId {
  return id;
}

function byTime(a: StoredSession, b: StoredSession): number {
  const order = (a.exitedAt ?? 0) - (b.exitedAt ?? 0) || a.startedAt - b.startedAt;
  return order === 0 && a.id !== b.id ? (a.id < b.id ? -1 : 1) : order;
}
