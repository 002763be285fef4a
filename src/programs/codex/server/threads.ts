/**
 * Which conversation (Codex: thread) each Codex window shows.
 *
 * Windows of one home share a background server, which runs their threads, hooks and tools. It does not say which
 * thread belongs to which window, but each window offers tools to the threads it opens, on a port that it listens on,
 * and the server reports that port. A window that runs without the server holds its threads' locks itself.
 */
import { fieldsOf } from "../../transcripts/line.ts";
import type { AppServer } from "./app-server.ts";

export interface CodexThread {
  readonly id: string;
  /** The port on which its window listens. */
  readonly port: number;
}

export interface ThreadDetail {
  readonly id: string;
  readonly transcriptPath?: string;
  readonly version?: string;
  readonly running: boolean;
  /** Unix seconds of its last turn; 0 before the first. */
  readonly lastTurnAt: number;
}

/** Threads of closed windows stay loaded, so only the newest are examined. */
export const MOST_THREADS = 100;
const WINDOW_TOOLS = "codex_tui";

export async function windowThreads(server: AppServer): Promise<readonly CodexThread[]> {
  const loaded = listOf(await server.call("thread/loaded/list", {})).filter((id) => typeof id === "string");
  // Ids begin with their creation time.
  const newest = loaded.toSorted().slice(-MOST_THREADS);
  const threads: CodexThread[] = [];
  for (const id of newest) {
    const port = await portOf(server, id);
    if (port !== undefined) threads.push({ id, port });
  }
  return threads;
}

async function portOf(server: AppServer, threadId: string): Promise<number | undefined> {
  const params = { threadId, serverName: WINDOW_TOOLS, detail: "toolsAndAuthOnly" };
  // A thread that was closed after the list was made.
  const status = await server.call("mcpServerStatus/list", params).catch(ignoreRefusal);
  const tools = listOf(status).find((each) => fieldOf(each, "name") === WINDOW_TOOLS);
  const origin = fieldOf(tools, "httpOrigin");
  const port = typeof origin === "string" ? /^http:\/\/127\.0\.0\.1:(\d+)$/.exec(origin)?.[1] : undefined;
  return port === undefined ? undefined : Number(port);
}

/** Undefined for threads that are not a conversation with a person: titles, sub-agents. */
export async function threadDetail(server: AppServer, threadId: string): Promise<ThreadDetail | undefined> {
  const thread = fieldOf(await server.call("thread/read", { threadId }).catch(ignoreRefusal), "thread");
  const isPersons = fieldOf(thread, "ephemeral") === false && fieldOf(thread, "threadSource") === "user";
  if (!isPersons || (fieldOf(thread, "parentThreadId") ?? null) !== null) return undefined;
  const path = fieldOf(thread, "path");
  const version = fieldOf(thread, "cliVersion");
  const updatedAt = fieldOf(thread, "updatedAt");
  const begun = typeof fieldOf(thread, "preview") === "string" && fieldOf(thread, "preview") !== "";
  return {
    id: threadId,
    ...(typeof path === "string" ? { transcriptPath: path } : {}),
    ...(typeof version === "string" ? { version } : {}),
    running: fieldOf(fieldOf(thread, "status"), "type") === "active",
    lastTurnAt: begun && typeof updatedAt === "number" ? updatedAt : 0,
  };
}

/** Of several threads of one window: the one that is running, or else the one last opened or used. */
export function likeliest(threads: readonly ThreadDetail[]): ThreadDetail | undefined {
  const recency = (thread: ThreadDetail) => Math.max(thread.lastTurnAt * 1000, createdAt(thread.id));
  const rank = (thread: ThreadDetail) => (thread.running ? Number.POSITIVE_INFINITY : recency(thread));
  return threads.toSorted((a, b) => (rank(b) > rank(a) ? 1 : -1))[0];
}

/** The first 48 bits of a UUIDv7 are milliseconds. */
function createdAt(threadId: string): number {
  return Number.parseInt(threadId.replaceAll("-", "").slice(0, 12), 16) || 0;
}

function ignoreRefusal(error: unknown): undefined {
  if ((error as { readonly answer?: unknown }).answer !== "no") throw error;
  return undefined;
}

function listOf(result: unknown): readonly unknown[] {
  const data = fieldOf(result, "data");
  return Array.isArray(data) ? data : [];
}

function fieldOf(value: unknown, name: string): unknown {
  return fieldsOf(value)?.[name];
}
