import { BellhopError, diskFullError } from "../../core/errors.ts";

/** Primary result codes of SQLite. */
const ERROR = 1;
const BUSY = 5;
const NOMEM = 7;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CONSTRAINT = 19;
const NOTADB = 26;

const CODE_OF_TEXT: ReadonlyMap<string, number> = new Map([
  ["database is locked", BUSY],
  ["out of memory", NOMEM],
  ["disk I/O error", IOERR],
  ["database disk image is malformed", CORRUPT],
  ["database or disk is full", FULL],
  ["file is not a database", NOTADB],
]);

/** The log's index could not grow: in practice the disk was full. */
const IOERR_SHMSIZE = IOERR | (19 << 8);

/** Errno of "no space left" and "quota exceeded" on Linux and macOS. */
const NO_SPACE_ERRNOS: readonly unknown[] = [28, 69, 122];

interface DriverError extends Error {
  readonly errcode: number;
  readonly systemErrno?: number;
}

/** Translates the driver's errors into Bellhop's; others pass unchanged. */
export function storeError(error: unknown): unknown {
  const code = primaryCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  if (code === FULL || isFullInDisguise(error as DriverError)) {
    return diskFullError("nothing was stored", error);
  }
  if (code === CORRUPT || code === NOTADB) {
    return new BellhopError("store.corrupt", {
      message: `The database is damaged (${error.message}).`,
      next: `Stop Bellhop, keep a copy of its database, then restore a backup or move the file away to start empty.`,
      cause: error,
    });
  }
  return new BellhopError("store.failed", {
    message: `The database refused: ${error.message}.`,
    next: `Nothing was stored. Try again; if it stays so, look at "bellhop logs" and "bellhop doctor".`,
    cause: error,
  });
}

function isFullInDisguise({ errcode, systemErrno }: DriverError): boolean {
  return errcode === IOERR_SHMSIZE || ((errcode & 0xff) === IOERR && NO_SPACE_ERRNOS.includes(systemErrno));
}

export function isConstraint(error: unknown): boolean {
  return primaryCode(error) === CONSTRAINT;
}

/** Another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** For fixed statements on a file just opened: there the generic code means an invalid header. */
export function isDamage(error: unknown): error is Error {
  const code = primaryCode(error);
  return code !== undefined && [ERROR, CORRUPT, NOTADB].includes(code);
}

/** The medium itself failed, so no write of the transaction can be trusted. */
export function isMediumFailure(error: unknown): boolean {
  const code = primaryCode(error);
  return code !== undefined && [NOMEM, IOERR, CORRUPT, FULL, NOTADB].includes(code);
}

/** Of a driver's error, or of one already translated. */
function primaryCode(error: unknown): number | undefined {
  const origin = error instanceof BellhopError ? error.cause : error;
  if (!(origin instanceof Error)) return undefined;
  if ("errcode" in origin && typeof origin.errcode === "number") return origin.errcode & 0xff;
  // When it reads many rows, the package reports only the text.
  if ("code" in origin && origin.code === "ERR_SQLITE_ERROR")
    return CODE_OF_TEXT.get(origin.message) ?? ERROR;
  return undefined;
}
