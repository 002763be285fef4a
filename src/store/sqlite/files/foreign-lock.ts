/**
 * Another program has locked the database for writing: `sqlite3` with an open transaction, a maintenance tool.
 * SQLite would wait in this thread and block everything else, so the lock is retried with pauses instead.
 */
import { readFileSync, statSync } from "node:fs";
import { BellhopError, type Trouble, troubleFrom } from "../../../core/errors.ts";
import type { Clock } from "../../../ports/clock.ts";

/** How long a change waits for such a lock before it is refused. */
export const LOCK_PATIENCE_MS = 5_000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;

/** The byte of the `-shm` file that SQLite locks for writing. */
const WRITE_LOCK_BYTE = 120;

export class ForeignLock {
  readonly clock: Clock;
  readonly #path: string;
  #since: number | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #cancel: (() => void) | undefined;
  #told = false;
  readonly #onChange: (trouble: Trouble | undefined) => void;

  constructor(path: string, clock: Clock, onChange: (trouble: Trouble | undefined) => void = () => {}) {
    this.#path = path;
    this.clock = clock;
    this.#onChange = onChange;
  }

  /** The lock was found. Returns a factory for the refusal; the lock's owner is looked up only then. */
  seen(): () => BellhopError {
    this.#since ??= this.clock.now();
    let error: BellhopError | undefined;
    return () => {
      error ??= this.#refusal();
      return error;
    };
  }

  isPast(addedAt: number): boolean {
    return this.clock.monotonic() - addedAt >= LOCK_PATIENCE_MS;
  }

  again(call: () => void): void {
    this.#cancel = this.clock.after(this.#pauseMs, call);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }

  freed(): void {
    this.#cancel?.();
    this.#since = undefined;
    this.#pauseMs = FIRST_PAUSE_MS;
    if (this.#told) this.#onChange(undefined);
    this.#told = false;
  }

  /** Reports the trouble only when a change is refused: a lock that ends in time troubles nobody. */
  #refusal(): BellhopError {
    const error = lockedError(this.#path);
    if (!this.#told) this.#onChange(troubleFrom(error, this.#since ?? this.clock.now()));
    this.#told = true;
    return error;
  }

  trouble(): Trouble | undefined {
    return this.#since === undefined ? undefined : troubleFrom(lockedError(this.#path), this.#since);
  }
}

export function lockedError(path: string): BellhopError {
  const owner = lockOwner(`${path}-shm`);
  return new BellhopError("store.locked", {
    message: `Another program${owner === undefined ? "" : ` (${owner})`} keeps the database ${path} locked for writing: nothing can be stored.`,
    next:
      owner === undefined
        ? `Find it with "fuser ${path}" or "lsof ${path}" and end its transaction; Bellhop goes on by itself.`
        : "End its transaction, or that program; Bellhop goes on by itself.",
  });
}

/** Only known on Linux. */
function lockOwner(file: string): string | undefined {
  try {
    const { ino } = statSync(file);
    for (const line of readFileSync("/proc/locks", "utf8").split("\n")) {
      const [, , , , pid, place, from, to] = line.trim().split(/\s+/u);
      if (place?.split(":")[2] !== String(ino) || Number(pid) === process.pid || !(Number(pid) > 0)) continue;
      if (Number(from) <= WRITE_LOCK_BYTE && (to === "EOF" || Number(to) >= WRITE_LOCK_BYTE))
        return `process ${pid}, ${readFileSync(`/proc/${pid}/comm`, "utf8").trim()}`;
    }
  } catch {
    // The owner stays unnamed.
  }
  return undefined;
}
