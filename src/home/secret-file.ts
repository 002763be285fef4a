/**
 * A file in Bellhop's home with one secret in it: 32 random bytes in hex, readable by the owner alone, made once. It is
 * read at each use, so that a changed one takes effect at once.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { BellhopError, isOutOfFiles, outOfFiles } from "../core/errors.ts";

const SECRET_BYTES = 32;
const SECRET = /^[0-9a-f]{64}$/;
/** The secret, a line end, and one more byte to detect a file that is too long. */
const LONGEST_FILE = 66;

export interface SecretFile {
  readonly path: string;
  /** What is in it: `token`. */
  readonly what: string;
}

/** `undefined`: there is none yet. */
export function readSecret(file: SecretFile): string | undefined {
  const { path, what } = file;
  let descriptor: number;
  try {
    // O_NONBLOCK: opening a pipe that someone put there must not hang.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    if (isOutOfFiles(cause)) throw outOfFiles(`The ${what} cannot be read`, cause);
    throw unsafe(file, errorCode(cause) === "ELOOP" ? "is a symbolic link" : "cannot be opened", cause);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unsafe(file, "is not a plain file");
    if (stats.uid !== process.getuid?.()) throw unsafe(file, "belongs to another user");
    if ((stats.mode & 0o077) !== 0) throw unsafe(file, "can be read by other users");
    const bytes = Buffer.alloc(LONGEST_FILE);
    const secret = bytes.toString("latin1", 0, readSync(descriptor, bytes)).replace(/\n$/, "");
    if (!SECRET.test(secret)) throw unsafe(file, `does not hold a ${what}`);
    return secret;
  } finally {
    closeSync(descriptor);
  }
}

/** `random` returns that many random bytes. */
export function readOrCreateSecret(file: SecretFile, random: (bytes: number) => Uint8Array): string {
  const known = readSecret(file);
  if (known !== undefined) return known;
  const secret = Buffer.from(random(SECRET_BYTES)).toString("hex");
  if (!SECRET.test(secret)) {
    throw new BellhopError("internal.bug", {
      message: `The source of randomness did not give ${SECRET_BYTES} bytes.`,
      next: `Report this with the output of "bellhop doctor".`,
    });
  }
  publish(file, secret);
  const stored = readSecret(file);
  if (stored === undefined) throw unsafe(file, "vanished right after it was written");
  return stored;
}

/** Atomic, and never over one that another process published first: `link` refuses an existing name. */
function publish(file: SecretFile, secret: string): void {
  const draft = `${file.path}.${process.pid}.new`;
  try {
    removeIfThere(file, draft);
    const descriptor = openSync(
      draft,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      writeSync(descriptor, `${secret}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkSync(draft, file.path);
  } catch (cause) {
    if (errorCode(cause) === "EEXIST") return;
    if (["ENOSPC", "EDQUOT"].includes(errorCode(cause))) {
      throw new BellhopError("store.disk_full", {
        message: `The disk is full: no ${file.what} could be written.`,
        next: "Free some space and try again.",
        cause,
      });
    }
    throw unsafe(file, "cannot be written", cause);
  } finally {
    removeIfThere(file, draft);
  }
}

function removeIfThere(file: SecretFile, path: string): void {
  try {
    unlinkSync(path);
  } catch (cause) {
    if (errorCode(cause) !== "ENOENT") throw unsafe(file, "cannot be removed", cause);
  }
}

function unsafe({ path, what }: SecretFile, how: string, cause?: unknown): BellhopError {
  return new BellhopError("file.unsafe", {
    message: `The ${what} file ${path} ${how}.`,
    next: `Look at it, then remove it and restart Bellhop ("bellhop down", "bellhop up"): it makes a new one.`,
    cause,
  });
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
