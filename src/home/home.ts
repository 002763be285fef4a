import { lstatSync, mkdirSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { BellhopError, diskFullError, isNoRoom } from "../core/errors.ts";

// Loaded by every `bellhop send`, which must be fast: import nothing heavier than this.

/** The paths of one Bellhop home. `absent`: it was not to be created; the paths are valid, but nothing is there yet. */
export type Home = { readonly state: "ready" | "absent" } & Readonly<ReturnType<typeof pathsIn>>;

export type HomeEnvironment = Readonly<Record<string, string | undefined>>;

/** The most that fits into a socket address: 107 bytes on Linux, 103 on macOS; we promise 104 where possible. */
export const LONGEST_SOCKET_PATH_BYTES = process.platform === "darwin" ? 103 : 104;

const PRIVATE_FOLDER = 0o700;

export function openHome(env: HomeEnvironment, { create }: { readonly create: boolean }): Home {
  const root = homeRoot(env);
  const paths = pathsIn(root);
  for (const socket of [paths.socket, paths.httpSocket]) refuseLongSocketPath(socket, root);
  const state = ensurePrivateFolder(root, create);
  if (state === "ready") {
    for (const folder of [paths.runFolder, paths.hosts, paths.messages, paths.spool, paths.logs]) {
      ensurePrivateFolder(folder, create);
    }
  }
  return { state, ...paths };
}

function homeRoot(env: HomeEnvironment): string {
  const chosen = env.BELLHOP_HOME;
  if (chosen !== undefined && chosen !== "") return resolve(chosen);
  const owner = env.HOME;
  return join(owner === undefined || owner === "" ? homedir() : resolve(owner), ".bellhop");
}

function pathsIn(root: string) {
  const runFolder = join(root, "run");
  return {
    root,
    config: join(root, "config.yaml"),
    database: join(root, "bellhop.db"),
    token: join(root, "token"),
    /** Made when a browser first wants notifications. */
    pushKey: join(root, "push-key"),
    /** Made when this host first joins a cluster. */
    clusterKey: join(root, "cluster-key"),
    runFolder,
    socket: join(runFolder, "bellhop.sock"),
    httpSocket: join(runFolder, "http.sock"),
    // Not in run/: people empty that folder to remove a stale socket, and a deleted lock protects nothing.
    lock: join(root, "lock.db"),
    /** When it was last told to stop. */
    stopMark: join(root, "stopped"),
    /** Records of hosted terminals. */
    hosts: join(root, "hosts"),
    messages: join(root, "messages"),
    spool: join(root, "spool"),
    logs: join(root, "logs"),
  };
}

/** The socket path of one session's host; no longer than the daemon's own. */
export function hostSocket(runFolder: string, sessionId: string): string {
  return join(runFolder, `${sessionId}.pty`);
}

function refuseLongSocketPath(socket: string, root: string): void {
  const bytes = Buffer.byteLength(socket);
  if (bytes <= LONGEST_SOCKET_PATH_BYTES) return;
  throw new BellhopError("home.path_too_long", {
    message: `The path ${socket} has ${bytes} bytes; a socket's path may have ${LONGEST_SOCKET_PATH_BYTES}.`,
    next: `Set BELLHOP_HOME to a folder with a shorter path than ${root}.`,
  });
}

function ensurePrivateFolder(path: string, create: boolean): "ready" | "absent" {
  if (create) createFolder(path);
  const stats = look(path);
  if (stats === undefined) {
    if (create) throw unsafe(`${path} vanished right after it was created.`, "Try again.");
    return "absent";
  }
  if (stats.isSymbolicLink()) {
    throw unsafe(`${path} is a symbolic link.`, "Set BELLHOP_HOME to the folder it points to.");
  }
  if (!stats.isDirectory()) {
    throw unsafe(`${path} is not a folder.`, "Move it away, or set BELLHOP_HOME to another folder.");
  }
  if (stats.uid !== process.getuid?.()) {
    throw unsafe(`${path} belongs to another user.`, "Set BELLHOP_HOME to a folder of your own.");
  }
  if ((stats.mode & 0o077) !== 0) {
    throw unsafe(`Other users can get into ${path}.`, `Close it with "chmod 700 ${path}", then try again.`);
  }
  return "ready";
}

function createFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (cause) {
    // If something else is there, a more helpful error follows below.
    if (look(path) !== undefined) return;
    throw cannotUse(path, cause);
  }
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw cannotUse(path, cause);
  }
}

function cannotUse(path: string, cause: unknown): BellhopError {
  if (isNoRoom(cause)) return diskFullError(`${path} could not be created`, cause);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
  return new BellhopError("home.unsafe", {
    message: `The folder ${path} cannot be used (${code}).`,
    next: "Set BELLHOP_HOME to a folder that you may write to.",
    cause,
  });
}

function unsafe(message: string, next: string): BellhopError {
  return new BellhopError("home.unsafe", { message, next });
}
