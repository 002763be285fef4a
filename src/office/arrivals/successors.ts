/**
 * Which ended agent a new program continues: the same program, started again in the same folder. Also, for mail to an
 * ended agent, who works in its folder now. The registrar and `run` ask it. Read-only, but allows one start per agent.
 */
import { BellhopError } from "../../core/errors.ts";
import type { AgentName } from "../../core/message.ts";
import { goesOnAs, hasRun, type Past } from "../../core/successor.ts";
import type { Hosts } from "../../ports/hosts.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { Ground } from "../presence/ground.ts";
import { isOver } from "../presence/still-there.ts";

/** A program that is being started. */
export interface Start {
  readonly folder: string;
  /** Whether it is the program that ran in `past`. */
  isSame(past: StoredSession): boolean;
}

/** Several, because the session that started last may not be the one that ended last. */
const LAST_ENDED = 8;

interface FoundPast extends Past {
  readonly session: StoredSession;
}

export interface SuccessorsParts extends Ground {
  readonly hosts: Pick<Hosts, "facts">;
}

export class Successors {
  readonly #parts: SuccessorsParts;
  readonly #underWay = new Set<AgentName>();

  constructor(parts: SuccessorsParts) {
    this.#parts = parts;
  }

  /** Calls `work` with the session to continue, if any; until it is done, no other program continues that agent. */
  async goingOn<T>(start: Start, work: (past: StoredSession | undefined) => Promise<T>): Promise<T> {
    for (const tried = new Set<AgentName>(); ; ) {
      const past = goesOnAs(this.#pasts(start).filter(({ session }) => !tried.has(session.agent)))?.session;
      if (past === undefined) return work(undefined);
      tried.add(past.agent);
      // It may have come back, or been started by someone else, during the await.
      if ((await this.#isGone(past)) && this.#isFree(past.agent))
        return this.alone(past.agent, () => work(past));
    }
  }

  /** The session to continue if the agent is started by name. */
  async lastOf(agent: AgentName): Promise<StoredSession | undefined> {
    const last = this.#lastRun(agent);
    return last !== undefined && (await this.#isGone(last)) ? last : undefined;
  }

  /** Two simultaneous starts of one agent would give two programs with one mailbox. */
  async alone<T>(agent: AgentName, work: () => Promise<T>): Promise<T> {
    if (this.#underWay.has(agent)) {
      throw new BellhopError("agent.busy", {
        message: `"${agent}" is already being started or stopped.`,
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

  /** If its program has ended and another agent works in its folder: a sender may mean that one. */
  likely(agent: AgentName): AgentName | undefined {
    if (this.#parts.directory.takerOf(agent) !== undefined) return undefined;
    const last = this.#lastRun(agent);
    if (last?.folder === undefined) return undefined;
    const there = this.#parts.directory.all().filter(({ record }) => record.folder === last.folder);
    const same = there.filter(({ record }) => record.program === last.program);
    return (same.length > 0 ? same : there).toSorted(
      (a, b) => b.record.lastActiveAt - a.record.lastActiveAt,
    )[0]?.record.agent;
  }

  #pasts({ folder, isSame }: Start): readonly FoundPast[] {
    const { read } = this.#parts.context.store;
    const agents = new Set(read.sessionsIn(folder).map(({ agent }) => agent));
    return [...agents].flatMap((name) => {
      const agent = read.agent(name);
      const session = this.#lastRun(name);
      if (agent === undefined || session === undefined || !this.#isFree(name)) return [];
      // A child was started for its parent's work, under its own name.
      const isHere = session.folder === folder && session.parent === undefined && isSame(session);
      return isHere ? [{ session, agentSince: agent.createdAt }] : [];
    });
  }

  /** By start, not by end: a session that is no longer seen may still run. */
  #lastRun(agent: AgentName): StoredSession | undefined {
    return this.#parts.context.store.read
      .sessionsOf(agent, LAST_ENDED)
      .filter(hasRun)
      .toSorted((a, b) => b.startedAt - a.startedAt)[0];
  }

  #isFree(agent: AgentName): boolean {
    return this.#parts.directory.takerOf(agent) === undefined && !this.#underWay.has(agent);
  }

  /** Asks the system, whatever is recorded: a session is not gone because it was not seen. */
  async #isGone({ agent, ...last }: StoredSession): Promise<boolean> {
    const { store, processes } = this.#parts.context;
    const unended = store.read.sessionsOf(agent, LAST_ENDED).filter(({ exitedAt }) => exitedAt === undefined);
    for (const { id, identity, command, window } of [last, ...unended]) {
      // If it was never seen in its window, its end cannot be known.
      if (identity === undefined && window !== undefined) return false;
      if (identity !== undefined && !(await isOver(identity, processes))) return false;
      if (command !== undefined && (await this.#parts.hosts.facts(id))?.state === "running") return false;
    }
    return true;
  }
}
