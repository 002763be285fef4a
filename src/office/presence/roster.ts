/**
 * Who runs, and whose mail is whose: live sessions in memory, agents and past sessions from the store. Only the
 * registrar changes it. It never talks to a terminal.
 */
import { agentAddress, sessionAddress, splitAddress } from "../../core/address.ts";
import type { Address, AgentName, SessionId } from "../../core/message.ts";
import { MAIN } from "../../core/session.ts";
import { hasRun } from "../../core/successor.ts";
import type { Store, StoredSession, StoreReader } from "../../ports/store.ts";
import type { TerminalRef } from "../../ports/terminal.ts";
import type { LiveSession } from "./live-session.ts";

/** Enough to tell whether it ever ran. */
const LAST_ENDED = 8;

/** An agent no longer answers what it was told in sessions before these. */
const SESSIONS_LOOKED_BACK = 16;

export class Roster {
  protected readonly store: Store;
  readonly #live = new Map<SessionId, LiveSession>();
  readonly #byAgent = new Map<AgentName, Set<LiveSession>>();
  readonly #byPane = new Map<string, Set<LiveSession>>();
  /** The order of arrival, which decides between several. */
  readonly #order = new Map<SessionId, number>();
  #came = 0;

  constructor(store: Store) {
    this.store = store;
  }

  add(session: LiveSession): void {
    const { id, agent } = session.record;
    this.#unlist(this.#live.get(id));
    this.#live.set(id, session);
    this.#came += 1;
    this.#order.set(id, this.#order.get(id) ?? this.#came);
    include(this.#byPane, paneKey(session.identity), session);
    include(this.#byAgent, agent, session);
    session.onRenamed = (before) => {
      exclude(this.#byAgent, before, session);
      include(this.#byAgent, session.record.agent, session);
    };
  }

  remove(id: SessionId): void {
    this.#unlist(this.#live.get(id));
    this.#live.delete(id);
    this.#order.delete(id);
  }

  #unlist(session: LiveSession | undefined): void {
    if (session === undefined) return;
    session.onRenamed = undefined;
    exclude(this.#byAgent, session.record.agent, session);
    exclude(this.#byPane, paneKey(session.identity), session);
  }

  get(id: SessionId): LiveSession | undefined {
    return this.#live.get(id);
  }

  all(): readonly LiveSession[] {
    return [...this.#live.values()];
  }

  get count(): number {
    return this.#live.size;
  }

  /** The live sessions of an agent, in order of arrival. */
  of(agent: AgentName): readonly LiveSession[] {
    const found = [...(this.#byAgent.get(agent) ?? [])];
    return found.length < 2 ? found : found.toSorted((a, b) => this.#place(a) - this.#place(b));
  }

  /** The live sessions in one terminal: several if a person has suspended some. */
  at(terminal: Pick<TerminalRef, "server" | "pane">): readonly LiveSession[] {
    return [...(this.#byPane.get(paneKey(terminal)) ?? [])];
  }

  #place({ record }: LiveSession): number {
    return this.#order.get(record.id) ?? 0;
  }

  /** A running session's current record, else the stored one. */
  recordOf(id: SessionId): StoredSession | undefined {
    return this.#live.get(id)?.record ?? this.store.read.session(id);
  }

  /** Which of an agent's sessions a word means: by its name, its id, or `main`, which prefers a running one. */
  sessionOf(agent: AgentName, text: string, read: StoreReader = this.store.read): StoredSession | undefined {
    const named = read.sessionByName(agent, text);
    if (named !== undefined) return named;
    const byId = read.session(text);
    if (byId?.agent === agent) return byId;
    return text === MAIN ? this.mainOf(read.sessionsOf(agent)) : undefined;
  }

  /** Of an agent's sessions: the one created as `main`, else a running main one, else the main one that ended last. */
  mainOf(sessions: readonly StoredSession[]): StoredSession | undefined {
    const all = sessions.filter(({ main }) => main);
    return (
      sessions.find(({ name }) => name === MAIN) ?? all.find(({ id }) => this.#live.has(id)) ?? all.at(-1)
    );
  }

  /** The session that a message to the agent goes to: its main one, else the most recently active. */
  takerOf(agent: AgentName): LiveSession | undefined {
    if (!this.#byAgent.has(agent)) return undefined;
    const sessions = this.of(agent);
    return (
      sessions.find(({ record }) => record.main) ??
      sessions.toSorted((a, b) => b.record.lastActiveAt - a.record.lastActiveAt)[0]
    );
  }

  /** Whether it gets messages to all: an agent that runs or has never run, not one whose program has ended. */
  isThere(agent: AgentName, read: StoreReader = this.store.read): boolean {
    if (this.takerOf(agent) !== undefined) return true;
    const ran = read.sessionsOf(agent, LAST_ENDED).filter(hasRun);
    return ran.length === 0 || ran.some(({ exitedAt }) => exitedAt === undefined);
  }

  mailboxesOf(session: LiveSession): readonly Address[] {
    const own = [session.record.id, ...this.#resumedIn(session)].map(sessionAddress);
    const { agent } = session.record;
    if (this.takerOf(agent) !== session) return own;
    const waiting = this.store.read.sessionByName(agent, MAIN);
    const mailbox = waiting !== undefined && isMailbox(waiting) ? [sessionAddress(waiting.id)] : [];
    return [...own, ...mailbox, agentAddress(agent)];
  }

  /** Past sessions whose conversation continues in this one: it takes their mail. */
  #resumedIn({ record }: LiveSession): readonly SessionId[] {
    if (record.programSessionId === undefined) return [];
    return this.store.read
      .sessionsOfConversation(record.program, record.programSessionId)
      .map(({ id }) => id)
      .filter((id) => id !== record.id && !this.#live.has(id));
  }

  /** The live session that would take a delivery to this mailbox. */
  takerOfMailbox(mailbox: Address): LiveSession | undefined {
    // A message to a hundred agents asks it hundreds of times.
    if (this.#live.size === 0) return undefined;
    const { kind, rest } = splitAddress(mailbox);
    if (kind === "session") return this.#live.get(rest) ?? this.#resumptionOf(rest);
    return kind === "agent" ? this.takerOf(rest) : undefined;
  }

  #resumptionOf(id: SessionId): LiveSession | undefined {
    const past = this.store.read.session(id);
    if (past === undefined) return undefined;
    if (isMailbox(past)) return this.takerOf(past.agent);
    if (past.programSessionId === undefined) return undefined;
    return this.all().find(
      ({ record }) => record.program === past.program && record.programSessionId === past.programSessionId,
    );
  }

  knows(address: Address): boolean {
    const { kind, rest } = splitAddress(address);
    if (kind === "person") return true;
    if (kind === "session") return this.recordOf(rest) !== undefined;
    return kind === "agent" && this.store.read.agent(rest) !== undefined;
  }

  /** Every address under which this address's owner receives and sends; `most`: at most this many ended sessions. */
  aliases(address: Address, most?: number): readonly Address[] {
    const agent = this.#agentOf(address);
    if (agent === undefined) return [address];
    const sessions = this.store.read.sessionsOf(agent, most);
    return [agentAddress(agent), ...sessions.map(({ id }) => sessionAddress(id))];
  }

  /** The addresses under which its owner sends and receives now. */
  currentAliases(address: Address): readonly Address[] {
    return this.aliases(address, SESSIONS_LOOKED_BACK);
  }

  /** A session's mailbox belongs to its agent. */
  ownerOf(address: Address): Address {
    const agent = this.#agentOf(address);
    return agent === undefined ? address : agentAddress(agent);
  }

  #agentOf(address: Address): AgentName | undefined {
    const { kind, rest } = splitAddress(address);
    if (kind === "agent") return rest;
    return kind === "session" ? this.store.read.session(rest)?.agent : undefined;
  }
}

/** An agent's main session that was never in a terminal: whatever program the agent runs there continues it. */
function isMailbox(session: StoredSession): boolean {
  return session.name === MAIN && !hasRun(session);
}

function paneKey({ server, pane }: Pick<TerminalRef, "server" | "pane">): string {
  return `${server}\0${pane}`;
}

function include<K>(groups: Map<K, Set<LiveSession>>, key: K, session: LiveSession): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, new Set([session]));
  else group.add(session);
}

function exclude<K>(groups: Map<K, Set<LiveSession>>, key: K, session: LiveSession): void {
  const group = groups.get(key);
  group?.delete(session);
  if (group?.size === 0) groups.delete(key);
}
