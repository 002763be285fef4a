/**
 * Knows which programs run where: scans terminals, gives every program its agent and session, and notices when it ends.
 * The daemon and `ls` ask it to scan; hooks ask it who spoke. `arrivals` decides which session a new process continues.
 */
import { assertNever, BellhopError } from "../../core/errors.ts";
import { DELEGATED } from "../../core/evidence.ts";
import type { Address, SessionId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { isTurnBoundary, isTurnEvent } from "../../core/readiness/readiness.ts";
import { ofShownConversation } from "../../core/session.ts";
import { findTokens } from "../../core/text/prompt.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { Profile } from "../../ports/profile.ts";
import type { HookEvent, ProgramRegistry, RegistryEntry } from "../../ports/program.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { ScanHow, Sighting, TerminalServer } from "../../ports/terminal.ts";
import type { Ground } from "../presence/ground.ts";
import { LiveSession, type ScreenDigest } from "../presence/live-session.ts";
import { OneAtATime } from "../presence/one-at-a-time.ts";
import { departureOf } from "../presence/still-there.ts";
import type { AgentNames } from "./agent-names.ts";
import type { Arrivals } from "./arrivals.ts";
import { hadItBefore, isNews, learntFrom, whoIsMoved, whoSpeaks, whoSpoke } from "./conversation.ts";
import type { Departures } from "./departures.ts";
import {
  factsOf,
  notSeen,
  placeOf,
  processOf,
  type Recognised,
  recognise,
  resumedRecord,
  sightingOf,
} from "./session-identity.ts";

const LONGEST_PROMPT_KEPT = 200;

export interface RegistrarParts extends Ground {
  readonly departures: Departures;
  readonly names: AgentNames;
  readonly arrivals: Arrivals;
  readonly registry: ProgramRegistry;
  readonly digest: ScreenDigest;
  servers(): readonly TerminalServer[];
  /** The branch checked out there, for the headline. */
  branchOf?(folder: string): Promise<string | undefined>;
  profile(program: string, editing: "plain" | "vim" | undefined): Profile | undefined;
  /** Whether this hook returns a prompt that the session was just given. */
  expects(sessionId: SessionId, event: HookEvent): boolean;
  onLive(session: LiveSession, insteadOf?: SessionId): void;
}

interface Entering {
  readonly server: TerminalServer;
  readonly sighting: Sighting;
  readonly entry: RegistryEntry | undefined;
  readonly profile: Profile;
  readonly record: StoredSession;
  /** The session it was taken for before: that courier's work is finished first. */
  readonly insteadOf?: SessionId;
}

export class Registrar {
  readonly #parts: RegistrarParts;
  #scanning: Promise<void> | undefined;
  /** The scan that was requested while another was running. */
  #next: { readonly how: ScanHow | undefined } | undefined;
  /** One at a time, so that no program is met twice while its identity is being corrected. */
  readonly #meeting = new OneAtATime();
  readonly serverStates = new Map<string, string>();
  readonly #foundBy = new WeakMap<LiveSession, TerminalServer>();
  /** As the newest scan found them: hundreds of agents may share a folder. */
  readonly #branches = new Map<string, string | undefined>();

  constructor(parts: RegistrarParts) {
    this.#parts = parts;
  }

  /** Scans every terminal once. Calls during a scan share one further scan. */
  async scan(how?: ScanHow): Promise<void> {
    this.#next = { how: how ?? this.#next?.how };
    if (this.#scanning !== undefined) return this.#scanning;
    this.#scanning = this.#scanUntilCalm().finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  async #scanUntilCalm(): Promise<void> {
    for (let next = this.#next; next !== undefined; next = this.#next) {
      this.#next = undefined;
      for (const server of this.#parts.servers()) await this.#scanServer(server, next.how);
      await this.#leaveUnlisted();
    }
  }

  /** Their tmux server was removed from the config, so they are no longer looked at. */
  async #leaveUnlisted(): Promise<void> {
    const listed = new Set(this.#parts.servers().map(({ name }) => name));
    for (const session of this.#parts.directory.all()) {
      if (!listed.has(session.identity.server)) await this.#parts.departures.exited(session);
    }
  }

  async #scanServer(server: TerminalServer, how: ScanHow | undefined): Promise<void> {
    const { context, directory, departures } = this.#parts;
    const outcome = await server.scan(how);
    this.serverStates.set(
      server.name,
      outcome.kind === "unknown" ? `unknown: ${outcome.cause}` : outcome.kind,
    );
    // A scan without an answer is unknown, not empty: all sessions stay.
    if (outcome.kind === "unknown") return;
    const sightings = outcome.kind === "scanned" ? outcome.sightings : [];
    this.#branches.clear();
    // First those that left: another session may continue their conversation and take their place.
    for (const session of notSeen(directory.all(), { server: server.name, sightings })) {
      const departure = await departureOf(session, context);
      if (departure !== undefined) await departures.exited(session, departure);
    }
    for (const sighting of sightings) {
      if (this.#isAsBefore(server, sighting)) continue;
      try {
        await this.#meeting.hold(() => this.#meet(server, sighting));
      } catch (cause) {
        // An error of Bellhop itself, such as a full disk, is not about this program.
        if (cause instanceof BellhopError) throw cause;
        this.#parts.context.log.error("session.not_met", { label: sighting.label, cause: String(cause) });
      }
    }
  }

  #isAsBefore(server: TerminalServer, sighting: Sighting): boolean {
    if (sighting.asBefore !== true) return false;
    const seen = this.#recognise(server, sighting);
    if (seen.kind !== "running") return false;
    seen.session.sighted(sighting.drawnAt);
    return true;
  }

  #recognise(server: TerminalServer, sighting: Sighting): Recognised<LiveSession> {
    const there = this.#parts.directory.at(sighting.identity);
    return recognise(sighting, there, (session) => this.#foundBy.get(session) === server);
  }

  async #meet(server: TerminalServer, sighting: Sighting): Promise<void> {
    const { departures } = this.#parts;
    const seen = this.#recognise(server, sighting);
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
    session.sighted(sighting.drawnAt);
    const { label, title } = placeOf(sighting);
    const branch = await this.#branchOf(session.record.folder);
    const seen = { label, title, ...present({ branch }) };
    if (isNews(session.record, seen)) await this.#update(session, seen);
    // The owner may have changed the profile of a taught program.
    if (!session.profile.inbox) {
      session.wholeProfile = this.#parts.profile(session.record.program, undefined) ?? session.wholeProfile;
    }
    await this.#consultRegistry(session);
  }

  async #branchOf(folder: string | undefined): Promise<string | undefined> {
    if (folder === undefined) return undefined;
    if (!this.#branches.has(folder)) {
      const branch = await this.#parts.branchOf?.(folder);
      this.#branches.set(folder, branch === undefined ? undefined : sanitiseLine(branch));
    }
    return this.#branches.get(folder);
  }

  /** What the program records about itself: session id, version, inbox. */
  async #consultRegistry(session: LiveSession): Promise<void> {
    const entry = await this.#parts.registry.lookUp(session.record.program, processOf(session.identity));
    if (entry === undefined) return;
    const { status: _status, editing, ...facts } = entry;
    session.wholeProfile = this.#parts.profile(session.record.program, editing) ?? session.wholeProfile;
    session.facts = { ...session.facts, ...facts };
    const learnt = learntFrom(entry);
    if (!isNews(session.record, learnt)) return;
    // It was first seen without a conversation. A later change proves nothing: of several, this is only the likeliest.
    const known =
      session.record.programSessionId === undefined
        ? await this.#reunite(session, entry.programSessionId)
        : session;
    await this.#update(known, learnt);
  }

  async #arrive(server: TerminalServer, sighting: Sighting): Promise<void> {
    const entry = await this.#parts.registry.lookUp(sighting.program, processOf(sighting.identity));
    const profile = this.#parts.profile(sighting.program, entry?.editing);
    if (profile === undefined) return;
    await this.#parts.arrivals.settle(sighting, entry?.programSessionId, (record) =>
      this.#enter({ server, sighting, entry, profile, record }),
    );
  }

  async #enter({ server, sighting, entry, profile, record, insteadOf }: Entering): Promise<LiveSession> {
    const { context, directory, registry } = this.#parts;
    const { identity } = sighting;
    const session = new LiveSession({
      record: { ...record, ...learntFrom(entry ?? {}) },
      identity,
      terminal: server.terminal(identity),
      profile,
      facts: factsOf(record, sighting, entry),
      clock: context.clock,
      digest: this.#parts.digest,
      standing: () => context.processes.standing(processOf(identity), identity.panePid),
      ownNote: () => registry.note(sighting.program, processOf(identity)),
    });
    await context.store.write((tx) => tx.putSession(session.record));
    this.#replayHooks(session);
    await session.glance();
    this.#foundBy.set(session, server);
    directory.add(session);
    const { id, agent, program, label } = record;
    context.log.info("session.live", { session: id, agent, program, label });
    this.#parts.onLive(session, insteadOf);
    return session;
  }

  /** After a restart of the daemon: what the hooks had reported still holds, as long as it is trusted. */
  #replayHooks(session: LiveSession): void {
    const { store } = this.#parts.context;
    const reported = store.read.hookEvents(session.record.id, session.record.startedAt);
    for (const event of ofShownConversation(reported, session.record)) {
      if (event.event === DELEGATED) session.hooks.delegated();
      if (!isTurnEvent(event.event)) continue;
      if (event.subAgent === undefined && isTurnBoundary(event.event)) session.hooks.turnChanged();
      const { emittedAt: at, subAgent } = event;
      session.signal({ kind: "hook", event: event.event, at, ...present({ subAgent }) });
    }
  }

  async #update(session: LiveSession, change: Partial<StoredSession>): Promise<void> {
    session.record = { ...session.record, ...change };
    await this.#parts.context.store.write((tx) => tx.putSession(session.record));
  }

  /** An unknown name may belong to a program that has just started: scan once before refusing. */
  resolve(who: string): Promise<Address> {
    return this.#lookedUp(() => this.#parts.directory.resolve(who));
  }

  /** The same, also for a recipient on another host. */
  resolveAnywhere(who: string): Promise<Address> {
    return this.#lookedUp(() => this.#parts.directory.resolveAnywhere(who));
  }

  async #lookedUp(lookUp: () => Address): Promise<Address> {
    try {
      return lookUp();
    } catch (error) {
      if (!(error instanceof BellhopError) || error.code !== "recipient.unknown") throw error;
      await this.scan("thoroughly");
      return lookUp();
    }
  }

  /** Which session a hook came from, without a scan. */
  speaking(event: HookEvent): LiveSession | undefined {
    return this.#speaker(event);
  }

  /** Which session a hook came from. */
  async locate(event: HookEvent): Promise<LiveSession | undefined> {
    const found = this.#speaker(event);
    if (found !== undefined) return found;
    await this.scan("thoroughly");
    return this.#speaker(event);
  }

  #speaker(event: HookEvent): LiveSession | undefined {
    return whoSpeaks(event, this.#parts.directory.all(), (id) => this.#parts.expects(id, event));
  }

  /** A session that has ended since: what it reported is still true. */
  former(event: HookEvent): SessionId | undefined {
    const { read } = this.#parts.context.store;
    const { program, programSessionId, agentPid } = event;
    const byConversation =
      programSessionId === undefined ? undefined : read.sessionByProgramId(program, programSessionId);
    if (byConversation !== undefined || agentPid === undefined) return byConversation?.id;
    return whoSpoke(event, read.sessionsOfProcess(agentPid));
  }

  /** The sessions a hook is about, without a scan. */
  reported(event: HookEvent): readonly StoredSession[] {
    const former = this.former(event);
    const spoke = former === undefined ? undefined : this.#parts.context.store.read.session(former);
    return whoIsMoved(event, this.#speaker(event)?.record, spoke);
  }

  /** A hook names the conversation: records it, and takes over the agent that had it before. Returns who now speaks. */
  async learn(speaker: LiveSession, event: HookEvent): Promise<LiveSession> {
    const { context } = this.#parts;
    const session = await this.#meeting.hold(() => this.#reunite(speaker, event.programSessionId));
    // Text that another agent wrote must not become this session's headline for a third one.
    const prompt = findTokens(event.prompt ?? "").length > 0 ? undefined : event.prompt;
    const learnt = learntFrom(event);
    session.facts = { ...session.facts, ...learnt };
    await this.#update(session, {
      ...learnt,
      hooked: true,
      lastActiveAt: context.clock.now(),
      ...(prompt === undefined ? {} : { lastPrompt: sanitiseLine(prompt).slice(0, LONGEST_PROMPT_KEPT) }),
    });
    return session;
  }

  /** The conversation may have belonged to another session, which has ended. */
  async #reunite(session: LiveSession, programSessionId: string | undefined): Promise<LiveSession> {
    const { context, directory, names, arrivals } = this.#parts;
    const { hooked } = session.record;
    // Already known, unless only the program's own records said so and this first hook confirms it.
    const known = programSessionId === session.record.programSessionId && hooked;
    if (programSessionId === undefined || known) return session;
    const before = hadItBefore(
      session.record,
      programSessionId,
      context.store.read.sessionsOfConversation(session.record.program, programSessionId),
      (id) => directory.get(id) !== undefined,
    );
    if (before === undefined) return session;
    const unproven = arrivals.before(session.record.id);
    const isNewHere = session.record.programSessionId === undefined;
    if (unproven !== undefined && unproven.agent !== before.agent && isNewHere)
      return this.#correct(session, unproven, before);
    await names.handOn(before, session, unproven === undefined ? "made-up" : "its-own");
    session.wakeSignal.ring();
    return session;
  }

  /** It was continued as the last session there, but its conversation is another's: both get their own records back. */
  async #correct(session: LiveSession, unproven: StoredSession, before: StoredSession): Promise<LiveSession> {
    const { context, departures } = this.#parts;
    const server = this.#foundBy.get(session);
    // A host was started for one session and cannot belong to another.
    if (server === undefined || session.identity.kind === "pty") return session;
    const sighting = sightingOf(session.record, session.identity);
    await departures.exited(session);
    await context.store.write((tx) => tx.putSession(unproven));
    context.log.info("session.corrected", { from: unproven.id, to: before.id, agent: before.agent });
    const record = resumedRecord(before, sighting, context.clock.now());
    const { wholeProfile: profile } = session;
    return this.#enter({ server, sighting, entry: undefined, profile, record, insteadOf: unproven.id });
  }
}
