/** The turns that run now, and those that wait for their budget. Kept in memory: every seat looks again after a start. */
import type { AttentionFacts } from "../../core/attention.ts";
import type { SessionId } from "../../core/message.ts";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { Directory } from "../presence/directory.ts";

export type OverBudget = AttentionFacts["overBudget"][number];

/** What a turn has done so far is shown like a screen, the newest at the end. */
const MOST_STEPS = 200;

interface Running {
  readonly startedAt: string;
  readonly sessionId: SessionId;
}

export class Underway {
  readonly #directory: Directory;
  readonly #changed: () => void;
  readonly #steps = new Map<string, string[]>();
  readonly #running = new Map<number, Running>();

  readonly #overBudget = new Map<SessionId, OverBudget>();

  constructor(directory: Directory, changed: () => void) {
    this.#directory = directory;
    this.#changed = changed;
  }

  does(turnId: string, what: string | undefined): void {
    if (what === undefined) this.#steps.delete(turnId);
    else this.#steps.set(turnId, [...this.steps(turnId), what].slice(-MOST_STEPS));
    this.#changed();
  }

  /** Undefined: nothing of this session waits for its budget any more. */
  waitsForBudget(sessionId: SessionId, over: OverBudget | undefined): void {
    const before = this.#overBudget.get(sessionId);
    if (before?.release === over?.release && before?.messages === over?.messages) return;
    if (over === undefined) this.#overBudget.delete(sessionId);
    else this.#overBudget.set(sessionId, over);
    this.#changed();
  }

  overBudget(): readonly OverBudget[] {
    return [...this.#overBudget.values()];
  }

  steps(turnId: string): readonly string[] {
    return this.#steps.get(turnId) ?? [];
  }

  /** Until the returned function is called. */
  runs({ pid, startedAt }: ProcessIdentity, sessionId: SessionId): () => void {
    this.#running.set(pid, { startedAt, sessionId });
    return () => this.#running.delete(pid);
  }

  /** The session whose turn this process is. */
  sessionOf({ pid, startedAt }: ProcessIdentity): StoredSession | undefined {
    const running = this.#running.get(pid);
    return running?.startedAt === startedAt ? this.#directory.recordOf(running.sessionId) : undefined;
  }
}
