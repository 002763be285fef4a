import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { ProgramOptions } from "./terminal-harness.ts";

const DEADLINE_MS = 180_000;

/** The other end of `echo-program.mjs`: what it read, and what it should print. */
export class ProgramPeer {
  readonly socketPath: string;
  readonly #server: Server;
  readonly #connected: Promise<Socket>;
  #socket: Socket | undefined;
  readonly #chunks: Buffer[] = [];
  readonly #watchers = new Set<() => void>();

  private constructor(server: Server, socketPath: string) {
    this.#server = server;
    this.socketPath = socketPath;
    this.#connected = once(server, "connection").then(([socket]: Socket[]) => {
      this.#socket = socket as Socket;
      this.#socket.on("data", (chunk: Buffer) => {
        this.#chunks.push(chunk);
        for (const watcher of [...this.#watchers]) watcher();
      });
      this.#socket.on("error", () => {});
      return this.#socket;
    });
  }

  static async listen(socketPath: string): Promise<ProgramPeer> {
    const server = createServer().listen(socketPath);
    await once(server, "listening");
    return new ProgramPeer(server, socketPath);
  }

  /** The program has its terminal in raw mode. */
  async ready(): Promise<void> {
    await within(this.#connected, "the program did not start");
  }

  async print(text: string): Promise<void> {
    const socket = await this.#connected;
    await new Promise<void>((resolve, reject) =>
      socket.write(text, (error) => (error ? reject(error) : resolve())),
    );
  }

  /** Everything read so far, once it is at least this much. */
  async received(atLeastBytes: number): Promise<Buffer> {
    const enough = () => this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0) >= atLeastBytes;
    await within(
      new Promise<void>((resolve) => {
        const look = () => {
          if (!enough()) return;
          this.#watchers.delete(look);
          resolve();
        };
        this.#watchers.add(look);
        look();
      }),
      () => `only ${Buffer.concat(this.#chunks).length} of ${atLeastBytes} bytes reached the program`,
    );
    return Buffer.concat(this.#chunks);
  }

  /** The program ends when its peer is gone. */
  async close(): Promise<void> {
    this.#socket?.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function echoProgram(options: {
  readonly peer?: ProgramPeer;
  readonly log?: string;
  readonly bracketed?: boolean;
  readonly alternate?: boolean;
  readonly hideCursor?: boolean;
}): readonly string[] {
  return [
    process.execPath,
    fileURLToPath(new URL("./echo-program.mjs", import.meta.url)),
    ...(options.peer === undefined ? [] : ["--peer", options.peer.socketPath]),
    ...(options.log === undefined ? [] : ["--log", options.log]),
    ...(options.bracketed ? ["--bracketed"] : []),
    ...(options.alternate ? ["--alternate"] : []),
    ...(options.hideCursor ? ["--hide-cursor"] : []),
  ];
}

/**
 * A program that was continued behind another touches the terminal, and the kernel stops it (21 SIGTTIN, 22 SIGTTOU),
 * perhaps just when the shell gives it the terminal: then the shell takes it back, and has to try again.
 */
const BACK_IN_FRONT = "until fg; how=$?; [ $how -ne 149 ] && [ $how -ne 150 ]; do :; done";

/** As the harness of a terminal starts it. */
export function commandFor(program: ProgramOptions, peer: ProgramPeer): readonly string[] {
  const command = echoProgram({ ...program, peer });
  if (program.underShell !== true) return command;
  const words = command.map((word) => `'${word}'`).join(" ");
  const lines = `${words}; cat > '${frontLogOf(peer)}'; ${BACK_IN_FRONT}; sleep 1000`;
  return ["bash", "--norc", "--noprofile", "-ic", lines];
}

/** What another program in front of it has read. */
export function frontLogOf(peer: ProgramPeer): string {
  return `${peer.socketPath}.front`;
}

export async function within<T>(promise: Promise<T>, failure: string | (() => string)): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(typeof failure === "string" ? failure : failure())),
      DEADLINE_MS,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
