/** A third-party server, with its own folder and port; it leaves nothing behind. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const DEADLINE_MS = 10_000;
const POLL_MS = 20;
/** Where Debian installs servers; not on every user's PATH. */
const SERVER_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];

export function findServer(command: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(":"), ...SERVER_FOLDERS];
  return folders
    .map((folder) => join(folder, command))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

export function refuses(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore", timeout: DEADLINE_MS }).status !== 0;
}

export class Server {
  readonly port: number;
  readonly folder: string;
  #child: ChildProcess | undefined;
  #said = "";

  private constructor(port: number, folder: string) {
    this.port = port;
    this.folder = folder;
  }

  static async start(
    command: string,
    argumentsFor: (server: Server) => readonly string[] | Promise<readonly string[]>,
  ): Promise<Server> {
    const server = new Server(await freePort(), mkdtempSync(join(tmpdir(), "bellhop-bench-")));
    try {
      await server.#start(command, await argumentsFor(server));
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  async #start(command: string, args: readonly string[]): Promise<void> {
    const child = spawn(command, [...args], { cwd: this.folder, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#said = `${this.#said}${text}`.slice(-2_000);
      });
    const deadline = performance.now() + DEADLINE_MS;
    while (!(await answers(this.port))) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`${command} did not start: ${this.#said}`);
      await sleep(POLL_MS);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const settle = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}
