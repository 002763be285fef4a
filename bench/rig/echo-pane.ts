import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TmuxServer } from "../../tests/rig/tmux-server.ts";

const PROGRAM = fileURLToPath(new URL("./echo-program.mjs", import.meta.url));
const DEADLINE_MS = 20_000;

/** A pane whose program reports what it reads, and when. */
export class EchoPane {
  readonly pane: string;
  readonly #server: Server;
  readonly #socket: Socket;
  readonly #watchers = new Set<() => void>();
  #read = { atNs: 0n, bytes: 0 };

  private constructor(pane: string, server: Server, socket: Socket) {
    this.pane = pane;
    this.#server = server;
    this.#socket = socket;
    createInterface({ input: socket }).on("line", (line) => {
      const [at = "0", bytes = "0"] = line.split(" ");
      this.#read = { atNs: BigInt(at), bytes: Number(bytes) };
      for (const watcher of [...this.#watchers]) watcher();
    });
    socket.on("error", () => {});
  }

  static open(tmux: TmuxServer, name: string): Promise<EchoPane> {
    return EchoPane.start(tmux.folder, name, (command) =>
      tmux.newSession({ name, command, cwd: tmux.folder }),
    );
  }

  /** In whatever terminal `start` opens, which resolves with its name there. */
  static async start(
    folder: string,
    name: string,
    start: (command: readonly string[]) => Promise<string>,
  ): Promise<EchoPane> {
    const socketPath = join(folder, name);
    const server = createServer().listen(socketPath);
    await once(server, "listening");
    const connected = once(server, "connection");
    const pane = await start([process.execPath, PROGRAM, socketPath]);
    const [socket] = (await connected) as [Socket];
    return new EchoPane(pane, server, socket);
  }

  get bytes(): number {
    return this.#read.bytes;
  }

  /** When the program had read this many bytes in all, by the clock of `process.hrtime`. */
  async hasRead(bytes: number): Promise<bigint> {
    if (this.#read.bytes >= bytes) return this.#read.atNs;
    return new Promise((resolve, reject) => {
      const watcher = () => {
        if (this.#read.bytes < bytes) return;
        finish();
        resolve(this.#read.atNs);
      };
      const timer = setTimeout(() => {
        finish();
        reject(new Error(`the program read only ${this.#read.bytes} of ${bytes} bytes`));
      }, DEADLINE_MS);
      const finish = () => {
        clearTimeout(timer);
        this.#watchers.delete(watcher);
      };
      this.#watchers.add(watcher);
    });
  }

  /** The program ends when its peer is gone. */
  async close(): Promise<void> {
    this.#socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function msSince(startNs: bigint, endNs: bigint): number {
  return Number(endNs - startNs) / 1e6;
}
