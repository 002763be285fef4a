import { statSync } from "node:fs";
import { BellhopError } from "../core/errors.ts";
import { present } from "../core/present.ts";
import { isAlive, readHolder, removeHolder, writeHolder } from "../home/lock-holder.ts";
import { withPrivateFiles } from "../store/sqlite/open.ts";
import { isBusy, storeError } from "../store/sqlite/sqlite-errors.ts";
import { type Database, loadDriver } from "../system/sqlite-driver.ts";

export type LockOutcome =
  | {
      readonly kind: "held";
      readonly release: () => void;
      /** False once its file was removed or replaced, usually with the home: another daemon may hold the new one. */
      readonly stands: () => boolean;
    }
  /** The process recorded as the holder, if it still lives. */
  | { readonly kind: "taken"; readonly pid?: number };

/**
 * Two daemons that start at once can each see the other's first step; with some patience one of them wins. Nobody
 * holds the lock only briefly, so waiting longer would just delay the answer.
 */
const PATIENCE_MS = 500;

/**
 * One daemon per home. Node offers no file lock, but SQLite does: an exclusive transaction on a tiny database of its
 * own, never committed. The kernel ties that lock to the process and releases it at death, SIGKILL included, so there
 * is nothing stale to clean up; a pid file or a socket can neither be tested nor taken in one step. Children do not
 * inherit it (it belongs to the process, not to a descriptor), so a tmux server we started keeps no daemon out.
 *
 * Only `exec` is used, so that `release` closes the file at once. Nothing here opens the file in another way: closing
 * any second descriptor of it would silently drop the lock.
 */
export async function takeDaemonLock(path: string, pid: number, startedAt?: string): Promise<LockOutcome> {
  const connect = await loadDriver();
  let database: Database | undefined;
  try {
    database = withPrivateFiles(() => connect(path, { busyTimeoutMs: PATIENCE_MS }));
    // Otherwise locking an empty database creates a journal file, and a full disk would keep the daemon from starting.
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

/** Uses `stat`, because the file must not be opened. */
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
