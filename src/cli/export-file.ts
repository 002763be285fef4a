/** A file of an export: readable only by its owner, and given its name only when it is complete. */
import { constants } from "node:fs";
import { type FileHandle, link, lstat, open, rename, unlink } from "node:fs/promises";
import { BellhopError } from "../core/errors.ts";

export interface ExportFile {
  write(text: string): Promise<void>;
  /** Gives the completed file its name. */
  finish(): Promise<void>;
  /** Leaves nothing behind. */
  abandon(): Promise<void>;
}

const OWNER_ONLY = 0o600;

export async function createExportFile(path: string, existing: "refuse" | "replace"): Promise<ExportFile> {
  await checkPlace(path, existing);
  const draft = `${path}.${process.pid}.part`;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await orRefusal(path, open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, OWNER_ONLY));
  return {
    write: (text) => orRefusal(path, file.appendFile(text)),
    async finish() {
      await orRefusal(path, file.sync());
      await file.close();
      await orRefusal(path, existing === "replace" ? rename(draft, path) : nameAnew(draft, path));
    },
    abandon: () => leave(file, draft),
  };
}

async function checkPlace(path: string, existing: "refuse" | "replace"): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw refusal(path, error);
  });
  if (found === undefined) return;
  if (existing === "refuse") throw isThere(path);
  // A device, a folder or a link must not be replaced.
  if (found.isFile()) return;
  throw new BellhopError("file.unsafe", {
    message: `${path} is not a plain file.`,
    next: "Name another file, or redirect stdout.",
  });
}

/** Unlike a plain rename, never replaces a file that someone else has created meanwhile. */
async function nameAnew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    // A file system without links; the name was free when we began.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error;
    return rename(draft, path);
  }
  await unlink(draft);
}

async function leave(file: FileHandle, draft: string): Promise<void> {
  await file.close().catch(() => {});
  await unlink(draft).catch(() => {});
}

async function orRefusal<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw refusal(path, error as NodeJS.ErrnoException);
  }
}

function refusal(path: string, error: NodeJS.ErrnoException): BellhopError {
  if (error.code === "EEXIST") return isThere(path);
  if (error.code === "ENOSPC" || error.code === "EDQUOT") {
    return new BellhopError("store.disk_full", {
      message: `The disk is full: ${path} was not written.`,
      next: "Free some space, or name a file on another disk.",
      cause: error,
    });
  }
  return new BellhopError("file.unsafe", {
    message: `Cannot write ${path} (${error.code ?? error.message}).`,
    next: "Check the path and that you may write there.",
    cause: error,
  });
}

function isThere(path: string): BellhopError {
  return new BellhopError("file.unsafe", {
    message: `${path} exists already.`,
    next: "Name another file, or add --force to replace it.",
  });
}
