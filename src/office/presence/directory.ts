/**
 * Who is there: live sessions in memory, agents and past sessions from the store.
 * Everyone asks it for names and takers; only the registrar changes it. It never talks to a terminal.
 */
import {
  agentAddress,
  programAddress,
  type RecipientDirectory,
  resolveRecipient,
  sessionAddress,
  sessionPrefix,
  splitAddress,
} from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, AgentName, SessionId, Source } from "../../core/message.ts";
import { runningProgram, sharedConversation } from "../../core/rights/agent-variables.ts";
import { normalisePath } from "../../core/routing/pattern.ts";
import { headline, MAIN } from "../../core/session.ts";
import { hasRun } from "../../core/successor.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { Store, StoredSession, StoreReader } from "../../ports/store.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import { descendantAt } from "./lineage.ts";
import type { LiveSession } from "./live-session.ts";

export interface SenderIdentity {
  readonly address: Address;
  readonly sessionId?: SessionId;
  readonly source: Source;
}

/** As it was given; nobody is there, so nobody gets it. What could be read as something else is not repeated. */
export function unknownSessionAddress(id: string): Address {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id) ? sessionAddress(id) : "session/unknown";
}

/** Notices and keys among them name nothing. */
const LAST_DELIVERED = 4;
/** Enough to see whether it ever ran. */
const LAST_ENDED = 8;

/** What an agent was told in a session before these is nothing that it still answers. */
const SESSIONS_LOOKED_BACK = 16;

export class Directory {
  readonly #store: Store;
  /** The person whose daemon this is. */
  readonly #owner: Address | undefined;
  readonly #live = new Map<SessionId, LiveSession>();

  constructor(store: Store, owner?: Address) {
    this.#store = store;
    this.#owner = owner;
  }

  add(session: LiveSession): void {
    this.#live.set(session.record.id, session);
  }

  remove(id: SessionId): void {
    this.#live.delete(id);
  }

  get(id: SessionId): LiveSession | undefined {
    return this.#live.get(id);
  }

  all(): readonly LiveSession[] {
    return [...this.#live.values()];
  }

  /** The session that a message to the agent goes to: its main one, else the most recently active. */
  takerOf(agent: AgentName): LiveSession | undefined {
    const sessions = this.all().filter(({ record }) => record.agent === agent);
    return (
      sessions.find(({ record }) => record.main) ??
      sessions.toSorted((a, b) => b.record.lastActiveAt - a.record.lastActiveAt)[0]
    );
  }

  /** For what is said to all: not an agent whose program has ended, only one that runs, or that never had any. */
  isThere(agent: AgentName, read: StoreReader = this.#store.read): boolean {
    if (this.takerOf(agent) !== undefined) return true;
    const ran = read.sessionsOf(agent, LAST_ENDED).filter(hasRun);
    return ran.length === 0 || ran.some(({ exitedAt }) => exitedAt === undefined);
  }

  mailboxesOf(session: LiveSession): readonly Address[] {
    const own = [session.record.id, ...this.#resumedIn(session)].map(sessionAddress);
    const { agent } = session.record;
    if (this.takerOf(agent) !== session) return own;
    const waiting = this.#store.read.sessionByName(agent, MAIN);
    const mailbox = waiting !== undefined && isMailbox(waiting) ? [sessionAddress(waiting.id)] : [];
    return [...own, ...mailbox, agentAddress(agent)];
  }

  /** Past sessions whose conversation goes on in this one: their mail comes here. */
  #resumedIn({ record }: LiveSession): readonly SessionId[] {
    if (record.programSessionId === undefined) return [];
    return this.#store.read
      .sessionsOfConversation(record.program, record.programSessionId)
      .map(({ id }) => id)
      .filter((id) => id !== record.id && !this.#live.has(id));
  }

  /** The live session that would take a delivery to this mailbox. */
  takerOfMailbox(mailbox: Address): LiveSession | undefined {
    const { kind, rest } = splitAddress(mailbox);
    if (kind === "session") return this.#live.get(rest) ?? this.#resumptionOf(rest);
    return kind === "agent" ? this.takerOf(rest) : undefined;
  }

  #resumptionOf(id: SessionId): LiveSession | undefined {
    const past = this.#store.read.session(id);
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
    if (kind === "session") return this.#live.has(rest) || this.#store.read.session(rest) !== undefined;
    return kind === "agent" && this.#store.read.agent(rest) !== undefined;
  }

  headlineOf(session: StoredSession, titleHeadline?: string): string {
    const agent = this.#store.read.agent(session.agent);
    return headline({
      chosenName: agent?.chosen === true ? session.agent : undefined,
      title: titleHeadline ?? this.#live.get(session.id)?.profile.headlineFromTitle(session.title),
      lastPrompt: this.#deliveredLast(session.id) ?? session.lastPrompt,
      branch: session.branch,
      id: session.id,
    });
  }

  /** What a person typed there is theirs: it names the session only where nothing was ever delivered to it. */
  #deliveredLast(id: SessionId): string | undefined {
    if (!this.#live.has(id)) return undefined;
    return this.#store.read
      .attemptedIn(id, ["delivered", "read", "replied"], LAST_DELIVERED)
      .find(({ message }) => message.source !== "bellhop" && message.form.kind === "text")?.message.body;
  }

  /** Who could be meant by it: all who run, and of those who do not only whoever the word itself finds. */
  #candidates(text: string): RecipientDirectory {
    const { read } = this.#store;
    const named = read.agent(text);
    const live = this.all().map(({ record }) => record);
    const past = startingWith(text, read).filter(({ id }) => !this.#live.has(id));
    return {
      agents: named === undefined ? read.agents() : [named],
      sessions: [...live, ...past].map(({ id, agent, label }) => ({
        id,
        agent,
        label,
        live: this.#live.has(id),
      })),
    };
  }

  names(): readonly AgentName[] {
    return this.#store.read.agents().map(({ name }) => name);
  }

  /** A person's word for a recipient → the canonical address. Refuses two candidates. */
  resolve(who: string): Address {
    // Slashes at either end of a path say nothing; a single word between them is no path, and no name either.
    const path = normalisePath(who);
    if (who.includes("/") && !path.includes("/")) throw this.#halfAPath(who, path);
    const meant = path.includes("/") ? path : who;
    const resolution = resolveRecipient(meant, this.#candidates(meant));
    if (resolution.kind === "address") {
      const descendant = descendantAt(resolution.address, this.#store.read);
      return descendant === undefined ? resolution.address : agentAddress(descendant);
    }
    if (resolution.kind === "ambiguous") {
      throw new BellhopError("recipient.ambiguous", {
        message: `"${who}" could be any of: ${resolution.candidates.join(", ")}.`,
        next: 'Use one of these, or a session id from "bellhop ls".',
        candidates: resolution.candidates,
      });
    }
    if (this.#owner !== undefined && `person/${meant}` === this.#owner) return this.#owner;
    throw new BellhopError("recipient.unknown", {
      message: `No agent or session matches "${who}".`,
      next: `${didYouMean(who, this.names())}See who is there with "bellhop ls"; create a mailbox with "bellhop agent add NAME".`,
    });
  }

  #halfAPath(who: string, word: string): BellhopError {
    const meant = word === "" ? undefined : resolveRecipient(word, this.#candidates(word));
    return new BellhopError("name.invalid", {
      message: `"${sanitiseLine(who, 80)}" is neither a name nor a whole path.`,
      next:
        meant === undefined
          ? "Name an agent, or write a path such as slack/team."
          : meant.kind === "unknown"
            ? `Write the whole path, such as "${sanitiseLine(word, 64)}/…"; no agent is called "${sanitiseLine(word, 64)}".`
            : `Leave the slash out to reach "${sanitiseLine(word, 64)}", or write the whole path.`,
    });
  }

  /** The live session behind a person's word; for everything that needs a screen. */
  resolveLive(who: string): LiveSession {
    const address = this.resolve(who);
    const live = this.takerOfMailbox(address);
    if (live !== undefined) return live;
    throw new BellhopError(this.knows(address) ? "session.exited" : "session.unknown", {
      message: `${address} has no program running.`,
      next: `See who is there with "bellhop ls".`,
    });
  }

  /** From what a process says of itself: its own session if it has one, else the person at this machine. */
  sender(claims: Claims, from: string | undefined): SenderIdentity {
    if (claims.agent !== undefined) return this.#byToken(claims.agent, from);
    const own = this.ownSession(claims);
    if (own !== undefined) {
      if (from !== undefined) throw speaksForItself(`session ${own.id} of "${own.agent}"`);
      return { address: agentAddress(own.agent), sessionId: own.id, source: "agent" };
    }
    const stranger = strangerIn(claims);
    if (stranger !== undefined) {
      if (from !== undefined) throw speaksForItself(stranger);
      return { address: stranger, source: "script" };
    }
    if (from !== undefined) return this.#namedSender(from);
    return { address: `person/${claims.user}`, source: "person" };
  }

  /** Whoever brings a message from outside, or speaks under a name that is no agent's: a bridge, a script. */
  bringer(claims: Claims, from: string | undefined, channel: string | undefined): SenderIdentity {
    const named = from === undefined || this.#isSomebody(from) ? this.sender(claims, from) : undefined;
    const sender = named ?? { address: this.#programAddress(claims, from ?? ""), source: "script" };
    if (channel === undefined || channel === "internal") return sender;
    if (sender.source === "agent") {
      throw new BellhopError("request.forbidden", {
        message: "An agent's message is not from outside.",
        next: 'Leave "source" out, or name the bridge that brings it.',
      });
    }
    return { address: sender.address, source: channel === "webhook" ? "webhook" : "bridge" };
  }

  #isSomebody(from: string): boolean {
    const resolution = resolveRecipient(from, this.#candidates(from));
    return resolution.kind !== "unknown";
  }

  #programAddress(claims: Claims, from: string): Address {
    if (claims.agent !== undefined) this.#byToken(claims.agent, from);
    const own = this.ownSession(claims);
    const self = own === undefined ? strangerIn(claims) : `session ${own.id} of "${own.agent}"`;
    if (self !== undefined) throw speaksForItself(self);
    return programAddress(from);
  }

  /** An agent's own token: the caller is that agent, whatever it says. */
  #byToken(agent: AgentName, from: string | undefined): SenderIdentity {
    if (from !== undefined && from !== agent && from !== agentAddress(agent)) {
      throw new BellhopError("request.forbidden", {
        message: `This token speaks for "${agent}" and nobody else.`,
        next: "Send without naming a sender.",
      });
    }
    if (this.#store.read.agent(agent) === undefined) {
      throw new BellhopError("agent.unknown", {
        message: `The agent that this token speaks for is gone: "${agent}".`,
        next: `Create it again with "bellhop agent add ${agent}".`,
      });
    }
    const session = this.takerOf(agent)?.record;
    return {
      address: agentAddress(agent),
      source: "agent",
      ...(session === undefined ? {} : { sessionId: session.id }),
    };
  }

  ownSession(claims: Claims): StoredSession | undefined {
    // What a server runs that several terminals share has nothing of its own in its environment but this.
    const shared = sharedConversation(claims.programSessions);
    if (shared !== undefined) return this.#byProgramSessions(new Set([shared.id]));
    if (claims.session !== undefined) {
      const session = this.#live.get(claims.session)?.record ?? this.#store.read.session(claims.session);
      if (session !== undefined) return session;
    }
    const byProgram = this.#byProgramSessions(new Set(Object.values(claims.programSessions ?? {})));
    if (byProgram !== undefined) return byProgram;
    const { tmux, besideAgent } = claims;
    return tmux === undefined || besideAgent === true ? undefined : this.atPane(tmux)?.record;
  }

  atPane({ socket, pane }: NonNullable<Claims["tmux"]>): LiveSession | undefined {
    const there = this.all().filter(({ identity }) => identity.pane === pane && identity.server === socket);
    // Of two in one terminal only the one in front runs anything.
    return there.find(({ suspension }) => suspension === undefined) ?? there[0];
  }

  #byProgramSessions(ids: ReadonlySet<string>): StoredSession | undefined {
    return this.all().find(
      ({ record }) => record.programSessionId !== undefined && ids.has(record.programSessionId),
    )?.record;
  }

  /** The owner may name another sender: an agent by any of its names, or a path such as `person/dev`. */
  #namedSender(from: string): SenderIdentity {
    const address = this.resolve(from);
    if (address.startsWith("bellhop/")) {
      throw new BellhopError("request.forbidden", {
        message: "Only Bellhop itself speaks as bellhop/….",
        next: "Name an agent, a person or a program.",
      });
    }
    const { kind, rest } = splitAddress(address);
    if (kind === "person" && !/^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,63}$/u.test(rest)) {
      throw new BellhopError("name.invalid", {
        message: "A person's name may hold letters, digits, dot, hyphen, underscore and blanks.",
        next: "Use person/NAME with such a name.",
      });
    }
    if (kind === "session") {
      const session = this.#live.get(rest)?.record ?? this.#store.read.session(rest);
      if (session !== undefined)
        return { address: agentAddress(session.agent), sessionId: session.id, source: "agent" };
    }
    if (kind === "agent") {
      const session = this.takerOf(rest)?.record;
      return { address, source: "agent", ...(session === undefined ? {} : { sessionId: session.id }) };
    }
    return { address, source: kind === "person" ? "person" : "script" };
  }

  /** Every address under which this address's owner receives and sends. */
  aliases(address: Address): readonly Address[] {
    const agent = this.#agentOf(address);
    if (agent === undefined) return [address];
    const sessions = this.#store.read.sessionsOf(agent);
    return [agentAddress(agent), ...sessions.map(({ id }) => sessionAddress(id))];
  }

  /** Under which its owner writes and is written to now: as `aliases`, without the sessions that ended long ago. */
  currentAliases(address: Address): readonly Address[] {
    const agent = this.#agentOf(address);
    if (agent === undefined) return [address];
    const sessions = this.#store.read.sessionsOf(agent, SESSIONS_LOOKED_BACK);
    return [agentAddress(agent), ...sessions.map(({ id }) => sessionAddress(id))];
  }

  /** A session's mailbox is its agent's. */
  ownerOf(address: Address): Address {
    const agent = this.#agentOf(address);
    return agent === undefined ? address : agentAddress(agent);
  }

  #agentOf(address: Address): AgentName | undefined {
    const { kind, rest } = splitAddress(address);
    if (kind === "agent") return rest;
    return kind === "session" ? this.#store.read.session(rest)?.agent : undefined;
  }
}

/** Sessions that a word may mean by their id. */
export function startingWith(text: string, read: StoreReader): readonly StoredSession[] {
  const prefix = sessionPrefix(text);
  if (prefix !== undefined) return read.sessionsStarting(prefix);
  const session = read.session(text.toLowerCase());
  return session === undefined ? [] : [session];
}

/** An agent's main session from before any program ran for it: whatever runs for the agent goes on with it. */
function isMailbox({ name, program }: StoredSession): boolean {
  return name === MAIN && program === "";
}

/** A caller that says it is a session, or is run by an agent program, and is none that we know: never the person. */
function strangerIn(claims: Claims): Address | undefined {
  if (claims.session !== undefined) return unknownSessionAddress(claims.session);
  const program = runningProgram(claims.programSessions);
  return program === undefined ? undefined : `program/${program}`;
}

function speaksForItself(self: string): BellhopError {
  return new BellhopError("request.forbidden", {
    message: `An agent speaks for itself: this is ${self}.`,
    next: "Send without --from.",
  });
}
