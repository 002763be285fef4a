/**
 * Knows which programs run where: scans terminals, gives every program its agent and session, and notices when it ends.
 * The daemon and `ls` ask it to scan; hooks ask it who spoke. A new process takes over an agent only by the program's own
 * session id, by BELLHOP_SESSION_ID, or by `bellhop name`; never by its place or its folder.
 */
import { agentAddress, sessionAddress, slugAgentName, uniqueAgentName } from "../core/address.ts";
import type { SessionId } from "../core/message.ts";
import { findTokens } from "../core/prompt.ts";
import { sanitiseLine } from "../core/sanitise.ts";
import type { HookEvent } from "../ports/hook-event.ts";
import type { ProgramFacts } from "../ports/inbox.ts";
import type { Profile } from "../ports/profile.ts";
import type { ProgramRegistry } from "../ports/program-registry.ts";
import type { StoredSession } from "../ports/store.ts";
import type { Sighting, TerminalIdentity, TerminalServer } from "../ports/terminal.ts";
import type { OfficeContext } from "./context.ts";
import type { Directory } from "./directory.ts";
import { LiveSession, type ScreenDigest } from "./live-session.ts";
import { offlineHold } from "./offline.ts";

const LONGEST_PROMPT_KEPT = 200;

export interface RegistrarParts {
  readonly context: OfficeContext;
  readonly directory: Directory;
  readonly registry: ProgramRegistry;
  readonly digest: ScreenDigest;
  servers(): readonly TerminalServer[];
  /** The branch checked out there, for the headline. */
  branchOf?(folder: string): Promise<string | undefined>;
  profile(program: string, editing: "plain" | "vim" | undefined): Profile | undefined;
  /** A prompt that this session was just given came back in this hook. */
  expects(sessionId: SessionId, event: HookEvent): boolean;
  onLive(session: LiveSession): void;
  onExited(session: LiveSession): void;
  /** One was renamed or removed, with its subscriptions. */
  onAgentsChanged(): void;
}

export class Registrar {
  readonly #parts: RegistrarParts;
  #scanning: Promise<void> | undefined;
  #again = false;
  readonly serverStates = new Map<string, string>();
  readonly #foundBy = new WeakMap<LiveSession, TerminalServer>();

  constructor(parts: RegistrarParts) {
    this.#parts = parts;
  }

  /** Looks at every terminal once. Calls that come while it looks share one more look. */
  async scan(): Promise<void> {
    if (this.#scanning !== undefined) {
      this.#again = true;
      return this.#scanning;
    }
    this.#scanning = this.#scanUntilCalm().finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  async #scanUntilCalm(): Promise<void> {
    do {
      this.#again = false;
      for (const server of this.#parts.servers()) await this.#scanServer(server);
      await this.#leaveUnlisted();
    } while (this.#again);
  }

  /** The owner took their tmux server out of the config: nobody looks at them any more. */
  async #leaveUnlisted(): Promise<void> {
    const listed = new Set(this.#parts.servers().map(({ name }) => name));
    for (const session of this.#parts.directory.all()) {
      if (!listed.has(session.identity.server)) await this.exited(session);
    }
  }

  async #scanServer(server: TerminalServer): Promise<void> {
    const { directory } = this.#parts;
    const outcome = await server.scan();
    this.serverStates.set(
      server.name,
      outcome.kind === "unknown" ? `unknown: ${outcome.cause}` : outcome.kind,
    );
    // A scan that gave no answer is unknown, not empty: everybody stays.
    if (outcome.kind === "unknown") return;
    const sightings = outcome.kind === "scanned" ? outcome.sightings : [];
    // First those who left: whoever goes on with their conversation takes their place.
    for (const session of directory.all().filter(({ identity }) => identity.server === server.name)) {
      if (sightings.some(({ identity }) => sameIdentity(identity, session.identity))) continue;
      if (await this.#isGone(session)) await this.exited(session);
    }
    for (const sighting of sightings) {
      const known = directory.all().find(({ identity }) => sameIdentity(identity, sighting.identity));
      // A server that was taken out and put back is reached anew: what was opened before is closed.
      const reachable = known !== undefined && this.#foundBy.get(known) === server;
      if (known !== undefined && !reachable) await this.exited(known);
      if (reachable) await this.#refresh(known, sighting);
      else await this.#arrive(server, sighting);
    }
  }

  /** Its process has ended, or whoever had its terminal has: a program without one can be told nothing more. */
  async #isGone({ identity }: LiveSession): Promise<boolean> {
    const { processes } = this.#parts.context;
    const { agentPid, agentStartedAt, serverPid, serverStartedAt } = identity;
    if ((await processes.alive(agentPid, agentStartedAt)) === "gone") return true;
    return (await processes.alive(serverPid, serverStartedAt)) === "gone";
  }

  async #refresh(session: LiveSession, sighting: Sighting): Promise<void> {
    const label = sanitiseLine(sighting.label);
    const title = sanitiseLine(sighting.title);
    const branch = await this.#branchOf(session.record.folder);
    const { record } = session;
    if (
      record.label !== label ||
      record.title !== title ||
      (branch !== undefined && record.branch !== branch)
    )
      await this.#update(session, { label, title, ...(branch === undefined ? {} : { branch }) });
    // The owner may have taught it anew.
    if (session.profile.inbox === undefined) {
      session.profile = this.#parts.profile(session.record.program, undefined) ?? session.profile;
    }
    await this.#consultRegistry(session);
  }

  async #branchOf(folder: string | undefined): Promise<string | undefined> {
    const branch = folder === undefined ? undefined : await this.#parts.branchOf?.(folder);
    return branch === undefined ? undefined : sanitiseLine(branch);
  }

  /** What the program writes down about itself: session id, version, inbox. */
  async #consultRegistry(session: LiveSession): Promise<void> {
    const { registry } = this.#parts;
    const { agentPid, agentStartedAt } = session.identity;
    const entry = await registry.lookUp(session.record.program, { pid: agentPid, startedAt: agentStartedAt });
    if (entry === undefined) return;
    const { status: _status, editing, ...facts } = entry;
    session.profile = this.#parts.profile(session.record.program, editing) ?? session.profile;
    session.facts = { ...session.facts, ...facts };
    const learnt = {
      ...(entry.programSessionId === undefined ? {} : { programSessionId: entry.programSessionId }),
      ...(entry.version === undefined ? {} : { version: entry.version }),
      ...(entry.transcriptPath === undefined ? {} : { transcriptPath: entry.transcriptPath }),
    };
    const changed = Object.entries(learnt).some(
      ([key, value]) => session.record[key as keyof StoredSession] !== value,
    );
    if (!changed) return;
    // It was seen before it had opened its conversation. A later change is no proof: of several, this is the likeliest.
    if (session.record.programSessionId === undefined) await this.#reunite(session, entry.programSessionId);
    await this.#update(session, learnt);
  }

  async #arrive(server: TerminalServer, sighting: Sighting): Promise<void> {
    const { context, directory } = this.#parts;
    const entry = await this.#parts.registry.lookUp(sighting.program, {
      pid: sighting.identity.agentPid,
      startedAt: sighting.identity.agentStartedAt,
    });
    const profile = this.#parts.profile(sighting.program, entry?.editing);
    if (profile === undefined) return;
    const record = await this.#recordFor(sighting, entry?.programSessionId);
    const { status: _status, editing: _editing, ...known } = entry ?? {};
    const facts: ProgramFacts = {
      ...known,
      sessionId: record.id,
      agentPid: sighting.identity.agentPid,
      ...(sighting.folder === undefined ? {} : { folder: sighting.folder }),
      ...(record.programSessionId === undefined ? {} : { programSessionId: record.programSessionId }),
      ...(record.transcriptPath === undefined ? {} : { transcriptPath: record.transcriptPath }),
    };
    const session = new LiveSession({
      record: {
        ...record,
        ...(entry?.version === undefined ? {} : { version: entry.version }),
        ...(entry?.programSessionId === undefined ? {} : { programSessionId: entry.programSessionId }),
        ...(entry?.transcriptPath === undefined ? {} : { transcriptPath: entry.transcriptPath }),
      },
      identity: sighting.identity,
      terminal: server.terminal(sighting.identity),
      profile,
      facts,
      clock: context.clock,
      digest: this.#parts.digest,
      ownNote: () =>
        this.#parts.registry.note(sighting.program, {
          pid: sighting.identity.agentPid,
          startedAt: sighting.identity.agentStartedAt,
        }),
    });
    await context.store.write((tx) => tx.putSession(session.record));
    this.#replayHooks(session);
    await session.observe();
    this.#foundBy.set(session, server);
    directory.add(session);
    context.log.info("session.live", {
      session: record.id,
      agent: record.agent,
      program: record.program,
      label: record.label,
    });
    this.#parts.onLive(session);
  }

  /** After a restart of the daemon: what the hooks had said before still holds, within its trust. */
  #replayHooks(session: LiveSession): void {
    const { store } = this.#parts.context;
    for (const event of store.read.hookEvents(session.record.id, session.record.startedAt)) {
      if (isTurnEvent(event.event)) {
        session.signal({
          kind: "hook",
          event: event.event,
          at: event.emittedAt,
          ...(event.subAgent === undefined ? {} : { subAgent: event.subAgent }),
        });
      }
    }
  }

  async #recordFor(sighting: Sighting, programSessionId: string | undefined): Promise<StoredSession> {
    const { context } = this.#parts;
    const { store, clock } = context;
    const place = {
      identity: sighting.identity,
      label: sanitiseLine(sighting.label),
      title: sanitiseLine(sighting.title),
      program: sighting.program,
      ...(sighting.folder === undefined ? {} : { folder: sighting.folder }),
    };
    const stored = store.read.sessions({ exitedSince: 0 });
    const same = stored.find(
      ({ identity }) => identity !== undefined && sameIdentity(identity, sighting.identity),
    );
    if (same !== undefined) return revived(same, place);
    const resumed = await this.#resumedBy(sighting, programSessionId);
    if (resumed !== undefined) return { ...revived(resumed, place), startedAt: clock.now(), hooked: false };
    const agent = await this.#newAgent(sighting.folder);
    return {
      ...place,
      id: context.ids.session(),
      agent,
      main: true,
      hooked: false,
      startedAt: clock.now(),
      lastActiveAt: clock.now(),
    };
  }

  async #resumedBy(
    sighting: Sighting,
    programSessionId: string | undefined,
  ): Promise<StoredSession | undefined> {
    const { context, directory } = this.#parts;
    const environment = await context.processes
      .environment(sighting.identity.agentPid, ["BELLHOP_SESSION_ID"])
      .catch(() => ({}) as Record<string, string>);
    const told: SessionId | undefined = environment.BELLHOP_SESSION_ID;
    const candidates = [
      told === undefined ? undefined : context.store.read.session(told),
      programSessionId === undefined
        ? undefined
        : context.store.read.sessionByProgramId(sighting.program, programSessionId),
    ];
    return candidates.find((session) => session !== undefined && directory.get(session.id) === undefined);
  }

  async #newAgent(folder: string | undefined): Promise<string> {
    const { store, clock } = this.#parts.context;
    const wanted = slugAgentName(
      folder
        ?.split("/")
        .filter((part) => part !== "")
        .at(-1) ?? "agent",
    );
    return store.write((tx) => {
      const name = uniqueAgentName(wanted, (taken) => tx.agent(taken) !== undefined);
      tx.putAgent({ name, createdAt: clock.now(), origin: "discovered", chosen: false, paused: false });
      return name;
    });
  }

  async #update(session: LiveSession, change: Partial<StoredSession>): Promise<void> {
    session.record = { ...session.record, ...change };
    await this.#parts.context.store.write((tx) => tx.putSession(session.record));
  }

  async exited(session: LiveSession): Promise<void> {
    const { context, directory } = this.#parts;
    if (directory.get(session.record.id) !== session) return;
    session.signal({ kind: "exited", at: context.clock.now() });
    directory.remove(session.record.id);
    this.#parts.onExited(session);
    await this.#recordExit(session.record);
    session.close();
    context.log.info("session.exited", { session: session.record.id, agent: session.record.agent });
  }

  async #recordExit(session: StoredSession): Promise<void> {
    const { context, directory } = this.#parts;
    const { store, clock } = context;
    await store.write((tx) => {
      tx.putSession({ ...session, exitedAt: clock.now() });
      const mailboxes = [sessionAddress(session.id)];
      if (directory.takerOf(session.agent) === undefined) mailboxes.push(agentAddress(session.agent));
      for (const { delivery, message } of tx.deliveries({ mailboxes, states: ["queued"] })) {
        tx.updateDelivery(delivery.id, { hold: offlineHold(delivery.to, clock.now(), message.shortId) });
      }
    });
  }

  /** `unknown`: it is not seen, and nobody says that its process has ended. */
  async whereabouts(id: SessionId): Promise<"live" | "gone" | "unknown"> {
    const { context, directory } = this.#parts;
    if (directory.get(id) !== undefined) return "live";
    const session = context.store.read.session(id);
    if (session?.identity === undefined || session.exitedAt !== undefined) return "gone";
    const { agentPid, agentStartedAt } = session.identity;
    return (await context.processes.alive(agentPid, agentStartedAt)) === "gone" ? "gone" : "unknown";
  }

  /** Those who ended while nobody looked. */
  async buryGone(): Promise<void> {
    for (const session of this.#parts.context.store.read.sessions()) {
      if ((await this.whereabouts(session.id)) === "gone") await this.#recordExit(session);
    }
  }

  /** Once, after the first look: mail that no courier will look at says so. */
  async holdUnattended(): Promise<void> {
    const { context, directory } = this.#parts;
    const { store, clock } = context;
    await store.write((tx) => {
      for (const { delivery } of tx.deliveries({ states: ["queued"] })) {
        if (delivery.hold !== undefined || directory.takerOfMailbox(delivery.to) !== undefined) continue;
        const release = `when a program is seen for ${delivery.to} again`;
        tx.updateDelivery(delivery.id, { hold: { reason: "unknown", since: clock.now(), release } });
      }
    });
  }

  /** Which session a hook came from. */
  async locate(event: HookEvent): Promise<LiveSession | undefined> {
    const found = this.#find(event);
    if (found !== undefined) return found;
    await this.scan();
    return this.#find(event);
  }

  /** A session that spoke before it ended: what it said is still true. */
  former(event: HookEvent): SessionId | undefined {
    const { read } = this.#parts.context.store;
    const { program, programSessionId, agentPid, emittedAt } = event;
    const byConversation =
      programSessionId === undefined ? undefined : read.sessionByProgramId(program, programSessionId);
    if (byConversation !== undefined || agentPid === undefined) return byConversation?.id;
    return read
      .sessions({ exitedSince: 0 })
      .findLast(
        (session) =>
          session.program === program &&
          session.identity?.agentPid === agentPid &&
          session.startedAt <= emittedAt &&
          emittedAt <= (session.exitedAt ?? Number.POSITIVE_INFINITY),
      )?.id;
  }

  #find(event: HookEvent): LiveSession | undefined {
    const sessions = this.#parts.directory.all().filter(({ record }) => record.program === event.program);
    const { tmux, programSessionId } = event;
    // Known by its conversation before anything else: where a server runs the hooks, nothing else is the session's own.
    const byConversation = sessions.find(
      ({ record }) => programSessionId !== undefined && record.programSessionId === programSessionId,
    );
    if (byConversation !== undefined) return byConversation;
    const expecting = sessions.filter(({ record }) => this.#parts.expects(record.id, event));
    if (expecting.length === 1) return expecting[0];
    if (event.agentPid !== undefined)
      return sessions.find(({ identity }) => identity.agentPid === event.agentPid);
    if (tmux !== undefined)
      return sessions.find(({ identity }) => identity.pane === tmux.pane && identity.server === tmux.socket);
    // A terminal of our own is named by the session it was started for; a tmux server inside it names panes.
    return sessions.find(({ identity }) => identity.kind === "pty" && identity.pane === event.bellhopSession);
  }

  /** A hook names the conversation: remember it, and take over the agent that had it before. */
  async learn(session: LiveSession, event: HookEvent): Promise<void> {
    const { context } = this.#parts;
    const { programSessionId } = event;
    await this.#reunite(session, programSessionId);
    // What another agent wrote must not name this session to a third.
    const prompt = findTokens(event.prompt ?? "").length > 0 ? undefined : event.prompt;
    session.facts = {
      ...session.facts,
      ...(programSessionId === undefined ? {} : { programSessionId }),
      ...(event.transcriptPath === undefined ? {} : { transcriptPath: event.transcriptPath }),
      ...(event.version === undefined ? {} : { version: event.version }),
    };
    await this.#update(session, {
      hooked: true,
      lastActiveAt: context.clock.now(),
      ...(programSessionId === undefined ? {} : { programSessionId }),
      ...(event.transcriptPath === undefined ? {} : { transcriptPath: event.transcriptPath }),
      ...(event.version === undefined ? {} : { version: event.version }),
      ...(prompt === undefined ? {} : { lastPrompt: sanitiseLine(prompt).slice(0, LONGEST_PROMPT_KEPT) }),
    });
  }

  /** The conversation that this session turns out to have may have been another's, who is gone. */
  async #reunite(session: LiveSession, programSessionId: string | undefined): Promise<void> {
    const { context, directory } = this.#parts;
    const { id, program, hooked } = session.record;
    // Known already; unless only the program's own notes said so, which a first hook now confirms.
    const known = programSessionId === session.record.programSessionId && hooked;
    if (programSessionId === undefined || known) return;
    const before = context.store.read
      .sessions({ exitedSince: 0 })
      .filter((past) => past.program === program && past.programSessionId === programSessionId)
      .filter((past) => past.id !== id && directory.get(past.id) === undefined)
      .toSorted((a, b) => b.lastActiveAt - a.lastActiveAt)[0];
    if (before === undefined) return;
    await this.#adopt(session, before);
    session.bell.ring();
  }

  /** A resumed conversation keeps its agent: the name made up when the process was first seen goes. */
  async #adopt(session: LiveSession, before: StoredSession): Promise<void> {
    const { context } = this.#parts;
    const made = session.record.agent;
    session.record = { ...session.record, agent: before.agent, main: before.main };
    await context.store.write((tx) => {
      tx.putSession(session.record);
      const agent = tx.agent(made);
      const unused =
        agent?.origin === "discovered" && !agent.chosen && tx.countQueued([agentAddress(made)]) === 0;
      if (unused && made !== before.agent) tx.removeAgent(made);
    });
    this.#parts.onAgentsChanged();
    context.log.info("session.adopted", { session: session.record.id, agent: before.agent, insteadOf: made });
  }

  /** A person chose a name: an existing agent without a program is taken over, else the agent is renamed. */
  async name(session: LiveSession, name: string): Promise<void> {
    const { context } = this.#parts;
    const old = session.record.agent;
    await context.store.write((tx) => {
      const existing = tx.agent(name);
      if (existing === undefined) tx.renameAgent(old, name);
      const agent = tx.agent(name);
      if (agent !== undefined) tx.putAgent({ ...agent, chosen: true });
      tx.putSession({ ...session.record, agent: name });
    });
    this.#parts.onAgentsChanged();
    for (const live of this.#parts.directory.all()) {
      if (live === session || (live.record.agent === old && context.store.read.agent(old) === undefined)) {
        live.record = { ...live.record, agent: name };
      }
    }
    context.log.info("session.named", { session: session.record.id, from: old, to: name });
  }
}

function revived(session: StoredSession, place: Partial<StoredSession>): StoredSession {
  const { exitedAt: _, ...rest } = session;
  return { ...rest, ...place };
}

export function sameIdentity(a: TerminalIdentity, b: TerminalIdentity): boolean {
  return (
    a.kind === b.kind &&
    a.server === b.server &&
    a.serverPid === b.serverPid &&
    a.serverStartedAt === b.serverStartedAt &&
    a.pane === b.pane &&
    a.panePid === b.panePid &&
    a.agentPid === b.agentPid &&
    a.agentStartedAt === b.agentStartedAt
  );
}

const TURN_EVENTS = [
  "session-start",
  "prompt-submitted",
  "turn-ended",
  "turn-failed",
  "permission-asked",
  "idle-notice",
  "session-ended",
] as const;

function isTurnEvent(name: string): name is (typeof TURN_EVENTS)[number] {
  return (TURN_EVENTS as readonly string[]).includes(name);
}
