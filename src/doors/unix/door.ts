/** The Unix-socket door. Anyone who can open the socket is the owner: the file's mode is the credential. */
import { existsSync } from "node:fs";
import { chmod, lstat, unlink } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { BellhopError } from "../../core/errors.ts";
import type { Instant } from "../../core/message.ts";
import { closeAll } from "../caller/closing.ts";
import { Turns } from "../caller/turns.ts";
import type { UnixSetting } from "./answering.ts";
import { UnixConnection } from "./connection.ts";
import { UNIX_LIMITS, type UnixLimits } from "./limits.ts";

export interface UnixDoorOptions extends Omit<UnixSetting, "limits" | "caller"> {
  readonly path: string;
  /** The user on whose behalf requests without claims are made: the daemon's own. */
  readonly user: string;
  readonly now: () => Instant;
  readonly limits?: Partial<UnixLimits>;
}

export interface UnixDoor {
  readonly path: string;
  listenAgain(): Promise<ListenedAgain>;
  /** Closes some idle connections, longest idle first. */
  letIdleGo(): void;
  /** Accepts nothing new, answers what is under way, and closes the rest at the deadline. */
  close(deadlineMs?: number): Promise<void>;
}

/** Some systems silently truncate longer paths; the home guarantees a shorter one. */
const LONGEST_SOCKET_PATH = process.platform === "darwin" ? 103 : 107;

/** How many idle connections are closed at once when file descriptors are scarce. */
const IDLE_AT_ONCE = 8;

/** The caller must hold the daemon's lock: only then is a socket without a listener certainly stale. */
export async function startUnixDoor(options: UnixDoorOptions): Promise<UnixDoor> {
  const limits = { ...UNIX_LIMITS, ...options.limits };
  const connections = new Set<UnixConnection>();
  const setting = {
    ...options,
    limits,
    turns: new Turns(),
    caller: () => ({ user: options.user, now: options.now() }),
  };

  // Half open: a caller may finish sending and then listen (`echo … | nc -U`).
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (connections.size >= limits.connections && makeRoom(connections) === "none") {
      turnAway(socket, options.version, limits.connections);
      return;
    }
    const connection = new UnixConnection(socket, setting, () => {
      // The set is ordered: the connection that has been idle longest comes first.
      if (connections.delete(connection)) connections.add(connection);
    });
    connections.add(connection);
    void connection.closed.then(() => connections.delete(connection));
  });
  server.on("error", (error) => options.log.error("unix.failed", { cause: error.message }));

  await clearStaleSocket(options.path);
  await listenPrivately(server, options.path);

  return {
    path: options.path,
    listenAgain: () => listenAgain(server, options.path),
    letIdleGo() {
      for (let gone = 0; gone < IDLE_AT_ONCE && makeRoom(connections) === "made"; gone += 1);
    },
    async close(deadlineMs = 2_000) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await closeAll(connections, () => closed, deadlineMs);
    },
  };
}

/** Idle connections keep nobody out: the one idle longest is closed. */
function makeRoom(connections: Set<UnixConnection>): "made" | "none" {
  for (const standing of ["idle", "mid-line"] as const)
    for (const connection of connections)
      if (connection.standing === standing) {
        connections.delete(connection);
        connection.letGo();
        return "made";
      }
  return "none";
}

/** Binds a socket that nobody else can open, not even between `bind` and `chmod`. */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH) {
    throw new BellhopError("home.path_too_long", {
      message: `The socket path ${path} is longer than ${LONGEST_SOCKET_PATH} bytes.`,
      next: "Set BELLHOP_HOME to a shorter path.",
    });
  }
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error) => reject(cannotListen(path, error));
    server.once("error", failed);
    const umask = process.umask(0o177);
    try {
      // The path is bound before `listen` returns, so the umask covers exactly that.
      server.listen(path, () => {
        server.off("error", failed);
        resolve();
      });
    } finally {
      process.umask(umask);
    }
  });
  await chmod(path, 0o600);
}

export type ListenedAgain = "was-there" | "again";

/** For a socket file that was removed. Existing connections stay open. */
export async function listenAgain(server: Server, path: string): Promise<ListenedAgain> {
  if (server.listening && existsSync(path)) return "was-there";
  // In this order: closing removes whatever file is at the path at that time.
  if (server.listening) server.close();
  await clearStaleSocket(path);
  await listenPrivately(server, path);
  return "again";
}

/** Removes a dead daemon's socket; refuses anything that someone else put there or still uses. */
export async function clearStaleSocket(path: string): Promise<void> {
  let found: Awaited<ReturnType<typeof lstat>>;
  try {
    found = await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw cannotListen(path, error);
  }
  if (!found.isSocket()) {
    throw new BellhopError("daemon.socket_taken", {
      message: `${path} exists and is not a socket.`,
      next: "Move it away and start again.",
    });
  }
  if (await somebodyListens(path)) {
    throw new BellhopError("daemon.socket_taken", {
      message: `Another program listens on ${path}.`,
      next: `Stop it, or set BELLHOP_HOME to another folder.`,
    });
  }
  await unlink(path);
}

function somebodyListens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    const settle = (listens: boolean) => {
      probe.destroy();
      resolve(listens);
    };
    probe.once("connect", () => settle(true));
    // Anything but a plain refusal is inconclusive, so the socket does not count as stale.
    probe.once("error", (error: NodeJS.ErrnoException) =>
      settle(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"),
    );
  });
}

function cannotListen(path: string, error: unknown): BellhopError {
  const code = (error as NodeJS.ErrnoException).code;
  return new BellhopError("daemon.socket_taken", {
    message: `Cannot listen on ${path} (${code ?? String(error)}).`,
    next: "Check that the folder exists and is yours, and that nothing else listens there.",
    cause: error,
  });
}

function turnAway(socket: Socket, version: string, most: number): void {
  const error = new BellhopError("daemon.unreachable", {
    message: `The daemon already serves ${most} connections.`,
    next: "Close some and try again.",
  });
  socket.on("error", () => {});
  socket.resume();
  socket.end(`${JSON.stringify({ ok: false, version, error: error.toDetail() })}\n`);
  socket.setTimeout(1_000, () => socket.destroy());
}
