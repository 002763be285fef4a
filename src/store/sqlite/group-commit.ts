import { BellhopError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./driver.ts";
import { forgetAll } from "./memory.ts";
import { isMediumFailure } from "./sqlite-errors.ts";

/** More wait for the next transaction, so that one tick never blocks the loop for long. */
export const MOST_CHANGES_PER_COMMIT = 1_000;
/** More are refused: a disk this far behind will not catch up. */
export const MOST_CHANGES_WAITING = 50_000;

interface Waiting {
  readonly change: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One sync to disk costs the same for one change as for a hundred, so all changes of one event-loop tick share a
 * transaction. Each has a savepoint of its own: one that throws undoes and rejects only itself. A promise resolves
 * after COMMIT returned, never before.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #connection: Connection;
  #waiting: Waiting[] = [];
  #state: "resting" | "scheduled" | "closed" = "resting";

  constructor(database: Database, connection: Connection) {
    this.#database = database;
    this.#connection = connection;
  }

  add<T>(change: () => T): Promise<T> {
    if (this.#state === "closed") return Promise.reject(closedError());
    if (this.#waiting.length >= MOST_CHANGES_WAITING) return Promise.reject(overloadedError());
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      this.#schedule();
    });
  }

  /** Commits everything that waits, then takes no more. */
  close(): void {
    this.#state = "closed";
    while (this.#waiting.length > 0) this.#commitSome();
  }

  #schedule(): void {
    if (this.#state !== "resting") return;
    this.#state = "scheduled";
    setImmediate(() => {
      if (this.#state !== "scheduled") return;
      this.#state = "resting";
      this.#commitSome();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #commitSome(): void {
    const batch = this.#waiting.splice(0, MOST_CHANGES_PER_COMMIT);
    const settle: (() => void)[] = [];
    try {
      this.#run("BEGIN IMMEDIATE");
      for (const waiting of batch) {
        // Alone in its tick, a change needs no savepoint: the transaction is its own.
        settle.push(batch.length === 1 ? settlement(waiting) : this.#attempt(waiting));
      }
      this.#run("COMMIT");
    } catch (error) {
      this.#rollBack();
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const call of settle) call();
  }

  /** Throws only when the whole transaction is lost. */
  #attempt(waiting: Waiting): () => void {
    this.#run("SAVEPOINT change");
    let settle: () => void;
    try {
      settle = settlement(waiting);
    } catch (error) {
      // On a full disk SQLite may undo everything by itself; a next savepoint would then silently start anew.
      if (isMediumFailure(error) || !this.#database.isTransaction) throw error;
      this.#run("ROLLBACK TO change");
      forgetAll(this.#connection.memory);
      settle = () => waiting.reject(error);
    }
    this.#run("RELEASE change");
    return settle;
  }

  #rollBack(): void {
    forgetAll(this.#connection.memory);
    if (!this.#database.isTransaction) return;
    try {
      this.#run("ROLLBACK");
    } catch {
      // The promises are rejected with what came first; a transaction that stays open fails the next BEGIN loudly.
    }
  }

  #run(text: string): void {
    this.#connection.sql(text).run();
  }
}

/** Runs the change; what it returns tells its caller, once all is on disk. */
function settlement({ change, resolve }: Waiting): () => void {
  const value = change();
  if (isThenable(value)) throw asynchronousError();
  return () => resolve(value as never);
}

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function asynchronousError(): BellhopError {
  return new BellhopError("internal.bug", {
    message: "A change of the store was asynchronous: it would have gone on after its transaction.",
    next: `Report this with the output of "bellhop logs".`,
  });
}

function closedError(): BellhopError {
  return new BellhopError("daemon.stopping", {
    message: "The store is closed.",
    next: `Start Bellhop again with "bellhop up".`,
  });
}

function overloadedError(): BellhopError {
  return new BellhopError("store.failed", {
    message: `More than ${MOST_CHANGES_WAITING} changes wait for the disk.`,
    next: "Send more slowly, or move the home to a faster disk.",
  });
}
