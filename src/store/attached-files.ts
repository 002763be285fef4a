/**
 * Files that people attach to messages, below the folder that agents may read. Each is called by what is in it, so that
 * a send that is repeated keeps it once. Synced to disk before the message that names it is accepted.
 */
import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, readdir, readFile, rename, rm, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { BellhopError, diskFullError, isNoRoom } from "../core/errors.ts";
import type { Instant } from "../core/message.ts";
import { attachedName } from "../core/text/attached.ts";
import type { AttachedFiles } from "../ports/files.ts";

/** No agent is called so: names begin with a letter or a digit. */
const FOLDER = "_attached";
const DIGEST = /^[0-9a-f]{32}$/;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export function attachedFilesIn(messagesFolder: string): AttachedFiles {
  const all = join(messagesFolder, FOLDER);
  let drafts = 0;

  async function attach(name: string, bytes: Uint8Array): Promise<string> {
    const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
    const folder = join(all, digest);
    const path = join(folder, attachedName(name));
    try {
      for (const one of [messagesFolder, all, folder]) await ownFolder(one);
      if (await isKept(path, bytes)) await utimes(folder, new Date(), new Date());
      else {
        drafts += 1;
        await writeSynced(join(folder, `.${process.pid}-${drafts}.new`), path, bytes);
        for (const one of [folder, all, messagesFolder]) await syncFolder(one);
      }
      return path;
    } catch (cause) {
      throw failed(path, cause);
    }
  }

  async function forgetAttachedBefore(at: Instant): Promise<void> {
    for (const name of await readdir(all).catch(() => [])) {
      const folder = join(all, name);
      const stats = await lstat(folder).catch(() => undefined);
      if (!DIGEST.test(name) || stats?.isDirectory() !== true || stats.mtimeMs >= at) continue;
      await rm(folder, { recursive: true, force: true });
    }
  }

  return { attach, forgetAttachedBefore };
}

/** Made if it is absent; never a link, never another's. */
async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((cause: unknown) => {
    if (codeOf(cause) !== "EEXIST") throw cause;
  });
  const stats = await lstat(folder);
  if (!stats.isDirectory() || !isOurs(stats)) throw unsafe(folder);
}

/** Agents run as the same user: what was kept may have been changed since. */
async function isKept(path: string, bytes: Uint8Array): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return false;
  if (!stats.isFile() || !isOurs(stats)) throw unsafe(path);
  return stats.size === bytes.length && (await readFile(path)).equals(bytes);
}

function isOurs({ uid }: Stats): boolean {
  return uid === process.getuid?.();
}

async function writeSynced(draft: string, path: string, bytes: Uint8Array): Promise<void> {
  await unlink(draft).catch(() => {});
  const file = await open(draft, NEW_FILE, 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } catch (cause) {
    await unlink(draft).catch(() => {});
    throw cause;
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

function unsafe(path: string): BellhopError {
  return new BellhopError("file.unsafe", {
    message: `Bellhop does not use ${JSON.stringify(path)}: it is a link, or not yours.`,
    next: "Find out how it got there, and move it away.",
  });
}

function failed(path: string, cause: unknown): BellhopError {
  if (cause instanceof BellhopError) return cause;
  if (isNoRoom(cause)) return diskFullError(`${JSON.stringify(path)} was not written`, cause);
  return new BellhopError("store.failed", {
    message: `The file ${JSON.stringify(path)} could not be written (${codeOf(cause)}).`,
    next: `Check the messages folder with "bellhop doctor".`,
    cause,
  });
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
}
