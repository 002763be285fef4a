/** Finds a Codex window by its process: its conversations, and the server that runs them. */
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { present } from "../../../core/present.ts";
import type { Processes } from "../../../ports/processes.ts";
import { ownFolder } from "../../own-folder.ts";
import type { ProcessFiles } from "../../process-files.ts";
import { type AppServer, greetAppServer } from "./app-server.ts";
import { type CodexThread, type ThreadDetail, threadDetail, windowThreads } from "./threads.ts";
import { openWebSocket } from "./websocket.ts";

export interface CodexWindow {
  readonly home: string;
  /** Usually one; more after `/new` or `/resume`, and nothing tells which of them is on the screen. */
  readonly threads: readonly ThreadDetail[];
  readonly server:
    | { readonly kind: "shared"; readonly socket: string }
    | { readonly kind: "own"; readonly executable: string | undefined };
}

export interface CodexWindowsSetting {
  readonly processes: Pick<Processes, "tree" | "environment">;
  readonly files: ProcessFiles;
  readonly monotonic: () => number;
}

const CODEX_FOLDER = { variable: "CODEX_HOME", usual: ".codex" } as const;

export const WINDOW_LIMITS = {
  answerMs: 2_000,
  /** One scan asks about every window of a home; they share an answer for this long. */
  freshMs: 500,
} as const;

export class CodexWindows {
  readonly #setting: CodexWindowsSetting;
  readonly #snapshots = new Map<string, { takenAt: number; threads: Promise<readonly CodexThread[]> }>();

  constructor(setting: CodexWindowsSetting) {
    this.#setting = setting;
  }

  /** Undefined if nothing is known about it: it has just started, or its server does not answer. */
  async find(agentPid: number): Promise<CodexWindow | undefined> {
    const { processes, files } = this.#setting;
    const home = (await ownFolder(processes, agentPid, CODEX_FOLDER))?.path;
    if (home === undefined) return undefined;
    // Behind a wrapper, the window has its own process; the shared server may be its child, but is not the window.
    const tree = await processes.tree(agentPid);
    const own = tree.filter(({ argv }) => !argv.includes("app-server"));
    const open = await Promise.all(own.map(async ({ pid }) => ({ pid, ...(await files.openFiles(pid)) })));
    const alone = open.find(({ paths }) => threadLocks(paths).length > 0);
    if (alone !== undefined) {
      const threads = threadLocks(alone.paths).map((id) => lockedThread(id, alone.paths));
      return { home, threads, server: { kind: "own", executable: files.executable(alone.pid) } };
    }
    const ports = open.flatMap(({ listeningPorts }) => listeningPorts);
    return ports.length === 0 ? undefined : this.#ask(home, ports);
  }

  async #ask(home: string, ports: readonly number[]): Promise<CodexWindow | undefined> {
    const socket = controlSocket(home);
    try {
      const ids = (await this.#threadsOf(socket))
        .filter(({ port }) => ports.includes(port))
        .map(({ id }) => id);
      if (ids.length === 0) return undefined;
      const details = await withSharedServer(socket, AbortSignal.timeout(WINDOW_LIMITS.answerMs), (server) =>
        Promise.all(ids.map((id) => threadDetail(server, id))),
      );
      const threads = details.filter((detail) => detail !== undefined);
      return threads.length === 0 ? undefined : { home, threads, server: { kind: "shared", socket } };
    } catch {
      return undefined;
    }
  }

  #threadsOf(socket: string): Promise<readonly CodexThread[]> {
    const now = this.#setting.monotonic();
    const known = this.#snapshots.get(socket);
    if (known !== undefined && now - known.takenAt < WINDOW_LIMITS.freshMs) return known.threads;
    const threads = withSharedServer(socket, AbortSignal.timeout(WINDOW_LIMITS.answerMs), windowThreads);
    this.#snapshots.set(socket, { takenAt: now, threads });
    threads.catch(() => this.#snapshots.delete(socket));
    return threads;
  }
}

export async function withSharedServer<T>(
  socket: string,
  signal: AbortSignal,
  work: (server: AppServer) => Promise<T>,
): Promise<T> {
  const server = await greetAppServer(await openWebSocket(ownSocket(socket), signal), signal);
  try {
    return await work(server);
  } finally {
    server.close();
  }
}

/** Through a link, because the real path may be too long. Must be ours, because it receives what people write. */
function ownSocket(path: string): string {
  const target = realpathSync(path);
  if (statSync(target).uid !== process.getuid?.()) throw new Error(`${target} belongs to another user`);
  return target;
}

function controlSocket(home: string): string {
  return join(home, "app-server-control", "app-server-control.sock");
}

const THREAD_ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** Matching the folder's name is enough: the home may be reached through a link. */
function threadLocks(paths: readonly string[]): readonly string[] {
  const lock = new RegExp(`/thread-writer-locks/(${THREAD_ID})\\.lock$`);
  return [...new Set(paths.flatMap((path) => lock.exec(path)?.[1] ?? []))];
}

function lockedThread(id: string, paths: readonly string[]): ThreadDetail {
  const transcriptPath = paths.find((path) => path.endsWith(`-${id}.jsonl`) && path.includes("/rollout-"));
  return { id, ...present({ transcriptPath }), running: false, lastTurnAt: 0 };
}
