import { BellhopError } from "../../core/errors.ts";
import type { Database } from "../../system/sqlite-driver.ts";
import type { Connection } from "./connection.ts";
import type { ForeignLock } from "./files/foreign-lock.ts";
import { forgetAll } from "./memory.ts";
import { isBusy, isMediumFailure } from "./sqlite-errors.ts";

/** Further ones wait for the next transaction, so that one tick never blocks the loop for long. */
export const MOST_CHANGES_PER_COMMIT = 1_000;
/** Further ones are refused: a disk this far behind will not catch up. */
export const MOST_CHANGES_WAITING = 50_000;

interface Waiting {
  readonly change: () => unknown;
  readonly addedAt: number;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitParts {
  readonly database: Database;
  readonly connection: Connection;
  readonly lock: ForeignLock;
  /** Throws if the database is no longer intact: the last check before every commit. */
  assertStands(): void;
  /** For tests: every change runs twice, as it does when another change in its batch throws. */
  readonly rehearses?: boolean | undefined;
}

/**
 * One sync to disk costs the same for one change as for a hundred, so all changes of one event-loop tick share a
 * transaction. A change that throws undoes and rejects only itself: the transaction is rolled back and run again with
 * each change in its own savepoint. Savepoints are expensive, and a change rarely throws. A promise resolves only after
 * COMMIT has returned.
 *
 *   resting ─▶ scheduled ─▶ resting          nobody else writes
 *                  └─▶ locked ─▶ resting     another program does: all wait, in order, and the loop goes on
 */
export class GroupCommit {
  readonly #parts: GroupCommitParts;
  #waiting: Waiting[] = [];
  #state: "resting" | "scheduled" | "locked" = "resting";
  #closing: { readonly done: Promise<void>; tell(): void } | undefined;

  constructor(parts: GroupCommitParts) {
    this.#parts = parts;
  }

  add<T>(change: () => T): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(closedError());
    if (this.#waiting.length >= MOST_CHANGES_WAITING) return Promise.reject(overloadedError());
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ change, addedAt: this.#parts.lock.clock.monotonic(), resolve, reject });
      this.#schedule();
    });
  }

  /** Accepts no more; resolves when everything waiting is committed or refused. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      let tell = (): void => {};
      const done = new Promise<void>((resolve) => {
        tell = resolve;
      });
      this.#closing = { done, tell };
      if (this.#state !== "locked") this.#commitAll();
      this.#tellWhenClosed();
    }
    return this.#closing.done;
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

  #commitAll(): void {
    this.#state = "resting";
    while (this.#waiting.length > 0 && !this.#isLocked()) this.#commitSome();
  }

  #isLocked(): boolean {
    return this.#state === "locked";
  }

  #tellWhenClosed(): void {
    if (this.#closing === undefined || this.#waiting.length > 0) return;
    this.#parts.lock.freed();
    this.#closing.tell();
  }

  #commitSome(): void {
    this.#commit(this.#waiting.splice(0, MOST_CHANGES_PER_COMMIT), "together");
  }

  #commit(batch: readonly Waiting[], how: "together" | "apart"): void {
    let settle: readonly (() => void)[] | undefined;
    try {
      this.#run("BEGIN IMMEDIATE");
    } catch (error) {
      if (isBusy(error)) this.#waitForLock(batch);
      else this.#refuse(batch, error);
      return;
    }
    try {
      settle = how === "together" ? this.#together(batch) : batch.map((one) => this.#attempt(one));
      this.#parts.assertStands();
      if (settle !== undefined) this.#run("COMMIT");
    } catch (error) {
      this.#refuse(batch, error);
      return;
    }
    if (settle !== undefined) {
      this.#parts.connection.memory.writeCounts.committed += 1;
      for (const call of settle) call();
    } else {
      this.#rollBack();
      this.#commit(batch, "apart");
    }
  }

  /** Nothing of the batch has run: it goes back to the front, and changes that have waited long enough are refused. */
  #waitForLock(batch: readonly Waiting[]): void {
    const { lock } = this.#parts;
    this.#state = "locked";
    this.#waiting = [...batch, ...this.#waiting];
    const refusal = lock.seen();
    const patient = this.#waiting.findIndex(({ addedAt }) => !lock.isPast(addedAt));
    const refused = this.#waiting.splice(0, patient === -1 ? this.#waiting.length : patient);
    for (const { reject } of refused) reject(refusal());
    if (this.#closing !== undefined && this.#waiting.length === 0) this.#tellWhenClosed();
    else lock.again(() => this.#afterLock());
  }

  /** Also if nothing waits any more: `status` reports the lock until it is released. */
  #afterLock(): void {
    this.#state = "resting";
    this.#commitSome();
    if (this.#isLocked()) return;
    this.#parts.lock.freed();
    if (this.#closing !== undefined) this.#commitAll();
    else if (this.#waiting.length > 0) this.#schedule();
    this.#tellWhenClosed();
  }

  /** Undefined if one of them threw but the transaction is still open. */
  #together(batch: readonly Waiting[]): readonly (() => void)[] | undefined {
    try {
      return batch.map((waiting) => this.#settlement(waiting));
    } catch (error) {
      if (batch.length === 1 || this.#isLost(error)) throw error;
      return undefined;
    }
  }

  /** Throws only if the whole transaction is lost. */
  #attempt(waiting: Waiting): () => void {
    this.#run("SAVEPOINT change");
    let settle: () => void;
    try {
      settle = this.#settlement(waiting);
    } catch (error) {
      if (this.#isLost(error)) throw error;
      this.#run("ROLLBACK TO change");
      forgetAll(this.#parts.connection.memory);
      settle = () => waiting.reject(error);
    }
    this.#run("RELEASE change");
    return settle;
  }

  /** Runs the change; the returned function resolves its promise, once all is on disk. */
  #settlement({ change, resolve }: Waiting): () => void {
    const { connection, database, rehearses } = this.#parts;
    if (rehearses === true) {
      this.#run("SAVEPOINT rehearsal");
      change();
      this.#run("ROLLBACK TO rehearsal");
      forgetAll(connection.memory);
    }
    const value = change();
    if (isThenable(value)) throw asynchronousError();
    // It hid that the disk was full, and SQLite rolled everything back: later changes would be committed without it.
    if (!database.isTransaction) throw lostError();
    return () => resolve(value as never);
  }

  /** On a full disk SQLite may roll back by itself; the next savepoint would then silently start a new transaction. */
  #isLost(error: unknown): boolean {
    return isMediumFailure(error) || !this.#parts.database.isTransaction;
  }

  #refuse(batch: readonly Waiting[], error: unknown): void {
    this.#rollBack();
    for (const { reject } of batch) reject(error);
  }

  #rollBack(): void {
    const { connection, database } = this.#parts;
    forgetAll(connection.memory);
    if (!database.isTransaction) return;
    try {
      // Not through the connection, which may be sealed by now.
      database.exec("ROLLBACK");
    } catch {
      // The promises are rejected with the first error; if the transaction stays open, the next BEGIN fails loudly.
    }
  }

  #run(text: string): void {
    this.#parts.connection.sql(text).run();
  }
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

function lostError(): BellhopError {
  return new BellhopError("store.failed", {
    message: "The database undid a change by itself: nothing was stored.",
    next: `Try again; if it stays so, look at "bellhop logs" and "bellhop doctor".`,
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
