/** The file with this host's secret key: made once, readable by the owner alone, never replaced. */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { BellhopError, diskFullError, isNoRoom, isOutOfFiles, outOfFiles } from "../core/errors.ts";

/** What keys are made of. */
export const SEED_BYTES = 32;
const KEY_LINE = /^bellhop-host-key-1 ([A-Za-z0-9_-]{43})\n?$/;
/** Longer than the line, so that a file that is too long is noticed. */
const LONGEST_FILE = 128;

/** `random` returns that many random bytes, for a key that is not there yet. */
export function readOrMakeSeed(path: string, random: (bytes: number) => Uint8Array): Uint8Array {
  const known = readSeed(path);
  if (known !== undefined) return known;
  publish(path, Buffer.from(random(SEED_BYTES)).toString("base64url"));
  const made = readSeed(path);
  if (made === undefined) throw unsafe(path, "vanished right after it was written");
  return made;
}

function readSeed(path: string): Uint8Array | undefined {
  let descriptor: number;
  try {
    // O_NONBLOCK: opening a pipe that someone put there must not hang.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    if (isOutOfFiles(cause)) throw outOfFiles("The key of this host cannot be read", cause);
    throw unsafe(path, codeOf(cause) === "ELOOP" ? "is a symbolic link" : "cannot be opened", cause);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unsafe(path, "is not a plain file");
    if (stats.uid !== process.getuid?.()) throw unsafe(path, "belongs to another user");
    if ((stats.mode & 0o077) !== 0) throw unsafe(path, "can be read by other users");
    const bytes = Buffer.alloc(LONGEST_FILE);
    const found = KEY_LINE.exec(bytes.toString("latin1", 0, readSync(descriptor, bytes)));
    const seed = Buffer.from(found?.[1] ?? "", "base64url");
    if (seed.length !== SEED_BYTES) throw unsafe(path, "does not hold a key");
    return new Uint8Array(seed);
  } finally {
    closeSync(descriptor);
  }
}

/** Atomic, and never over one that another process made first: `link` refuses an existing name. */
function publish(path: string, seed: string): void {
  const draft = `${path}.${process.pid}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    removeIfThere(draft);
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const descriptor = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      writeSync(descriptor, `bellhop-host-key-1 ${seed}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkSync(draft, path);
    syncFolder(dirname(path));
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return;
    if (isNoRoom(cause)) throw diskFullError("the key of this host could not be written", cause);
    throw unsafe(path, "cannot be written", cause);
  } finally {
    removeIfThere(draft);
  }
}

/** Others will have copied this key: its name must survive a power cut too. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw unsafe(path, "cannot be removed", cause);
  }
}

function unsafe(path: string, how: string, cause?: unknown): BellhopError {
  return new BellhopError("file.unsafe", {
    message: `The key file of this host, ${path}, ${how}.`,
    next: "Look at it. It must be a plain file that you own, with mode 600. If it is removed, Bellhop makes another key, which the other hosts have to admit.",
    cause,
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
