import { realpathSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

/** Where tmux servers listen. */
export interface SocketOptions {
  /** `tmux.servers` of the config: socket paths, or names as for `tmux -L`. */
  readonly servers: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userId: number;
}

/** The default server, the one we were started in, and the configured ones; each once. */
export function tmuxSockets(options: SocketOptions): readonly string[] {
  const folder = join(socketRoot(options.environment), `tmux-${options.userId}`);
  const inherited = options.environment.TMUX?.split(",")[0] ?? "";
  const configured = options.servers.map((server) => (server.includes("/") ? server : join(folder, server)));
  const all = [join(folder, "default"), inherited, ...configured].filter((path) => path.startsWith("/"));
  return [...new Map(all.map((path) => [realPath(path), path])).keys()];
}

function socketRoot(environment: Readonly<Record<string, string | undefined>>): string {
  const configured = environment.TMUX_TMPDIR;
  // tmux resolves this folder: on macOS /tmp is a link, and `$TMUX` shows the resolved path.
  return realPath(configured === undefined || configured === "" ? "/tmp" : configured);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

type SocketState =
  | { readonly kind: "listening" }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly cause: string };

// Node would truncate a longer path and connect to another socket.
const LONGEST_SOCKET_PATH = 107;

/** Probes the socket directly, without starting a process: a leftover file is not a server. */
export function probeSocket(path: string, deadlineMs: number): Promise<SocketState> {
  if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH) {
    return Promise.resolve({ kind: "unknown", cause: `the path of the socket is too long: ${path}` });
  }
  return new Promise((resolve) => {
    const socket = connect(path);
    const finish = (state: SocketState) => {
      socket.destroy();
      resolve(state);
    };
    socket.setTimeout(deadlineMs, () => finish({ kind: "unknown", cause: "the socket does not answer" }));
    socket.once("connect", () => finish({ kind: "listening" }));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      finish(
        error.code === "ENOENT" || error.code === "ECONNREFUSED" || error.code === "ENOTSOCK"
          ? { kind: "absent" }
          : { kind: "unknown", cause: error.message },
      ),
    );
  });
}
