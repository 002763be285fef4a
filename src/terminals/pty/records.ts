/** The records that hosts write about themselves: one file each, in a folder that only the owner can read. */
import { constants } from "node:fs";
import { open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { HOST_VERSION, type HostRecord } from "../../wire/host/host.ts";

/** In bytes. A longer record is not read, so the program's ending would be lost. */
export const LARGEST_RECORD = 4 * 1024 * 1024;

export function recordPath(folder: string, sessionId: string): string {
  return join(folder, `${sessionId}.json`);
}

export type FoundRecord =
  | { readonly kind: "record"; readonly record: HostRecord }
  | { readonly kind: "absent" }
  /** A record exists but cannot be read, so nothing is concluded from it. */
  | { readonly kind: "unreadable"; readonly cause: string };

export async function readRecord(folder: string, sessionId: string): Promise<FoundRecord> {
  let text: string;
  try {
    text = await readOwnFile(recordPath(folder, sessionId));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { kind: "absent" } : { kind: "unreadable", cause: message };
  }
  const record = parsed(text);
  if (!isRecord(record)) return { kind: "unreadable", cause: `its record is not of version ${HOST_VERSION}` };
  if (record.sessionId !== sessionId)
    return { kind: "unreadable", cause: "its record belongs to another session than its file" };
  return { kind: "record", record };
}

/** Only a plain file of our own is read: a pipe would block, and a link or another user's file could lie. */
async function readOwnFile(path: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const about = await file.stat();
    if (!about.isFile()) throw new Error("its record is not a plain file");
    if (about.uid !== (process.getuid?.() ?? about.uid))
      throw new Error("its record belongs to another user");
    if (about.size > LARGEST_RECORD) throw new Error("its record is too large");
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Adds as much of the last output as a record has room for: the newest lines, and the screen before the scrollback. */
export function withLastShown(
  record: HostRecord,
  shown: { readonly screen: readonly string[]; readonly lines: readonly string[] },
): HostRecord {
  const room = LARGEST_RECORD - bytesOf({ ...record, lastScreen: "", lastLines: [] });
  const screen = newest(shown.screen, room / 2);
  const lines = newest(shown.lines, room - screen.size);
  return { ...record, lastScreen: screen.lines.join("\n"), lastLines: lines.lines };
}

function newest(lines: readonly string[], room: number): { lines: readonly string[]; size: number } {
  let from = lines.length;
  let size = 0;
  for (; from > 0; from -= 1) {
    const longer = size + bytesOf(lines[from - 1]) + 1;
    if (longer > room) break;
    size = longer;
  }
  return { lines: lines.slice(from), size };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value), "utf8");
}

export async function sessionsWithRecord(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.flatMap((name) => /^([0-9a-f]{8})\.json$/.exec(name)?.[1] ?? []).sort();
}

export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

function isRecord(value: unknown): value is HostRecord {
  if (value === null || typeof value !== "object") return false;
  const record = value as Partial<Record<keyof HostRecord, unknown>>;
  return (
    record.version === HOST_VERSION &&
    ["sessionId", "agent", "folder", "socket", "token", "hostStartedAt", "programStartedAt"].every(
      (key) => typeof record[key as keyof HostRecord] === "string",
    ) &&
    typeof record.startedAt === "number" &&
    isOneProcess(record.hostPid) &&
    isOneProcess(record.programPid) &&
    Array.isArray(record.command)
  );
}

/** Signals are sent to this pid: 0, 1 and negative numbers would reach many processes. */
function isOneProcess(pid: unknown): boolean {
  return typeof pid === "number" && Number.isSafeInteger(pid) && pid > 1;
}
