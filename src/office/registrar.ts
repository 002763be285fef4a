/**
 * Knows which programs run where: scans terminals, gives every program its agent and session, and notices when it ends.
 * The daemon and `ls` ask it to scan; hooks ask it who spoke. A new process takes over an agent only by the program's own
 * session id, by BELLHOP_SESSION_ID, or by `bellhop name`; never by its place or its folder.
 */
import { assertNever, BellhopError } from "../core/errors.ts";
import type { SessionId } from "../core/message.ts";
import { findTokens } from "../core/prompt.ts";
import { isTurnEvent } from "../core/readiness.ts";
import { sanitiseLine } from "../core/sanitise.ts";
import type { HookEvent } from "../ports/hook-event.ts";
import type { Profile } from "../ports/profile.ts";
import type { ProgramRegistry } from "../ports/program-registry.ts";
import type { StoredSession } from "../ports/store.ts";
import type { Sighting, TerminalIdentity, TerminalServer } from "../ports/terminal.ts";
import type { AgentNames } from "./agent-names.ts";
import type { OfficeContext } from "./context.ts";
import { hadItBefore, isNews, learntFrom, whoSpeaks, whoSpoke } from "./conversation.ts";
import type { Departures } from "./departures.ts";
import type { Directory } from "./directory.ts";
import { LiveSession, type ScreenDigest } from "./live-session.ts";
import {
  type Arrival,
  factsOf,
  nameAfterFolder,
  newRecord,
  notSeen,
  placeOf,
  recognise,
  resumedRecord,
  resumes,
  revived,
  sameProcess,
} from "./sighting.ts";
import { isOver } from "./still-there.ts";

const LONGEST_PROMPT_KEPT = 200;

export interface RegistrarParts {
  readonly context: OfficeContext;
  readonly directory: Directory;
  readonly departures: Departures;
  readonly names: AgentNames;
  readonly registry: ProgramRegistry;
  readonly digest: ScreenDigest;
  servers(): readonly TerminalServer[];
  /** The branch checked out there, for the headline. */
  branchOf?(folder: string): Promise<string | undefined>;
  profile(program: string, editing: "plain" | "vim" | undefined): Profile | undefined;
  /** A prompt that this session was just given came back in this hook. */
  expects(sessionId: SessionId, event: HookEvent): boolean;
  onLive(session: LiveSession): void;
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
      if (!listed.has(session.identity.server)) await this.#parts.departures.exited(session);
    }
  }

  async #scanServer(server: TerminalServer): Promise<void> {
    const { context, directory, departures } = this.#parts;
    const outcome = await server.scan();
    this.serverStates.set(
      server.name,
      outcome.kind === "unknown" ? `unknown: ${outcome.cause}` : outcome.kind,
    );
    // A scan that gave no answer is unknown, not empty: everybody stays.
    if (outcome.kind === "unknown") return;
    const sightings = outcome.kind === "scanned" ? outcome.sightings : [];
    // First those who left: whoever goes on with their conversation takes their place.
    for (const session of notSeen(directory.all(), { server: server.name, sightings })) {
      if (await isOver(session.identity, context.processes)) await departures.exited(session);
    }
    for (const sighting of sightings) {
      try {
        await this.#meet(server, sighting);
      } catch (cause) {
        // What Bellhop itself refuses, such as a full disk, is not this one's.
        if (cause instanceof BellhopError) throw cause;
        this.#parts.context.log.error("session.not_met", { label: sighting.label, cause: String(cause) });
      }
    }
  }

  async #meet(server: TerminalServer, sighting: Sighting): Promise<void> {
    const { directory, departures } = this.#parts;
    const seen = recognise(sighting, directory.all(), (session) => this.#foundBy.get(session) === server);
    switch (seen.kind) {
      case "running":
        return this.#refresh(seen.session, sighting);
      case "reached-anew":
        await departures.exited(seen.session);
        return this.#arrive(server, sighting);
      case "arrived":
        return this.#arrive(server, sighting);
      default:
        assertNever(seen);
    }
  }

  async #refresh(session: LiveSession, sighting: Sighting): Promise<void> {
    const { label, title } = placeOf(sighting);
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
    const learnt = learntFrom(entry);
    if (!isNews(session.record, learnt)) return;
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
    const session = new LiveSession({
      record: { ...record, ...learntFrom(entry ?? {}) },
      identity: sighting.identity,
      terminal: server.terminal(sighting.identity),
      profile,
      facts: factsOf(record, sighting, entry),
      clock: context.clock,
      digest: this.#parts.digest,
      standing: () =>
        context.processes.standing(
          { pid: sighting.identity.agentPid, startedAt: sighting.identity.agentStartedAt },
          sighting.identity.panePid,
        ),
      ownNote: () =>
        this.#parts.registry.note(sighting.program, {
          pid: sighting.identity.agentPid,
          startedAt: sighting.identity.agentStartedAt,
        }),
    });
    await context.store.write((tx) => tx.putSession(session.record));
    this.#replayHooks(session);
    await session.glance();
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
    const { context, names } = this.#parts;
    const arrival = await this.#whoArrives(sighting, programSessionId);
    switch (arrival.kind) {
      case "same":
        return revived(arrival.session, sighting);
      case "resumed":
        return resumedRecord(arrival.session, sighting, context.clock.now());
      case "new": {
        const agent = await names.make(nameAfterFolder(sighting.folder));
        return newRecord(sighting, { id: this.#newId(sighting.identity), agent, now: context.clock.now() });
      }
      default:
        return assertNever(arrival);
    }
  }

  /** A host was started for one session and says for which; its program may have ended before it could be asked. */
  async #sessionToldBy({ kind, pane, agentPid }: TerminalIdentity): Promise<SessionId | undefined> {
    if (kind === "pty") return pane;
    const environment = await this.#parts.context.processes
      .environment(agentPid, ["BELLHOP_SESSION_ID"])
      .catch(() => ({}) as Record<string, string>);
    return environment.BELLHOP_SESSION_ID;
  }

  #newId({ kind, pane }: TerminalIdentity): SessionId {
    return kind === "pty" ? pane : this.#parts.context.ids.session();
  }

  async #whoArrives(sighting: Sighting, programSessionId: string | undefined): Promise<Arrival> {
    const { context, directory } = this.#parts;
    const { read } = context.store;
    const same = sameProcess(sighting, read.sessions({ exitedSince: 0 }));
    if (same !== undefined) return { kind: "same", session: same };
    const told = await this.#sessionToldBy(sighting.identity);
    return resumes(
      [
        told === undefined ? undefined : read.session(told),
        programSessionId === undefined
          ? undefined
          : read.sessionByProgramId(sighting.program, programSessionId),
      ],
      (id) => directory.get(id) !== undefined,
    );
  }

  async #update(session: LiveSession, change: Partial<StoredSession>): Promise<void> {
    session.record = { ...session.record, ...change };
    await this.#parts.context.store.write((tx) => tx.putSession(session.record));
  }

  /** Which session a hook came from. */
  async locate(event: HookEvent): Promise<LiveSession | undefined> {
    const found = this.#speaker(event);
    if (found !== undefined) return found;
    await this.scan();
    return this.#speaker(event);
  }

  #speaker(event: HookEvent): LiveSession | undefined {
    return whoSpeaks(event, this.#parts.directory.all(), (id) => this.#parts.expects(id, event));
  }

  /** A session that spoke before it ended: what it said is still true. */
  former(event: HookEvent): SessionId | undefined {
    const { read } = this.#parts.context.store;
    const { program, programSessionId, agentPid } = event;
    const byConversation =
      programSessionId === undefined ? undefined : read.sessionByProgramId(program, programSessionId);
    if (byConversation !== undefined || agentPid === undefined) return byConversation?.id;
    return whoSpoke(event, read.sessions({ exitedSince: 0 }));
  }

  /** A hook names the conversation: remember it, and take over the agent that had it before. */
  async learn(session: LiveSession, event: HookEvent): Promise<void> {
    const { context } = this.#parts;
    await this.#reunite(session, event.programSessionId);
    // What another agent wrote must not name this session to a third.
    const prompt = findTokens(event.prompt ?? "").length > 0 ? undefined : event.prompt;
    const learnt = learntFrom(event);
    session.facts = { ...session.facts, ...learnt };
    await this.#update(session, {
      ...learnt,
      hooked: true,
      lastActiveAt: context.clock.now(),
      ...(prompt === undefined ? {} : { lastPrompt: sanitiseLine(prompt).slice(0, LONGEST_PROMPT_KEPT) }),
    });
  }

  /** The conversation that this session turns out to have may have been another's, who is gone. */
  async #reunite(session: LiveSession, programSessionId: string | undefined): Promise<void> {
    const { context, directory, names } = this.#parts;
    const { hooked } = session.record;
    // Known already; unless only the program's own notes said so, which a first hook now confirms.
    const known = programSessionId === session.record.programSessionId && hooked;
    if (programSessionId === undefined || known) return;
    const before = hadItBefore(
      session.record,
      programSessionId,
      context.store.read.sessions({ exitedSince: 0 }),
      (id) => directory.get(id) !== undefined,
    );
    if (before === undefined) return;
    await names.handOn(before, session);
    session.bell.ring();
  }
}
