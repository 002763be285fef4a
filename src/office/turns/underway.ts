/** The turns that run now: their processes and what they do. Kept in memory: no turn outlives the daemon. */
import type { SessionId } from "../../core/message.ts";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { Directory } from "../presence/directory.ts";

interface Running {
  readonly startedAt: string;
  readonly sessionId: SessionId;
}

export class Underway {
  readonly #directory: Directory;
  readonly #changed: () => void;
  readonly #doing = new Map<string, string>();
  readonly #running = new Map<number, Running>();

  constructor(directory: Directory, changed: () => void) {
    this.#directory = directory;
    this.#changed = changed;
  }

  does(turnId: string, what: string | undefined): void {
    if (what === undefined) this.#doing.delete(turnId);
    else this.#doing.set(turnId, what);
    this.#changed();
  }

  doing(turnId: string): string | undefined {
    return this.#doing.get(turnId);
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
