import { createHmac, timingSafeEqual } from "node:crypto";
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
import { isAgentName } from "../core/address.ts";
import { BellhopError, isOutOfFiles, outOfFiles } from "../core/errors.ts";
import type { AgentName } from "../core/message.ts";

const TOKEN_BYTES = 32;
const TOKEN = /^[0-9a-f]{64}$/;
/** The token, a line end, and one more byte to detect a file that is too long. */
const LONGEST_FILE = 66;

/** Read at each use, so that a changed token takes effect at once. `undefined`: there is none yet. */
export function readToken(path: string): string | undefined {
  let descriptor: number;
  try {
    // O_NONBLOCK: opening a pipe that someone put there must not hang.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    if (isOutOfFiles(cause)) throw outOfFiles("The token cannot be read", cause);
    throw unsafe(path, errorCode(cause) === "ELOOP" ? "is a symbolic link" : "cannot be opened", cause);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unsafe(path, "is not a plain file");
    if (stats.uid !== process.getuid?.()) throw unsafe(path, "belongs to another user");
    if ((stats.mode & 0o077) !== 0) throw unsafe(path, "can be read by other users");
    const bytes = Buffer.alloc(LONGEST_FILE);
    const token = bytes.toString("latin1", 0, readSync(descriptor, bytes)).replace(/\n$/, "");
    if (!TOKEN.test(token)) throw unsafe(path, "does not hold a token");
    return token;
  } finally {
    closeSync(descriptor);
  }
}

/** `random` returns that many random bytes. */
export function readOrCreateToken(path: string, random: (bytes: number) => Uint8Array): string {
  const known = readToken(path);
  if (known !== undefined) return known;
  const token = Buffer.from(random(TOKEN_BYTES)).toString("hex");
  if (!TOKEN.test(token)) {
    throw new BellhopError("internal.bug", {
      message: `The source of randomness did not give ${TOKEN_BYTES} bytes.`,
      next: `Report this with the output of "bellhop doctor".`,
    });
  }
  publish(path, token);
  const stored = readToken(path);
  if (stored === undefined) throw unsafe(path, "vanished right after it was written");
  return stored;
}

/**
 * What an agent shows in place of the owner's token: its name, and a seal that only the holder of the owner's token can
 * make. Nothing is stored, and a new owner's token invalidates every agent's.
 */
export function agentToken(ownerToken: string, name: AgentName): string {
  return `${name}.${sealOf(ownerToken, name).toString("hex")}`;
}

/** Whose token this is; `undefined` for anything else, or if there is no owner's token. */
export function agentOfToken(ownerToken: string, text: string): AgentName | undefined {
  // A name may contain dots, the seal does not.
  const dot = text.lastIndexOf(".");
  const name = text.slice(0, Math.max(0, dot));
  const seal = text.slice(dot + 1);
  if (ownerToken === "" || !isAgentName(name) || !SEAL.test(seal)) return undefined;
  return timingSafeEqual(Buffer.from(seal, "hex"), sealOf(ownerToken, name)) ? name : undefined;
}

/** SHA-256 in hex, the same length as the seal it is compared with. */
const SEAL = /^[0-9a-f]{64}$/;

function sealOf(ownerToken: string, name: AgentName): Buffer {
  return createHmac("sha256", ownerToken).update(`agent:${name}`).digest();
}

/** Atomic, and never over one that another process published first: `link` refuses an existing name. */
function publish(path: string, token: string): void {
  const draft = `${path}.${process.pid}.new`;
  try {
    removeIfThere(draft);
    const descriptor = openSync(
      draft,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      writeSync(descriptor, `${token}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkSync(draft, path);
  } catch (cause) {
    if (errorCode(cause) === "EEXIST") return;
    if (["ENOSPC", "EDQUOT"].includes(errorCode(cause))) {
      throw new BellhopError("store.disk_full", {
        message: "The disk is full: no token could be written.",
        next: "Free some space and try again.",
        cause,
      });
    }
    throw unsafe(path, "cannot be written", cause);
  } finally {
    removeIfThere(draft);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (cause) {
    if (errorCode(cause) !== "ENOENT") throw unsafe(path, "cannot be removed", cause);
  }
}

function unsafe(path: string, what: string, cause?: unknown): BellhopError {
  return new BellhopError("file.unsafe", {
    message: `The token file ${path} ${what}.`,
    next: `Look at it, then remove it and restart Bellhop ("bellhop down", "bellhop up"): it makes a new one.`,
    cause,
  });
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
