/**
 * Sessions that Bellhop starts itself: start, stop, restart, show. Hosted terminals run in their own processes, windows
 * in tmux; this only requests them, and the registrar finds them like any other. It never types.
 */
import { agentAddress, sessionAddress, splitAddress, uniqueAgentName } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { AgentName, Instant, SessionId, Source } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { childEnvironment } from "../../core/rights/child-environment.ts";
import { conversationId } from "../../core/session.ts";
import { begunAnew, startsTheSame } from "../../core/successor.ts";
import type { Hosts } from "../../ports/hosts.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { RunResponse } from "../../wire/shapes/sessions.ts";
import type { RequestOf, ResponseOf } from "../../wire/verbs/index.ts";
import type { RunRequest } from "../../wire/verbs/sessions.ts";
import { standsForSomebody } from "../arrivals/agent-names.ts";
import { requireName } from "../arrivals/agents.ts";
import { nameAfterFolder } from "../arrivals/session-identity.ts";
import type { Successors } from "../arrivals/successors.ts";
import {
  didNotEnd,
  notHosted,
  nothingToResume,
  notRunning,
  notStartedHere,
  runsAlready,
} from "./session-refusals.ts";
import { Windows, type WindowsParts } from "./windows.ts";

const STANDARD_SIZE = { columns: 120, rows: 40 } as const;
const GRACE_MS = 5_000;

export interface SessionsParts extends WindowsParts {
  readonly successors: Successors;
  /** The program that a command starts, if a profile knows it. */
  programOf(command: readonly string[]): string | undefined;
  /** Variables that every hosted program gets. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Whose child it is; a person is not a parent. `owes`: it gets a first message, whose turn's end is reported. */
export interface Child {
  readonly parent?: SessionId | undefined;
  /** Who starts it. Without a given name, only a person's program may get a name with configured rights. */
  readonly startedBy?: Source;
  readonly owes?: "first-turn";
}

interface Made {
  readonly session: StoredSession;
  readonly agentIs: "new" | "known";
}

export class Sessions {
  readonly #parts: SessionsParts;
  readonly #windows: Windows;
  readonly #restarting = new Set<SessionId>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#windows = new Windows(parts);
  }

  async run(request: RunRequest, child: Child = {}): Promise<RunResponse> {
    const { directory, hosts, successors, programOf } = this.#parts;
    const { name, command, folder, environment } = request;
    if (name !== undefined) requireName(name);
    const begin = (past: StoredSession | undefined) => this.#begin(request, child, past);
    if (name !== undefined)
      return successors.alone(name, async () => {
        if (directory.takerOf(name) !== undefined) throw runsAlready(name);
        await hosts.check({ command, folder, environment });
        return begin(await successors.lastOf(name));
      });
    await hosts.check({ command, folder, environment });
    // What an agent starts is its child and never continues an earlier session.
    if (child.startedBy !== undefined && child.startedBy !== "person") return begin(undefined);
    const started = { command, program: programOf(command) };
    return successors.goingOn({ folder, isSame: (past) => startsTheSame(started, past) }, begin);
  }

  /** `past`: the session to continue. */
  async #begin(request: RunRequest, child: Child, past: StoredSession | undefined): Promise<RunResponse> {
    const { hosts } = this.#parts;
    const made = await this.#record(request, child, past);
    const { session } = made;
    try {
      if (request.where === "tmux")
        return await this.#openWindow(session, request, request.claims.tmux?.pane);
      await this.#start(session, request);
      const facts = await hosts.facts(session.id);
      return {
        ...responseOf(session),
        ...(facts?.exit === undefined ? {} : { note: endedAtOnce(session.agent) }),
      };
    } catch (error) {
      await this.#unmake(made, past);
      throw error;
    }
  }

  /** Written before it runs, because the registrar identifies it by its record. */
  #record(
    request: RunRequest,
    { parent, owes, startedBy = "person" }: Child,
    past: StoredSession | undefined,
  ): Promise<Made> {
    const { store, clock, ids, settings } = this.#parts.context;
    return store.write((tx) => {
      const isTaken = (name: AgentName): boolean =>
        startedBy === "person"
          ? tx.agent(name) !== undefined
          : standsForSomebody(name, tx, settings().rights);
      const agent = request.name ?? past?.agent ?? uniqueAgentName(nameAfterFolder(request.folder), isTaken);
      const standing = tx.agent(agent);
      const chosen = request.name !== undefined;
      if (standing === undefined) {
        // A made-up name is dropped if the program turns out to continue another's conversation.
        const origin = chosen ? "added" : "discovered";
        tx.putAgent({ name: agent, createdAt: clock.now(), origin, chosen, paused: false });
      } else if (chosen && !standing.chosen) tx.putAgent({ ...standing, chosen });
      const session: StoredSession = {
        id: ids.session(),
        main: true,
        ...(past === undefined ? {} : begunAnew(past)),
        agent,
        program: "",
        label: request.where === "tmux" ? "" : `pty:${agent}`,
        title: "",
        folder: request.folder,
        hooked: false,
        startedAt: clock.now(),
        lastActiveAt: clock.now(),
        exitedAt: clock.now(),
        ...placeOf(request),
        ...present({ role: request.role }),
        // What a person started owes no report.
        ...(parent === undefined ? {} : { parent, ...(owes === undefined ? {} : { owesFirstTurn: true }) }),
      };
      tx.putSession(session);
      return { session, agentIs: standing === undefined ? "new" : "known" };
    });
  }

  /**
   * Undoes a start: ends its program and removes every trace of it, unless someone has written to it meanwhile. If it
   * cannot be ended, it stays to be found.
   */
  async #unmake({ session: { id, agent }, agentIs }: Made, past: StoredSession | undefined): Promise<void> {
    const { context, hosts } = this.#parts;
    if ((await this.#ended(id)) === "runs") return;
    if (past !== undefined) {
      const exitedAt = past.exitedAt ?? context.clock.now();
      await context.store.write((tx) => tx.putSession({ ...past, exitedAt }));
      return;
    }
    const removed = await context.store.write((tx) => {
      if (tx.countQueued([sessionAddress(id), agentAddress(agent)]) > 0) return false;
      if (agentIs === "new") tx.removeAgent(agent);
      else tx.removeSession(id);
      return true;
    });
    if (removed) await hosts.forget(id);
  }

  async #ended(id: SessionId): Promise<"over" | "runs"> {
    const { context, hosts, registrar, directory } = this.#parts;
    try {
      const outcome = await hosts.stop(id, GRACE_MS);
      if (outcome === "running") return "runs";
      if (outcome === "stopped") await registrar.scan();
    } catch (cause) {
      // The person is told the original error instead.
      context.log.warn("session.not_unmade", { session: id, cause: String(cause) });
    }
    const facts = await hosts.facts(id);
    return facts?.state === "running" || directory.get(id) !== undefined ? "runs" : "over";
  }

  #openWindow(
    session: StoredSession,
    { environment }: Pick<RunRequest, "environment">,
    beside?: string,
    resume?: string,
  ): Promise<RunResponse> {
    return this.#windows.open({
      session,
      environment,
      variables: this.#variablesOf(session),
      ...present({ beside, resume }),
    });
  }

  async attach(who: string): Promise<ResponseOf<"attach">> {
    const session = this.#meant(who);
    if (session.command === undefined) throw notHosted(session);
    const grant = await this.#parts.hosts.grant(session.id);
    if (grant === undefined) throw notRunning(session.agent);
    return { sessionId: session.id, agent: session.agent, ...grant };
  }

  async stop(who: string, graceMs = GRACE_MS): Promise<ResponseOf<"session_stop">> {
    const session = this.#started(who);
    return this.#parts.successors.alone(session.agent, async () => {
      const outcome = await this.#end(session, graceMs);
      if (outcome === "absent") throw notRunning(session.agent);
      await this.#parts.registrar.scan();
      return { sessionId: session.id, agent: session.agent, outcome };
    });
  }

  /** The same session in a new terminal, with the same name and mailbox. */
  async restart(request: RequestOf<"restart">): Promise<RunResponse> {
    const { hosts, registrar, context } = this.#parts;
    const session = this.#started(request.who);
    const { agent, command = session.window?.command ?? [], folder = "/" } = session;
    return this.#parts.successors.alone(agent, () =>
      this.#whileRestarting(session.id, async () => {
        // Do not stop it if it could not be started again.
        await hosts.check({ command, folder, environment: request.environment });
        const known = conversationId(context.store.read.session(session.id)?.programSessionId);
        if (request.resume === true && known === undefined) throw nothingToResume(agent);
        if ((await this.#end(session, GRACE_MS)) === "running") throw didNotEnd(agent);
        await registrar.scan();
        const fresh = context.store.read.session(session.id) ?? session;
        const resume = request.resume === true ? conversationId(fresh.programSessionId) : undefined;
        if (fresh.command === undefined) return this.#openWindow(fresh, request, undefined, resume);
        await this.#start(fresh, { ...request, folder, command }, resume);
        return responseOf(fresh);
      }),
    );
  }

  isRestarting(id: SessionId): boolean {
    return this.#restarting.has(id);
  }

  async #whileRestarting<T>(id: SessionId, work: () => Promise<T>): Promise<T> {
    this.#restarting.add(id);
    try {
      return await work();
    } finally {
      this.#restarting.delete(id);
    }
  }

  /** Removes what hosts left behind of sessions that ended before this. */
  async forgetEndedBefore(at: Instant): Promise<void> {
    const { hosts, context, directory } = this.#parts;
    for (const { id, exitedAt, command } of context.store.read.sessions({ exitedSince: 0 })) {
      if (command === undefined || exitedAt === undefined || exitedAt >= at) continue;
      if (directory.get(id) === undefined) await hosts.forget(id);
    }
  }

  async #start(
    session: StoredSession,
    request: Pick<RunRequest, "command" | "folder" | "environment" | "columns" | "rows">,
    resume?: string,
  ): Promise<void> {
    const { hosts, registrar, prepare, context } = this.#parts;
    const { command, folder } = request;
    await hosts.start({
      sessionId: session.id,
      agent: session.agent,
      command: await prepare({ command, folder, ...present({ resume }) }),
      folder,
      environment: childEnvironment(
        request.environment,
        { ...this.#variablesOf(session), TERM: "xterm-256color" },
        context.settings().secretVariables,
      ),
      columns: request.columns ?? STANDARD_SIZE.columns,
      rows: request.rows ?? STANDARD_SIZE.rows,
    });
    context.log.info("session.started", { session: session.id, agent: session.agent });
    await registrar.scan();
  }

  #variablesOf({ id, agent, parent }: StoredSession): Readonly<Record<string, string>> {
    return {
      ...this.#parts.environment,
      BELLHOP_SESSION_ID: id,
      BELLHOP_AGENT: agent,
      ...present({ BELLHOP_PARENT: parent }),
    };
  }

  #end(session: StoredSession, graceMs: number): ReturnType<Hosts["stop"]> {
    return session.command === undefined
      ? this.#windows.stop(session, graceMs)
      : this.#parts.hosts.stop(session.id, graceMs);
  }

  /** Only a session that Bellhop started itself may be ended by it. */
  #started(who: string): StoredSession {
    const session = this.#meant(who);
    if (session.command === undefined && session.window === undefined) throw notStartedHere(session);
    return session;
  }

  /** The session that a person's word means, running or not. */
  #meant(who: string): StoredSession {
    const { directory } = this.#parts;
    const address = directory.resolve(who);
    const session = directory.takerOfMailbox(address)?.record ?? this.#lastOf(address);
    if (session !== undefined) return session;
    throw new BellhopError("session.unknown", {
      message: `Bellhop has never run "${who}".`,
      next: `Start it with "bellhop run --name ${who} -- PROGRAM".`,
    });
  }

  #lastOf(address: string): StoredSession | undefined {
    const { read } = this.#parts.context.store;
    const { kind, rest } = splitAddress(address);
    if (kind === "session") return read.session(rest);
    const all =
      kind === "agent"
        ? read.sessionsOf(rest).filter(({ command, window }) => (command ?? window) !== undefined)
        : [];
    return all.toSorted((a, b) => b.startedAt - a.startedAt)[0];
  }
}

/** A hosted session is recorded with its command, one in tmux with its window. */
function placeOf({ where, command, claims }: RunRequest): Pick<StoredSession, "command" | "window"> {
  if (where !== "tmux") return { command };
  const server = claims.tmux?.socket;
  return { window: { command, ...present({ server }) } };
}

function responseOf({ id, agent }: { readonly id: SessionId; readonly agent: AgentName }): RunResponse {
  return { sessionId: id, agent, terminal: { kind: "pty" } };
}

function endedAtOnce(agent: AgentName): string {
  return `It has already ended. See its last screen: bellhop peek ${agent}`;
}
