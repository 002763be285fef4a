/** Where hosts write down about themselves: one file each, in a folder of the owner's alone. */
import { readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { HOST_VERSION, type HostRecord } from "../../wire/host.ts";

/** In characters. Whoever writes one keeps to it, or nobody reads how the program ended. */
export const LARGEST_RECORD = 4 * 1024 * 1024;

export function recordPath(folder: string, sessionId: string): string {
  return join(folder, `${sessionId}.json`);
}

export type FoundRecord =
  | { readonly kind: "record"; readonly record: HostRecord }
  | { readonly kind: "absent" }
  /** Not nobody: nothing is concluded from it. */
  | { readonly kind: "unreadable"; readonly cause: string };

export async function readRecord(folder: string, sessionId: string): Promise<FoundRecord> {
  let text: string;
  try {
    text = await readFile(recordPath(folder, sessionId), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { kind: "absent" } : { kind: "unreadable", cause: String(error) };
  }
  if (text.length > LARGEST_RECORD) return { kind: "unreadable", cause: "its record is too large" };
  try {
    const record: unknown = JSON.parse(text);
    if (isRecord(record)) return { kind: "record", record };
  } catch {
    // Said below.
  }
  return { kind: "unreadable", cause: `its record is none of version ${HOST_VERSION}` };
}

/** What was shown last, as much of it as a record has room for: the newest lines, and of those the screen's first. */
export function withLastShown(
  record: HostRecord,
  shown: { readonly screen: readonly string[]; readonly lines: readonly string[] },
): HostRecord {
  const room = LARGEST_RECORD - JSON.stringify({ ...record, lastScreen: "", lastLines: [] }).length;
  const screen = newest(shown.screen, room / 2);
  const lines = newest(shown.lines, room - screen.size);
  return { ...record, lastScreen: screen.lines.join("\n"), lastLines: lines.lines };
}

function newest(lines: readonly string[], room: number): { lines: readonly string[]; size: number } {
  let from = lines.length;
  let size = 0;
  for (; from > 0; from -= 1) {
    const longer = size + JSON.stringify(lines[from - 1]).length + 1;
    if (longer > room) break;
    size = longer;
  }
  return { lines: lines.slice(from), size };
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
    ["hostPid", "programPid", "startedAt"].every(
      (key) => typeof record[key as keyof HostRecord] === "number",
    ) &&
    Array.isArray(record.command)
  );
}
