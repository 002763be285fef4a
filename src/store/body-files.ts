import {
  close,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  open,
  openSync,
  readFileSync,
  realpathSync,
  rename,
  type Stats,
  unlink,
  unlinkSync,
  writeFile,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { BellhopError, diskFullError, isNoRoom, isOutOfFiles, outOfFiles } from "../core/errors.ts";
import type { AgentName, Instant, MessageId } from "../core/message.ts";
import type { BodyFiles } from "../ports/files.ts";
import { attachedFilesIn } from "./attached-files.ts";

const FOLDER_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,126}\.md$/;
/** As `FILE_NAME` demands of it: what comes before an id. */
const MOMENT = /^[A-Za-z0-9]{1,40}$/;
const ID_START = /^[A-Za-z0-9_-]{1,8}/;
/** As much of an id as tells it from every other one. */
const ID_WHOLE = /^[A-Za-z0-9_-]{1,64}/;

/**
 * The bodies of messages as files, for people and agents to read. No file is synced to disk: the store is
 * authoritative, and `ensure` rewrites what a crash left missing, truncated or changed.
 *
 * The home is 0700 and ours, so only the user could swap a folder between a check and the next step. The checks guard
 * against what a message or an agent's name could cause, not against the owner.
 *
 * Every delivery passes here, so checks are synchronous: they take microseconds. Writing a file may wait for the disk's
 * journal and is asynchronous.
 */
export function bodyFilesIn(messagesFolder: string): BodyFiles {
  const known = new Map<string, KnownFolder>();
  let drafts = 0;

  async function ensure(name: string, text: string): Promise<string> {
    const [folderName, fileName] = splitName(name);
    const folder = folderFor(folderName, "create");
    if (folder === "absent") throw unsafe(name, "its folder vanished right after it was created");
    const path = join(folder, fileName);
    const wanted = Buffer.from(text, "utf8");
    if (compare(path, name, wanted) === "same") return join(messagesFolder, name);
    drafts += 1;
    // A temporary name for each attempt, then one rename: nobody ever reads half a body.
    await writeWhole(join(folder, `.${process.pid}-${drafts}.new`), path, name, wanted);
    return join(messagesFolder, name);
  }

  function remove(name: string): void {
    const [folderName, fileName] = splitName(name);
    const folder = folderFor(folderName, "look");
    if (folder === "absent") return;
    try {
      unlinkSync(join(folder, fileName));
    } catch (cause) {
      if (errorCode(cause) !== "ENOENT") throw failed(name, "removed", cause);
    }
  }

  function folderFor(folderName: string, mode: "create" | "look"): string | "absent" {
    const before = known.get(folderName);
    if (before !== undefined && isStill(before, join(messagesFolder, folderName))) return before.path;
    const path = safeFolder(messagesFolder, folderName, mode);
    if (path === "absent") {
      known.delete(folderName);
      return path;
    }
    const { dev, ino } = lstatSync(path);
    known.set(folderName, { path, dev, ino });
    return path;
  }

  return {
    ...attachedFilesIn(messagesFolder),
    nameFor,
    ensure,
    remove: async (name) => remove(name),
    absolute(name) {
      splitName(name);
      return join(messagesFolder, name);
    },
  };
}

/** A folder that passed the checks, and how to recognise it. */
interface KnownFolder {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
}

/** Whether it is the same folder: a link in its place would have another inode. */
function isStill(known: KnownFolder, folder: string): boolean {
  const now = lstatSync(folder, { throwIfNoEntry: false });
  return now !== undefined && now.ino === known.ino && now.dev === known.dev;
}

/** What the names of this millisecond begin with, and which were given: many messages come in the same one. */
let now = { at: Number.NaN, text: "", given: new Map<string, MessageId>() };
/** The same of this second: to write a date takes longer than everything else about a name. */
let second = { at: Number.NaN, text: "" };

function nameFor(agent: AgentName, at: Instant, id: MessageId): string {
  if (now.at !== at) now = { at, text: momentOf(at), given: new Map() };
  const name = namedBy(ID_START, agent, id);
  const sameName = now.given.get(name);
  if (sameName !== undefined && sameName !== id) return namedBy(ID_WHOLE, agent, id);
  now.given.set(name, id);
  return name;
}

function momentOf(at: Instant): string {
  const seconds = Math.floor(at / 1_000);
  if (second.at !== seconds) {
    const [text = ""] = new Date(seconds * 1_000).toISOString().replace(/[-:]/g, "").split(".");
    if (!MOMENT.test(text)) throw unsafe(text, "it is no moment of these times");
    second = { at: seconds, text };
  }
  return `${second.text}${String(Math.trunc(at - seconds * 1_000)).padStart(3, "0")}Z`;
}

/** Their names are those of folders. */
const checkedAgents = new Set<AgentName>();
const MOST_CHECKED = 1_000;

/** What comes before the id, and the part of the id, are such that the name of the file needs no look of its own. */
function namedBy(part: RegExp, agent: AgentName, id: MessageId): string {
  const start = part.exec(id)?.[0];
  if (start === undefined) throw unsafe(id, "a message's id starts with letters or digits");
  const name = `${agent}/${now.text}-${start}.md`;
  if (!checkedAgents.has(agent)) {
    splitName(name);
    if (checkedAgents.size >= MOST_CHECKED) checkedAgents.clear();
    checkedAgents.add(agent);
  }
  return name;
}

/** Exactly `<agent>/<file>.md`: any other shape might lead out of the folder. */
function splitName(name: string): readonly [folder: string, file: string] {
  const [folder, file, ...more] = name.split("/");
  if (folder === undefined || file === undefined || more.length > 0) {
    throw unsafe(name, "it is not of the form <agent>/<file>");
  }
  if (!FOLDER_NAME.test(folder) || !FILE_NAME.test(file))
    throw unsafe(name, "it has characters that are not allowed");
  return [folder, file];
}

/** The real path of the agent's folder, once it is certain that no link leads elsewhere. */
function safeFolder(messagesFolder: string, folderName: string, mode: "create" | "look"): string | "absent" {
  const folder = join(messagesFolder, folderName);
  // Outer folder first: nothing is created inside a folder that has not been checked.
  for (const one of [messagesFolder, folder]) {
    if (mode === "create") makeFolder(one);
    const stats = lookAt(one);
    if (stats === undefined) return "absent";
    if (stats.isSymbolicLink()) throw unsafe(one, "it is a symbolic link");
    if (!stats.isDirectory()) throw unsafe(one, "it is not a folder");
    if (stats.uid !== process.getuid?.()) throw unsafe(one, "it belongs to another user");
  }
  const real = realpathSync(folder);
  if (real !== join(realpathSync(messagesFolder), folderName)) throw unsafe(folder, "it leads elsewhere");
  return real;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    if (errorCode(cause) !== "EEXIST") throw failed(folder, "made", cause);
  }
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw failed(path, "looked at", cause);
  }
}

function compare(path: string, name: string, wanted: Buffer): "same" | "other" {
  // The common case, without the cost of an exception.
  if (lookAt(path) === undefined) return "other";
  let file: number;
  try {
    // O_NONBLOCK: opening a pipe that someone put there must not hang.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return "other";
    if (errorCode(cause) === "ELOOP") throw unsafe(name, "it is a symbolic link", cause);
    if (errorCode(cause) === "EACCES") return "other";
    throw failed(name, "opened", cause);
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw unsafe(name, "it is not a plain file");
    if (stats.uid !== process.getuid?.()) throw unsafe(name, "it belongs to another user");
    if (stats.size !== wanted.length || (stats.mode & 0o777) !== 0o600) return "other";
    return readFileSync(file).equals(wanted) ? "same" : "other";
  } catch (cause) {
    throw cause instanceof BellhopError ? cause : failed(name, "read", cause);
  } finally {
    closeSync(file);
  }
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

async function writeWhole(draft: string, path: string, name: string, wanted: Buffer): Promise<void> {
  try {
    const file = await openNew(draft);
    try {
      await promisify(writeFile)(file, wanted);
    } finally {
      await promisify(close)(file);
    }
    await promisify(rename)(draft, path);
  } catch (cause) {
    await removeQuietly(draft);
    throw failed(name, "written", cause);
  }
}

async function openNew(draft: string): Promise<number> {
  try {
    return await promisify(open)(draft, NEW_FILE, 0o600);
  } catch (cause) {
    if (errorCode(cause) !== "EEXIST") throw cause;
    // Left by a process with the same pid that died here.
    await removeQuietly(draft);
    return promisify(open)(draft, NEW_FILE, 0o600);
  }
}

async function removeQuietly(draft: string): Promise<void> {
  try {
    await promisify(unlink)(draft);
  } catch {
    // Missing, or not ours to remove: the next attempt uses another name.
  }
}

function unsafe(name: string, why: string, cause?: unknown): BellhopError {
  return new BellhopError("file.unsafe", {
    message: `Bellhop does not use the file ${JSON.stringify(name)}: ${why}.`,
    next: "Find out how it got there, and move it away.",
    cause,
  });
}

function failed(name: string, step: string, cause: unknown): BellhopError {
  if (isNoRoom(cause)) return diskFullError(`${JSON.stringify(name)} was not written`, cause);
  if (isOutOfFiles(cause)) return outOfFiles(`The file ${JSON.stringify(name)} could not be ${step}`, cause);
  return new BellhopError("store.failed", {
    message: `The file ${JSON.stringify(name)} could not be ${step} (${errorCode(cause)}).`,
    next: `Check the messages folder with "bellhop doctor".`,
    cause,
  });
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
