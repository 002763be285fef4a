/** What every small client here has in common: bytes that come in pieces, and writes gathered for a tick. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export type Target = { readonly port: number } | { readonly path: string };

const HOST = "127.0.0.1";
const ROOM_BYTES = 4 * 1024 * 1024;

export class Wire {
  readonly #socket: Socket;
  #gathering = false;
  #rest: Buffer | undefined;
  #closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(target: Target): Promise<Wire> {
    const socket = connect("port" in target ? { ...target, host: HOST } : target);
    await once(socket, "connect");
    socket.setNoDelay(true);
    return new Wire(socket);
  }

  /** `read` is called at the start of each frame and returns where the next begins; -1 if the frame is incomplete. */
  listen(read: (bytes: Buffer, at: number) => number, failed: (cause: unknown) => void): void {
    this.#socket.removeAllListeners("data");
    this.#socket.on("data", (chunk: Buffer) => {
      try {
        const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
        let at = 0;
        while (at < bytes.length) {
          const next = read(bytes, at);
          if (next < 0) break;
          at = next;
        }
        this.#rest = at < bytes.length ? bytes.subarray(at) : undefined;
      } catch (cause) {
        failed(cause);
      }
    });
    this.#socket.on("error", failed);
    this.#socket.on("close", () => {
      if (!this.#closed) failed(new Error("the connection was closed"));
    });
  }

  write(bytes: string | Buffer): void {
    if (!this.#gathering) {
      this.#gathering = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#gathering = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(bytes);
    if (this.#socket.writableLength > ROOM_BYTES) throw new Error("what is published is not read");
  }

  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }
}

/** One answer at a time, for the requests before the measurement. */
export class Turn<T> {
  #take: ((value: T) => void) | undefined;
  #refuse: ((cause: unknown) => void) | undefined;

  next(): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#take = resolve;
      this.#refuse = reject;
    });
  }

  /** Returns whether anybody waited for it. */
  give(value: T): boolean {
    const take = this.#take;
    this.#take = undefined;
    take?.(value);
    return take !== undefined;
  }

  fail(cause: unknown): void {
    this.#refuse?.(cause);
  }
}
