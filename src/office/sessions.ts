/**
 * Sessions that Bellhop hosts itself: started, stopped, started again, and told of. The terminals live in processes
 * of their own; this only asks for them, and the registrar finds them like any other. It never types.
 */
import { agentAddress, sessionAddress, splitAddress, uniqueAgentName } from "../core/address.ts";
import { childEnvironment } from "../core/child-environment.ts";
import { BellhopError } from "../core/errors.ts";
import type { AgentName, Instant, SessionId, Source } from "../core/message.ts";
import type { CommandOrder, Hosts } from "../ports/hosts.ts";
import type { StoredSession } from "../ports/store.ts";
import type { RunRequest, RunResponse } from "../wire/shapes/sessions.ts";
import type { RequestOf, ResponseOf } from "../wire/shapes.ts";
import { standsForSomebody } from "./agent-names.ts";
import { requireName } from "./agents.ts";
import type { OfficeContext } from "./context.ts";
import { pause } from "./deadline.ts";
import type { Directory } from "./directory.ts";
import type { Registrar } from "./registrar.ts";
import { nameAfterFolder } from "./sighting.ts";

const STANDARD_SIZE = { columns: 120, rows: 40 } as const;
const GRACE_MS = 5_000;
/** A program in a new window takes a moment to be itself. */
const WINDOW_LOOKS = 12;
const LOOK_AGAIN_MS = 250;
const UNSEEN_IN_TMUX =
  "Bellhop does not see it there: it does not know this program. docs/configuration.md says how to teach it; without --tmux it is hosted all the same.";

export interface SessionsParts {
  readonly context: OfficeContext;
  readonly directory: Directory;
  readonly registrar: Registrar;
  readonly hosts: Hosts;
  /** The command as it is to be run: with hooks for this session alone, where the program can. */
  prepare(order: CommandOrder): Promise<readonly string[]>;
  /** Variables that every hosted program gets. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Whose child it is: a person is no parent. `owes`: it is given a first message, and word of that turn's end is due. */
export interface Child {
  readonly parent?: SessionId | undefined;
  /** Whose folder it is named after, if it is given no name: only a person's may have a name that stands for somebody. */
  readonly startedBy?: Source;
  readonly owes?: "first-turn";
}

export class Sessions {
  readonly #parts: SessionsParts;
  readonly #underWay = new Set<AgentName>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  async run(request: RunRequest, child: Child = {}): Promise<RunResponse> {
    const { directory, hosts } = this.#parts;
    const { name } = request;
    if (name !== undefined) requireName(name);
    return this.#alone(name, async () => {
      if (name !== undefined && directory.takerOf(name) !== undefined) throw runsAlready(name);
      const { command, folder, environment } = request;
      await hosts.check({ command, folder, environment });
      const { session, agentIs } = await this.#record(request, child);
      try {
        if (request.where === "tmux") return await this.#openWindow(session, request);
        await this.#start(session, request);
        const facts = await hosts.facts(session.id);
        return {
          ...responseOf(session),
          ...(facts?.exit === undefined ? {} : { note: endedAtOnce(session.agent) }),
        };
      } catch (error) {
        await this.#unmake(session, agentIs);
        throw error;
      }
    });
  }

  /** Before it runs: the registrar, who finds it, goes by what is written down. */
  #record(
    request: RunRequest,
    { parent, owes, startedBy = "person" }: Child,
  ): Promise<{ readonly session: StoredSession; readonly agentIs: "new" | "known" }> {
    const { store, clock, ids, settings } = this.#parts.context;
    return store.write((tx) => {
      const isTaken = (name: AgentName): boolean =>
        startedBy === "person"
          ? tx.agent(name) !== undefined
          : standsForSomebody(name, tx, settings().rights);
      const agent = request.name ?? uniqueAgentName(nameAfterFolder(request.folder), isTaken);
      const agentIs = tx.agent(agent) === undefined ? "new" : "known";
      if (agentIs === "new") {
        const chosen = request.name !== undefined;
        // A name that was made up goes again when the program turns out to go on with another's conversation.
        const origin = chosen ? "added" : "discovered";
        tx.putAgent({ name: agent, createdAt: clock.now(), origin, chosen, paused: false });
      }
      const session: StoredSession = {
        id: ids.session(),
        agent,
        main: true,
        program: "",
        label: request.where === "tmux" ? "" : `pty:${agent}`,
        title: "",
        folder: request.folder,
        hooked: false,
        startedAt: clock.now(),
        lastActiveAt: clock.now(),
        exitedAt: clock.now(),
        ...(request.where === "tmux" ? {} : { command: request.command }),
        ...(request.role === undefined ? {} : { role: request.role }),
        // Nobody waits for word of what a person started.
        ...(parent === undefined ? {} : { parent, ...(owes === undefined ? {} : { owesFirstTurn: true }) }),
      };
      tx.putSession(session);
      return { session, agentIs };
    });
  }

  /**
   * It is to be as if it had never run: its program is ended, and nothing of it is to be seen anywhere, unless somebody
   * has written to it meanwhile. One that cannot be ended stays to be found.
   */
  async #unmake({ id, agent }: StoredSession, agentIs: "new" | "known"): Promise<void> {
    const { context, hosts } = this.#parts;
    if ((await this.#ended(id)) === "runs") return;
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
      // Why it failed in the first place is what the person is told.
      context.log.warn("session.not_unmade", { session: id, cause: String(cause) });
    }
    const facts = await hosts.facts(id);
    return facts?.state === "running" || directory.get(id) !== undefined ? "runs" : "over";
  }

  /** Two starts of one agent at the same moment would be two programs with one mailbox. */
  async #alone<T>(agent: AgentName | undefined, work: () => Promise<T>): Promise<T> {
    if (agent === undefined) return work();
    if (this.#underWay.has(agent)) {
      throw new BellhopError("agent.busy", {
        message: `"${agent}" is being started or stopped by somebody else.`,
        next: "Try again in a moment.",
      });
    }
    this.#underWay.add(agent);
    try {
      return await work();
    } finally {
      this.#underWay.delete(agent);
    }
  }

  async #openWindow(session: StoredSession, request: RunRequest): Promise<RunResponse> {
    const { hosts, registrar, prepare, directory, context } = this.#parts;
    const { tmux } = request.claims;
    const { PATH } = request.environment;
    const { server, pane } = await hosts.openWindow({
      agent: session.agent,
      command: await prepare({ command: request.command, folder: request.folder }),
      folder: request.folder,
      environment: { ...this.#variablesOf(session), ...(PATH === undefined ? {} : { PATH }) },
      ...(tmux === undefined ? {} : { server: tmux.socket, beside: tmux.pane }),
    });
    const answer: RunResponse = {
      sessionId: session.id,
      agent: session.agent,
      terminal: { kind: "tmux", server, pane },
    };
    for (let look = 0; look < WINDOW_LOOKS; look += 1) {
      await registrar.scan();
      if (directory.get(session.id) !== undefined) return answer;
      await pause(context.clock, LOOK_AGAIN_MS);
    }
    return { ...answer, note: UNSEEN_IN_TMUX };
  }

  async attach(who: string): Promise<ResponseOf<"attach">> {
    const session = this.#hosted(who);
    const grant = await this.#parts.hosts.grant(session.id);
    if (grant === undefined) throw notRunning(session.agent);
    return { sessionId: session.id, agent: session.agent, ...grant };
  }

  async stop(who: string, graceMs = GRACE_MS): Promise<ResponseOf<"session_stop">> {
    const session = this.#hosted(who);
    return this.#alone(session.agent, async () => {
      const outcome = await this.#parts.hosts.stop(session.id, graceMs);
      if (outcome === "absent") throw notRunning(session.agent);
      await this.#parts.registrar.scan();
      return { sessionId: session.id, agent: session.agent, outcome };
    });
  }

  /** Keeps the name and the mailbox: the same session, in a new terminal. */
  async restart(request: RequestOf<"restart">): Promise<RunResponse> {
    const { hosts, registrar, context } = this.#parts;
    const session = this.#hosted(request.who);
    const { agent, command = [], folder = "/" } = session;
    return this.#alone(agent, async () => {
      // Whoever cannot be started again is not stopped for it.
      await hosts.check({ command, folder, environment: request.environment });
      const known = context.store.read.session(session.id)?.programSessionId;
      if (request.resume === true && known === undefined) throw nothingToResume(agent);
      if ((await hosts.stop(session.id, GRACE_MS)) === "running") throw didNotEnd(agent);
      await registrar.scan();
      const fresh = context.store.read.session(session.id) ?? session;
      const resume = request.resume === true ? fresh.programSessionId : undefined;
      await this.#start(fresh, { ...request, folder, command }, resume);
      return responseOf(fresh);
    });
  }

  /** What hosts left behind of sessions that ended before this. */
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
      command: await prepare({ command, folder, ...(resume === undefined ? {} : { resume }) }),
      folder,
      environment: childEnvironment(request.environment, {
        ...this.#variablesOf(session),
        TERM: "xterm-256color",
      }),
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
      ...(parent === undefined ? {} : { BELLHOP_PARENT: parent }),
    };
  }

  /** The hosted session behind a person's word, running or not. */
  #hosted(who: string): StoredSession {
    const { directory, context } = this.#parts;
    const address = directory.resolve(who);
    const live = directory.takerOfMailbox(address)?.record;
    const session = live ?? this.#lastOf(address);
    if (session?.command !== undefined) return session;
    const tmux = live?.identity?.kind === "tmux";
    throw new BellhopError(session === undefined ? "session.unknown" : "terminal.not_hosted", {
      message:
        session === undefined
          ? `"${who}" never ran in a terminal of Bellhop's own.`
          : `"${session.agent}" does not run in a terminal of Bellhop's own.`,
      next: tmux
        ? `It runs in tmux (${session?.label ?? ""}): go there, or look with "bellhop peek ${context.store.read.agent(session?.agent ?? "")?.name ?? who}".`
        : `Start it with "bellhop run --name ${who} -- PROGRAM".`,
    });
  }

  #lastOf(address: string): StoredSession | undefined {
    const { read } = this.#parts.context.store;
    const { kind, rest } = splitAddress(address);
    if (kind === "session") return read.session(rest);
    const all = read
      .sessions({ exitedSince: 0 })
      .filter(({ agent, command }) => agentAddress(agent) === address && command !== undefined);
    return all.toSorted((a, b) => b.startedAt - a.startedAt)[0];
  }
}

function responseOf({ id, agent }: { readonly id: SessionId; readonly agent: AgentName }): RunResponse {
  return { sessionId: id, agent, terminal: { kind: "pty" } };
}

function endedAtOnce(agent: AgentName): string {
  return `It has ended already. See what it said: bellhop peek ${agent}`;
}

function runsAlready(agent: AgentName): BellhopError {
  return new BellhopError("agent.exists", {
    message: `An agent called "${agent}" is running already.`,
    next: `Attach to it with "bellhop attach ${agent}", or choose another name.`,
  });
}

function didNotEnd(agent: AgentName): BellhopError {
  return new BellhopError("agent.busy", {
    message: `"${agent}" did not end.`,
    next: `Stop it with more time: bellhop stop ${agent} --grace 30s`,
  });
}

function nothingToResume(agent: AgentName): BellhopError {
  return new BellhopError("conversation.unknown", {
    message: `Bellhop knows of no conversation of "${agent}" to go on with.`,
    next: `Start it with a new one: bellhop restart ${agent}`,
  });
}

function notRunning(agent: AgentName): BellhopError {
  return new BellhopError("session.exited", {
    message: `"${agent}" is not running.`,
    next: `Start it again with "bellhop restart ${agent}".`,
  });
}
