/** The turns that run now, and those that wait for their budget. Kept in memory: every seat looks again after a start. */

import { agentAddress, sessionAddress } from "../../core/address.ts";
import type { AttentionFacts } from "../../core/attention.ts";
import type { Address, SessionId } from "../../core/message.ts";
import type { Turn } from "../../core/turns/turn.ts";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { Directory } from "../presence/directory.ts";

export type OverBudget = AttentionFacts["overBudget"][number];

/** What a turn has done so far is shown like a screen, the newest at the end. */
const MOST_STEPS = 200;

interface Running {
  readonly startedAt: string;
  /** Without one it is a triage, which reads what anybody wrote and speaks for nobody. */
  readonly sessionId?: SessionId;
}

export class Underway {
  readonly #directory: Directory;
  readonly #changed: (whose: Address) => void;
  readonly #steps = new Map<string, string[]>();
  readonly #running = new Map<number, Running>();

  readonly #overBudget = new Map<SessionId, OverBudget>();

  constructor(directory: Directory, changed: (whose: Address) => void) {
    this.#directory = directory;
    this.#changed = changed;
  }

  does({ id, agent }: Turn, what: string | undefined): void {
    if (what === undefined) this.#steps.delete(id);
    else this.#steps.set(id, [...this.steps(id), what].slice(-MOST_STEPS));
    this.#changed(agentAddress(agent));
  }

  /** Undefined: nothing of this session waits for its budget any more. */
  waitsForBudget(sessionId: SessionId, over: OverBudget | undefined): void {
    const before = this.#overBudget.get(sessionId);
    if (before?.release === over?.release && before?.messages === over?.messages) return;
    if (over === undefined) this.#overBudget.delete(sessionId);
    else this.#overBudget.set(sessionId, over);
    this.#changed(sessionAddress(sessionId));
  }

  overBudget(): readonly OverBudget[] {
    return [...this.#overBudget.values()];
  }

  steps(turnId: string): readonly string[] {
    return this.#steps.get(turnId) ?? [];
  }

  /** Until the returned function is called. */
  runs({ pid, startedAt }: ProcessIdentity, sessionId: SessionId): () => void {
    return this.#begun(pid, { startedAt, sessionId });
  }

  /** Until the returned function is called. */
  triages({ pid, startedAt }: ProcessIdentity): () => void {
    return this.#begun(pid, { startedAt });
  }

  #begun(pid: number, running: Running): () => void {
    this.#running.set(pid, running);
    return () => {
      if (this.#running.get(pid) === running) this.#running.delete(pid);
    };
  }

  /** The session whose turn this process is. */
  sessionOf(process: ProcessIdentity): StoredSession | undefined {
    const sessionId = this.#found(process)?.sessionId;
    return sessionId === undefined ? undefined : this.#directory.recordOf(sessionId);
  }

  isTriage(process: ProcessIdentity): boolean {
    const found = this.#found(process);
    return found !== undefined && found.sessionId === undefined;
  }

  #found({ pid, startedAt }: ProcessIdentity): Running | undefined {
    const running = this.#running.get(pid);
    return running?.startedAt === startedAt ? running : undefined;
  }
}
