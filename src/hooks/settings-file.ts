/** Other programs' settings files: read whole, replaced atomically, and never if their owner changed them meanwhile. */
import { isUtf8 } from "node:buffer";
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BellhopError } from "../core/errors.ts";
import { invalidSettings } from "./json-text.ts";

export interface FileChange {
  readonly path: string;
  /** Undefined if there is no file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** For a new file; an existing one keeps its own mode. */
  readonly mode: number;
  /** What happens to the folder when the file is removed and was the last one there. */
  readonly folder: "stays" | "goes-too";
}

const LONGEST_FILE = 4 * 1024 * 1024;
const MOST_LINKS = 16;

export function readSettings(path: string): string | undefined {
  const target = targetOf(path);
  let bytes: Buffer;
  try {
    const stats = statSync(target);
    if (!stats.isFile()) throw invalidSettings(path, "it is not a file");
    if (stats.size > LONGEST_FILE) throw invalidSettings(path, `it is larger than ${LONGEST_FILE} bytes`);
    bytes = readFileSync(target);
  } catch (error) {
    if (error instanceof BellhopError) throw error;
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw invalidSettings(path, `it cannot be read (${codeOf(error)})`);
  }
  if (!isUtf8(bytes)) throw invalidSettings(path, "it is not UTF-8 text");
  return bytes.toString("utf8");
}

/** One of our own files, in a folder made for it. */
export function ownFile(
  path: string,
  make: (text: string | undefined) => string | undefined,
  mode: number,
): FileChange {
  const before = readSettings(path);
  return { path, before, after: make(before), mode, folder: "goes-too" };
}

/** A JSON file; an empty one counts as an empty object, and one that becomes empty is removed. */
export function jsonFile(path: string, make: (text: string) => string): FileChange {
  const before = readSettings(path);
  return andThen({ path, before, after: before, mode: 0o600, folder: "stays" }, make);
}

export function andThen(change: FileChange, make: (text: string) => string): FileChange {
  const text = jsonIn(change.after);
  const made = make(text);
  if (made === text) return change;
  const mark = change.after?.startsWith("\uFEFF") ? "\uFEFF" : "";
  return { ...change, after: made.trim() === "{}" && !isLink(change.path) ? undefined : mark + made };
}

/** A missing or empty file counts as an empty object. Some editors begin a file with a byte-order mark. */
export function jsonIn(text: string | undefined): string {
  const plain = text?.replace(/^\uFEFF/, "") ?? "";
  return plain.trim() === "" ? "{}\n" : plain;
}

export function applyChange(change: FileChange): void {
  if (change.before === change.after) return;
  if (readSettings(change.path) !== change.before) {
    throw new BellhopError("hooks.settings_invalid", {
      message: `${change.path} was changed by somebody else at the same moment.`,
      next: "Run the command again.",
    });
  }
  const target = targetOf(change.path);
  try {
    if (change.after === undefined) remove(target, change.folder);
    else replace(target, change.after, change.mode);
  } catch (error) {
    throw new BellhopError(codeOf(error) === "ENOSPC" ? "store.disk_full" : "hooks.settings_invalid", {
      message: `${change.path} could not be written (${codeOf(error)}).`,
      next: "Make it writable, then run the command again.",
      cause: error,
    });
  }
}

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** People keep their settings elsewhere and link to them: the link stays, and the file behind it changes. */
function targetOf(path: string): string {
  let target = path;
  for (let links = 0; links < MOST_LINKS; links += 1) {
    if (!isLink(target)) return target;
    target = resolve(realpathSync(dirname(target)), readlinkSync(target));
  }
  throw invalidSettings(path, "its symbolic links lead nowhere");
}

function replace(target: string, text: string, mode: number): void {
  const old = statSync(target, { throwIfNoEntry: false });
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const draft = join(dirname(target), `.bellhop-${process.pid}.new`);
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    writeFileSync(descriptor, text);
    // After "sudo bellhop …" the file must still belong to its owner.
    if (old !== undefined && old.uid !== process.getuid?.()) fchownSync(descriptor, old.uid, old.gid);
    fchmodSync(descriptor, old === undefined ? mode : old.mode & 0o7777);
    fsyncSync(descriptor);
    renameSync(draft, target);
  } catch (error) {
    unlinkSync(draft);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function remove(target: string, folder: FileChange["folder"]): void {
  unlinkSync(target);
  if (folder === "stays") return;
  try {
    rmdirSync(dirname(target));
  } catch {
    // The folder holds something else.
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
