import { chmodSync, lstatSync, type Stats, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { BellhopError } from "../../core/errors.ts";
import { type Connect, type Database, loadDriver } from "../../system/sqlite-driver.ts";
import { lockedError } from "./files/foreign-lock.ts";
import { databaseVersion, migrate, NEWEST_VERSION } from "./migrations/migrate.ts";
import { isBusy, isDamage, storeError } from "./sqlite-errors.ts";

export const IN_MEMORY = ":memory:";

const APPLICATION_ID = 0x42656c6c;
/** During the start nothing else could run anyway. */
const BUSY_TIMEOUT_MS = 5_000;
/** SQLite waits in the thread that serves everyone; writers wait outside it instead (`foreign-lock.ts`). */
const BUSY_WHILE_SERVING = "PRAGMA busy_timeout = 5";

/**
 * A full check reads the whole file. Small files are always checked, larger ones only after an unclean stop; beyond
 * that a start would take seconds, and SQLite still notices damage in what it reads.
 */
const ALWAYS_CHECKED_BYTES = 8 * 1024 * 1024;
const CHECKED_AFTER_CRASH_BYTES = 32 * 1024 * 1024;

const CACHE = "PRAGMA cache_size = -8192";
export const LOG_PAGES = 1_024;
const PAGE_BYTES = 4_096;
const ROOM_FOR_LOG_BYTES = 4 * LOG_PAGES * PAGE_BYTES;

const PRAGMAS = [
  // A commit is on disk before it returns: "queued" is a promise.
  "PRAGMA synchronous = FULL",
  "PRAGMA foreign_keys = ON",
  CACHE,
  "PRAGMA temp_store = MEMORY",
  // 4 MiB of log between two checkpoints: the size `layOutLog` allocates, so that no commit makes the file longer.
  `PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
  "PRAGMA journal_size_limit = 33554432",
  "PRAGMA trusted_schema = OFF",
];

/** `later`: whoever opens it calls `layOutLog` when there is time for it. */
export type LogLayout = "now" | "later";

export async function openDatabase(path: string, layout: LogLayout = "now"): Promise<Database> {
  const connect = await loadDriver();
  if (path === IN_MEMORY) return prepared(connect, path, "later");
  const found = inspectFiles(path);
  if (found.bytes > 0) inspectDatabase(connect, path, found);
  return withPrivateFiles(() => prepared(connect, path, layout));
}

export function prepared(connect: Connect, path: string, layout: LogLayout = "now"): Database {
  let database: Database | undefined;
  try {
    database = connect(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    const mode = database.prepare("PRAGMA journal_mode = WAL").get() as { readonly journal_mode: string };
    if (path !== IN_MEMORY && mode.journal_mode !== "wal") throw noWalError(path);
    for (const pragma of PRAGMAS) database.exec(pragma);
    migrate(database);
    // Also tells whether another program is writing.
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    if (layout === "now") layOutLog(database, path);
    database.exec(BUSY_WHILE_SERVING);
    return database;
  } catch (error) {
    database?.close();
    throw isBusy(error) ? lockedError(path) : storeError(error);
  }
}

/**
 * A commit that makes the log longer also syncs the file's size, which takes about twice as long as overwriting.
 * So the log gets its full length at once, through the pages of a change that is rolled back.
 */
export function layOutLog(database: Database, path: string): void {
  if (!hasRoomForLog(path)) return;
  // A cache this small cannot keep the pages, so they go into the log.
  database.exec("PRAGMA cache_size = 16");
  try {
    database.exec("BEGIN IMMEDIATE");
    // Into a table that exists: a new one, even if rolled back, makes SQLite read the schema again.
    database.exec(`INSERT INTO messages
      (id, short_id, from_address, to_address, priority, source, hops, created_at, file, body)
      VALUES ('', '', '', '', '', '', 0, 0, '', zeroblob(${LOG_PAGES * PAGE_BYTES}))`);
  } catch {
    // No room, or another program writes: the log grows as needed, and a writer that finds the disk full is told so.
  }
  if (database.isTransaction) database.exec("ROLLBACK");
  database.exec(CACHE);
}

/** Leaves the last free space of a disk alone. */
function hasRoomForLog(path: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize > ROOM_FOR_LOG_BYTES;
}

/**
 * SQLite gives `-wal` and `-shm` the mode of the database, so the umask at its creation decides for all three.
 * Do not create it ourselves first: closing any descriptor of a file drops this process's locks on it.
 */
export function withPrivateFiles<T>(open: () => T): T {
  const before = process.umask(0o177);
  try {
    return open();
  } finally {
    process.umask(before);
  }
}

interface FoundFiles {
  readonly bytes: number;
  readonly stop: "clean" | "crash";
}

function inspectFiles(path: string): FoundFiles {
  const [main, log] = [path, `${path}-wal`, `${path}-shm`].map((file) => {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (!stats.isFile() || stats.uid !== process.getuid?.()) throw unsafeFileError(file, stats);
    if ((stats.mode & 0o077) !== 0) chmodSync(file, 0o600);
    return stats;
  });
  return { bytes: main?.size ?? 0, stop: (log?.size ?? 0) > 0 ? "crash" : "clean" };
}

/** Through a read-only connection, so that a damaged database, or one newer than us, stays as it was found. */
function inspectDatabase(connect: Connect, path: string, found: FoundFiles): void {
  let database: Database | undefined;
  try {
    database = connect(path, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
    if (!isOurs(database)) throw corruptError(path, "it is not a Bellhop database");
    const version = databaseVersion(database);
    if (version > NEWEST_VERSION) throw tooNewError(path, version);
    const checkedBytes = found.stop === "clean" ? ALWAYS_CHECKED_BYTES : CHECKED_AFTER_CRASH_BYTES;
    if (found.bytes > checkedBytes) return;
    const verdict = database.prepare("PRAGMA quick_check(1)").get() as { readonly quick_check: string };
    if (verdict.quick_check !== "ok") throw corruptError(path, verdict.quick_check);
  } catch (error) {
    if (isDamage(error)) throw corruptError(path, error.message);
    throw storeError(error);
  } finally {
    database?.close();
  }
}

/** A crash during the very first start leaves a database without tables. */
function isOurs(database: Database): boolean {
  const id = database.prepare("PRAGMA application_id").get() as { readonly application_id: number };
  if (id.application_id === APPLICATION_ID) return true;
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

function corruptError(path: string, cause: string): BellhopError {
  return new BellhopError("store.corrupt", {
    message: `The database ${path} is damaged: ${cause}. Nothing was changed.`,
    next: `Keep a copy of it with its "-wal" file. Then restore a backup, or move it away ("mv ${path} ${path}.damaged") and start again empty; the bodies of the messages stay in the messages folder.`,
  });
}

function tooNewError(path: string, version: number): BellhopError {
  return new BellhopError("store.too_new", {
    message: `The database ${path} was written by a newer Bellhop (format ${version}; this one knows ${NEWEST_VERSION}). Nothing was changed.`,
    next: "Install the newer Bellhop again, or choose another BELLHOP_HOME.",
  });
}

function unsafeFileError(file: string, stats: Stats): BellhopError {
  const what = stats.isSymbolicLink()
    ? "a symbolic link"
    : stats.isFile()
      ? "another user's"
      : "not a plain file";
  return new BellhopError("file.unsafe", {
    message: `${file} is ${what}.`,
    next: "Find out how it got there, and move it away.",
  });
}

function noWalError(path: string): BellhopError {
  return new BellhopError("store.failed", {
    message: `The file system of ${path} does not support SQLite's write-ahead log.`,
    next: "Choose a BELLHOP_HOME on a local disk.",
  });
}
