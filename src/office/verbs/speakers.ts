/**
 * Who is asking: decided only here, for every door. A credential settles it. On the Unix socket, which is open to
 * everything that runs as the owner, the caller's parent processes decide first, then what it says of itself.
 * It only looks.
 */
import { BellhopError } from "../../core/errors.ts";
import { runningProgram, sharedConversation } from "../../core/rights/agent-programs.ts";
import type { Speaker } from "../../core/rights/rights.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Processes, ProcessIdentity } from "../../ports/processes.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { OfficeContext } from "../base/context.ts";
import type { Directory } from "../presence/directory.ts";

type Lineage = Awaited<ReturnType<Processes["lineage"]>>;

/**
 * A caller asks often, and its parent processes can only end, so they are cached this long. Which of them is an agent
 * is looked up for every request.
 */
const REMEMBERED_MS = 1_000;
const MOST_REMEMBERED = 1_000;

/** Turns without a terminal. */
export interface TurnProcesses {
  /** Whose turn a process is. */
  sessionOf(process: ProcessIdentity): StoredSession | undefined;
  isTriage(process: ProcessIdentity): boolean;
}

interface AgentAbove {
  readonly record: StoredSession;
  /** What it runs is in a terminal, or is a turn without one. */
  readonly by: "terminal" | "turn";
}

export class Speakers {
  readonly #directory: Directory;
  readonly #turns: TurnProcesses;
  readonly #processes: Processes;
  readonly #clock: Clock;
  readonly #above = new Map<number, { readonly lineage: Lineage; readonly at: number }>();
  /** A burst of requests needs one look. */
  readonly #looking = new Map<number, Promise<Lineage>>();

  #last: { readonly said: Claims; readonly claims: Claims } | undefined;

  constructor(
    directory: Directory,
    turns: TurnProcesses,
    { processes, clock }: Pick<OfficeContext, "processes" | "clock">,
  ) {
    this.#directory = directory;
    this.#turns = turns;
    this.#processes = processes;
    this.#clock = clock;
  }

  /**
   * The caller's claims, corrected by what the system shows; without a wait if there is nothing to look up. Throws for a
   * triage: it needs nothing of Bellhop, and what it reads may tell it to ask.
   */
  correct(said: Claims): Claims | Promise<Claims> {
    if (said.pid === undefined) return said;
    const { pid } = said;
    const claims = this.#withoutPid(said);
    if (claims.agent !== undefined) return claims;
    const known = this.#above.get(pid);
    return known !== undefined && this.#clock.monotonic() - known.at < REMEMBERED_MS
      ? this.#held(claims, known.lineage)
      : this.#lookedUp(claims, pid);
  }

  /** What comes over one connection in a row is read with the same claims. */
  #withoutPid(said: Claims): Claims {
    if (this.#last?.said === said) return this.#last.claims;
    const { pid: _, ...claims } = said;
    this.#last = { said, claims };
    return claims;
  }

  async #lookedUp(claims: Claims, pid: number): Promise<Claims> {
    let looking = this.#looking.get(pid);
    if (looking === undefined) {
      looking = this.#look(pid);
      this.#looking.set(pid, looking);
    }
    return this.#held(claims, await looking);
  }

  async #look(pid: number): Promise<Lineage> {
    // If the lineage cannot be read, there is only the caller's word.
    const lineage = await this.#processes.lineage(pid).catch((): Lineage => []);
    this.#looking.delete(pid);
    if (this.#above.size >= MOST_REMEMBERED) this.#above.clear();
    if (lineage.length > 0) this.#above.set(pid, { lineage, at: this.#clock.monotonic() });
    return lineage;
  }

  #held(claims: Claims, above: Lineage): Claims {
    if (above.some((process) => this.#turns.isTriage(process))) throw ofTriage();
    const agent = this.#agentAbove(above);
    if (agent !== undefined) return this.#asAgent(claims, agent);
    return this.#sitsBeside(claims, above) ? { ...claims, besideAgent: true } : claims;
  }

  /** `claims` must be corrected. */
  speaker(claims: Claims): Speaker {
    if (claims.agent !== undefined) return { kind: "agent", agent: claims.agent, by: "token" };
    const own = this.#directory.ownSession(claims);
    if (own !== undefined) return { kind: "agent", agent: own.agent, sessionId: own.id, by: "program" };
    if (claims.session !== undefined) return { kind: "unknown-session", id: claims.session };
    const program = runningProgram(claims.programSessions);
    return program === undefined ? { kind: "owner" } : { kind: "unknown-program", program };
  }

  #agentAbove(above: Lineage): AgentAbove | undefined {
    const all = this.#directory.all();
    for (const process of above) {
      const { pid, startedAt } = process;
      for (const { identity, record } of all)
        if (identity.agentPid === pid && identity.agentStartedAt === startedAt)
          return { record, by: "terminal" };
      const ofTurn = this.#turns.sessionOf(process);
      if (ofTurn !== undefined) return { record: ofTurn, by: "turn" };
    }
    return undefined;
  }

  #asAgent({ user, tmux, programSessions }: Claims, { record, by }: AgentAbove): Claims {
    const where = tmux === undefined ? {} : { tmux };
    // One server may run the commands of several windows; only the conversation tells them apart. A turn has none.
    const shared = by === "turn" ? undefined : sharedConversation(programSessions);
    if (shared?.program === record.program) {
      const claims: Claims = { user, ...where, programSessions: { [shared.variable]: shared.id } };
      // A conversation of another program cannot be what runs here.
      if (this.#directory.ownSession(claims)?.program === record.program) return claims;
    }
    return { user, ...where, session: record.id };
  }

  /** Under the pane's shell but not under its agent: a person who suspended the agent, or put it in the background. */
  #sitsBeside({ tmux }: Claims, above: Lineage): boolean {
    if (tmux === undefined) return false;
    const there = this.#directory.atPane(tmux);
    return there !== undefined && above.some(({ pid }) => pid === there.identity.panePid);
  }
}

function ofTriage(): BellhopError {
  return new BellhopError("request.forbidden", {
    message: "A triage may do nothing.",
    next: "Only answer the question that was asked.",
  });
}
