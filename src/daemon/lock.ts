import { statSync } from "node:fs";
import { BellhopError } from "../core/errors.ts";
import { present } from "../core/present.ts";
import { isAlive, readHolder, removeHolder, writeHolder } from "../home/lock-holder.ts";
import { type Database, loadDriver } from "../store/sqlite/driver.ts";
import { withPrivateFiles } from "../store/sqlite/open.ts";
import { isBusy, storeError } from "../store/sqlite/sqlite-errors.ts";

export type LockOutcome =
  | {
      readonly kind: "held";
      readonly release: () => void;
      /** No longer where its file was removed or replaced, with the home most likely: then another may hold that one. */
      readonly stands: () => boolean;
    }
  /** The process that said it holds the lock, if it still lives. */
  | { readonly kind: "taken"; readonly pid?: number };

/**
 * Two that start in the same moment can each see the other's first step; with some patience one of them wins.
 * Nobody holds the lock for a short time, so waiting longer would only delay the answer.
 */
const PATIENCE_MS = 500;

/**
 * One daemon per home. Node offers no file lock, but SQLite does: an exclusive transaction on a tiny database of its
 * own, never committed. The kernel keeps that lock for the process and drops it at death, SIGKILL included, so there
 * is nothing stale to clean up; a pid file or a socket can neither be tested nor taken in one step. Children do not
 * inherit it (it belongs to the process, not to a descriptor), so a tmux server we started keeps nobody out.
 *
 * Only `exec` is used, so that `release` closes the file at once; and nothing here opens the file another way:
 * closing any second descriptor of it would drop the lock without a word.
 */
export async function takeDaemonLock(path: string, pid: number, startedAt?: string): Promise<LockOutcome> {
  const connect = await loadDriver();
  let database: Database | undefined;
  try {
    database = withPrivateFiles(() => connect(path, { busyTimeoutMs: PATIENCE_MS }));
    // Else an empty database gets a journal file the moment it is locked, and a full disk keeps the daemon out.
    database.exec("PRAGMA journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if (isBusy(error)) return taken(readHolder(path)?.pid);
    throw lockError(path, error);
  }
  writeHolder(path, { pid, ...present({ startedAt }) });
  const file = fileAt(path);
  return {
    kind: "held",
    release: releaseOnce(database, path),
    stands: () => file !== undefined && fileAt(path) === file,
  };
}

function releaseOnce(database: Database, path: string): () => void {
  let state: "held" | "released" = "held";
  return () => {
    if (state === "released") return;
    state = "released";
    removeHolder(path);
    database.close();
  };
}

/** Looked at, not opened. */
function fileAt(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev} ${stats.ino}`;
}

function taken(pid: number | undefined): LockOutcome {
  return pid !== undefined && isAlive(pid) ? { kind: "taken", pid } : { kind: "taken" };
}

function lockError(path: string, error: unknown): BellhopError {
  const typed = storeError(error);
  if (typed instanceof BellhopError && typed.code === "store.disk_full") return typed;
  return new BellhopError("daemon.start_failed", {
    message: `The lock ${path} cannot be taken: ${error instanceof Error ? error.message : String(error)}.`,
    next: `Make sure that no Bellhop runs ("bellhop status"), then remove ${path} and try again.`,
    cause: error,
  });
}
