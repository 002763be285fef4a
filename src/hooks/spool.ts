/** Hook events that the daemon did not accept when they happened: one file each, written by the hook script. */
import { constants } from "node:fs";
import { type FileHandle, open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isOutOfFiles } from "../core/errors.ts";
import { LIMITS } from "../core/message.ts";
import { requestToCamel } from "../wire/casing.ts";
import { isDeeperThan } from "../wire/lines.ts";
import { daemon, type HookEventRequest } from "../wire/verbs/daemon.ts";

export const SPOOL_LIMITS = {
  /** The most events per reading; the rest waits for the next. */
  events: 10_000,
  totalBytes: 64 * 1024 * 1024,
  fileBytes: 8 * 1024 * 1024,
  /** A file begun this long ago will not be finished. */
  unfinishedMs: 60_000,
} as const;
export type SpoolLimits = { readonly [K in keyof typeof SPOOL_LIMITS]: number };

export interface Spool {
  /** In chronological order. */
  readonly events: readonly HookEventRequest[];
  /** Names of files that are not hook events. */
  readonly unreadable: readonly string[];
  /** There were more events than one reading takes. */
  readonly more: boolean;
  /** Removes the files that were read. Call it once their events are recorded. */
  forget(): Promise<void>;
}

export async function readSpool(
  folder: string,
  programs: readonly { readonly name: string }[],
  limits: SpoolLimits = SPOOL_LIMITS,
  now = Date.now,
): Promise<Spool> {
  const names = await namesIn(folder);
  const finished = names.filter((name) => name.endsWith(".json")).toSorted(byEmission);
  const found: { readonly name: string; readonly event: HookEventRequest }[] = [];
  const unreadable: string[] = [];
  let bytes = 0;
  let looked = 0;
  for (const name of finished) {
    if (looked >= limits.events || bytes >= limits.totalBytes) break;
    looked += 1;
    const text = await readFileSafely(join(folder, name), limits.fileBytes);
    if (text === "later") {
      // This file and those after it can be read later, and must not be removed until then.
      looked -= 1;
      break;
    }
    const event = text === undefined ? undefined : eventIn(text.text, text.modifiedMs, programs);
    bytes += text?.text.length ?? 0;
    if (event === undefined) unreadable.push(name);
    else found.push({ name, event });
  }
  const before = now() - limits.unfinishedMs;
  unreadable.push(...names.filter((name) => isAbandoned(name, before)));
  const handled = [...found.map(({ name }) => name), ...unreadable];
  return {
    events: found.toSorted((a, b) => a.event.emittedAt - b.event.emittedAt).map(({ event }) => event),
    unreadable,
    more: looked < finished.length,
    async forget() {
      for (const name of handled) await unlink(join(folder, name)).catch(ignoreAbsence);
    },
  };
}

/** `<milliseconds or seconds>-<pid>.json`: decides only which are read first; each event has its own time. */
function byEmission(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Undefined for anything but an ordinary file of ours of acceptable size; `later`: no file can be opened now. */
async function readFileSafely(
  path: string,
  mostBytes: number,
): Promise<{ readonly text: string; readonly modifiedMs: number } | "later" | undefined> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, a named pipe in the folder would hold up the start of the daemon.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile() || stats.uid !== process.getuid?.() || stats.size > mostBytes) return undefined;
    return { text: await file.readFile("utf8"), modifiedMs: Math.round(stats.mtimeMs) };
  } catch (error) {
    return isOutOfFiles(error) ? "later" : undefined;
  } finally {
    await file?.close();
  }
}

function eventIn(
  text: string,
  modifiedMs: number,
  programs: readonly { readonly name: string }[],
): HookEventRequest | undefined {
  if (isDeeperThan(text, LIMITS.jsonDepth)) return undefined;
  try {
    const fields = requestToCamel(JSON.parse(text));
    if (fields === null || typeof fields !== "object") return undefined;
    const parsed = daemon.hook_event.request.safeParse({ emittedAt: modifiedMs, ...fields });
    if (!parsed.success) return undefined;
    // The hook that would have taken text has ended long since.
    const { program = "", to: _to, takes: _takes, ...event } = parsed.data;
    return programs.some(({ name }) => name === program) ? { ...event, program } : undefined;
  } catch {
    return undefined;
  }
}

/** The name contains the time at which the file was begun, in seconds if the system has no finer clock. */
function isAbandoned(name: string, before: number): boolean {
  const begun = Number.parseInt(name, 10);
  return name.endsWith(".part") && (Number.isNaN(begun) || (begun < 1e11 ? begun * 1000 : begun) < before);
}

function ignoreAbsence(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT" && error.code !== "EISDIR" && error.code !== "EPERM") throw error;
}
