import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { BellhopError } from "../core/errors.ts";
import type { AgentName, Instant, MessageId } from "../core/message.ts";
import type { BodyFiles } from "../ports/files.ts";

const FOLDER_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,126}\.md$/;
const ID_START = /^[A-Za-z0-9_-]{1,8}/;

/**
 * The bodies of messages as files, for people and agents to read. No file is synced to disk: the store is the truth,
 * and `ensure` writes again what a crash left missing, cut off or changed.
 *
 * The home is 0700 and ours, so the one who could swap a folder between a check and the next step is the user
 * himself; the checks stop what a message or an agent's name could bring about, not him.
 */
export function bodyFilesIn(messagesFolder: string): BodyFiles {
  let drafts = 0;

  async function ensure(name: string, text: string): Promise<string> {
    const [folderName, fileName] = splitName(name);
    const folder = await safeFolder(messagesFolder, folderName, "create");
    if (folder === "absent") throw unsafe(name, "its folder vanished as soon as it was made");
    const path = join(folder, fileName);
    const wanted = Buffer.from(text, "utf8");
    if ((await compare(path, name, wanted)) === "same") return join(messagesFolder, name);
    drafts += 1;
    // A name of its own for each attempt, then one step into place: nobody ever reads half a body.
    await writeWhole(join(folder, `.${process.pid}-${drafts}.new`), path, name, wanted);
    return join(messagesFolder, name);
  }

  async function remove(name: string): Promise<void> {
    const [folderName, fileName] = splitName(name);
    const folder = await safeFolder(messagesFolder, folderName, "look");
    if (folder === "absent") return;
    await unlink(join(folder, fileName)).catch((cause) => {
      if (errorCode(cause) !== "ENOENT") throw failed(name, "removed", cause);
    });
  }

  return {
    nameFor,
    ensure,
    remove,
    absolute(name) {
      splitName(name);
      return join(messagesFolder, name);
    },
  };
}

function nameFor(agent: AgentName, at: Instant, id: MessageId): string {
  const start = ID_START.exec(id)?.[0];
  if (start === undefined) throw unsafe(id, "a message's id starts with letters or digits");
  const moment = new Date(at).toISOString().replace(/[-:.]/g, "");
  const name = `${agent}/${moment}-${start}.md`;
  splitName(name);
  return name;
}

/** Exactly `<agent>/<file>.md`: no other shape has a way out of the folder. */
function splitName(name: string): readonly [folder: string, file: string] {
  const [folder, file, ...more] = name.split("/");
  if (folder === undefined || file === undefined || more.length > 0) {
    throw unsafe(name, "it is not of the form <agent>/<file>");
  }
  if (!FOLDER_NAME.test(folder) || !FILE_NAME.test(file))
    throw unsafe(name, "it has characters it may not have");
  return [folder, file];
}

/** The agent's folder by its real path, once it is certain that no link leads elsewhere. */
async function safeFolder(
  messagesFolder: string,
  folderName: string,
  mode: "create" | "look",
): Promise<string | "absent"> {
  const folder = join(messagesFolder, folderName);
  // Outer first: nothing is made inside a folder that was not yet looked at.
  for (const one of [messagesFolder, folder]) {
    if (mode === "create") {
      await mkdir(one, { mode: 0o700 }).catch((cause) => {
        if (errorCode(cause) !== "EEXIST") throw failed(one, "made", cause);
      });
    }
    const stats = await lstat(one).catch((cause) => {
      if (errorCode(cause) === "ENOENT") return undefined;
      throw failed(one, "looked at", cause);
    });
    if (stats === undefined) return "absent";
    if (stats.isSymbolicLink()) throw unsafe(one, "it is a symbolic link");
    if (!stats.isDirectory()) throw unsafe(one, "it is not a folder");
    if (stats.uid !== process.getuid?.()) throw unsafe(one, "it belongs to another user");
  }
  const real = await realpath(folder);
  if (real !== join(await realpath(messagesFolder), folderName)) throw unsafe(folder, "it leads elsewhere");
  return real;
}

async function compare(path: string, name: string, wanted: Buffer): Promise<"same" | "other"> {
  let file: FileHandle;
  try {
    // O_NONBLOCK: opening a pipe that someone put there must not hang.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return "other";
    if (errorCode(cause) === "ELOOP") throw unsafe(name, "it is a symbolic link", cause);
    if (errorCode(cause) === "EACCES") return "other";
    throw failed(name, "opened", cause);
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw unsafe(name, "it is not a plain file");
    if (stats.uid !== process.getuid?.()) throw unsafe(name, "it belongs to another user");
    if (stats.size !== wanted.length || (stats.mode & 0o777) !== 0o600) return "other";
    return (await file.readFile()).equals(wanted) ? "same" : "other";
  } catch (cause) {
    throw cause instanceof BellhopError ? cause : failed(name, "read", cause);
  } finally {
    await file.close();
  }
}

async function writeWhole(draft: string, path: string, name: string, wanted: Buffer): Promise<void> {
  try {
    // A process of the same number may have died here before.
    await unlink(draft).catch(() => {});
    const file = await open(
      draft,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      await file.writeFile(wanted);
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (cause) {
    await unlink(draft).catch(() => {});
    throw failed(name, "written", cause);
  }
}

function unsafe(name: string, why: string, cause?: unknown): BellhopError {
  return new BellhopError("file.unsafe", {
    message: `Bellhop does not use the file ${JSON.stringify(name)}: ${why}.`,
    next: "Find out how it came there, and move it away.",
    cause,
  });
}

function failed(name: string, step: string, cause: unknown): BellhopError {
  const code = errorCode(cause);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new BellhopError("store.disk_full", {
      message: `The disk is full: ${JSON.stringify(name)} was not written.`,
      next: "Free some space and try again.",
      cause,
    });
  }
  return new BellhopError("store.failed", {
    message: `The file ${JSON.stringify(name)} could not be ${step} (${code}).`,
    next: `Check the messages folder with "bellhop doctor".`,
    cause,
  });
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
