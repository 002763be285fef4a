/**
 * Whether the files of an open database are still those it was opened on, from two looks at them. SQLite does not
 * check: it goes on writing into a removed file, and mixes its pages into one that was overwritten.
 *
 * The main file changes only by checkpoints, ours or those of another program that uses SQLite. Each leaves a trace in
 * the log's index before it writes its first page (https://sqlite.org/walformat.html), so a change without such a trace
 * was not made by SQLite.
 */

export interface FileFacts {
  readonly device: number;
  readonly inode: number;
  readonly size: number;
  readonly changedAt: number;
}

/** From the log's index. */
export interface LogFacts {
  /** The number of valid frames, and the size of each one's page. */
  readonly frames: number;
  readonly pageBytes: number;
  /** Changes whenever the log is restarted. */
  readonly salt: string;
  readonly backfilled: number;
  readonly backfillAttempted: number;
}

export interface Facts {
  readonly database: FileFacts | undefined;
  readonly log: FileFacts | undefined;
  readonly index: FileFacts | undefined;
  /** The index as read before and after looking at the files. */
  readonly before: LogFacts;
  readonly after: LogFacts;
  /** From the first bytes of the log itself. */
  readonly logSalt: string;
  /** Digest of sampled pages of the file. */
  readonly sample: string;
}

export type DatabaseFile = "database" | "log" | "index";

export type Standing =
  | { readonly kind: "stands" }
  /** Another file, or none, is at its path; the one we opened is intact. */
  | { readonly kind: "away"; readonly file: DatabaseFile; readonly how: "removed" | "replaced" }
  /** The file we opened has lost its contents. */
  | { readonly kind: "changed"; readonly file: DatabaseFile; readonly how: "truncated" | "overwritten" };

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const STANDS: Standing = { kind: "stands" };

export function standing(known: Facts, now: Facts): Standing {
  for (const file of ["database", "log", "index"] as const) {
    const away = whetherAway(known[file], now[file]);
    if (away !== undefined) return { kind: "away", file, how: away };
  }
  return databaseInPlace(known, now) ?? logInPlace(now) ?? STANDS;
}

export function whetherAway(
  known: FileFacts | undefined,
  now: FileFacts | undefined,
): "removed" | "replaced" | undefined {
  if (now === undefined) return "removed";
  return known?.device === now.device && known.inode === now.inode ? undefined : "replaced";
}

function databaseInPlace(known: Facts, now: Facts): Standing | undefined {
  if (known.database === undefined || now.database === undefined) return undefined;
  if (isUntouched(known.database, now.database) || isExplained(known.before, now.after)) return undefined;
  if (now.database.size < known.database.size) return { kind: "changed", file: "database", how: "truncated" };
  // The same pages: only its modification time was changed.
  if (now.sample === known.sample && now.database.size === known.database.size) return undefined;
  return { kind: "changed", file: "database", how: "overwritten" };
}

export function isUntouched(known: FileFacts, now: FileFacts): boolean {
  return known.changedAt === now.changedAt && known.size === now.size;
}

/** A checkpoint has run since, or is running. */
function isExplained(known: LogFacts, now: LogFacts): boolean {
  return (
    known.salt !== now.salt ||
    known.backfilled !== now.backfilled ||
    known.backfillAttempted !== now.backfillAttempted ||
    now.backfillAttempted > now.backfilled
  );
}

/** Uses only what both reads of the index agree on: a log restarted in between tells nothing. */
function logInPlace({ log, before, after, logSalt }: Facts): Standing | undefined {
  if (log === undefined || before.salt !== after.salt) return undefined;
  const frames = Math.min(before.frames, after.frames);
  if (frames === 0) return undefined;
  const least = LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + after.pageBytes);
  if (log.size < least) return { kind: "changed", file: "log", how: "truncated" };
  if (logSalt !== after.salt) return { kind: "changed", file: "log", how: "overwritten" };
  return undefined;
}
