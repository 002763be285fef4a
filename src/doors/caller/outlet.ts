/** What leaves one connection: gathered for a tick, written at once, and watched that it does not pile up. */
import type { Socket } from "node:net";

/** Gathered this far, it is written without waiting for the end of the tick. */
const GATHERED_BYTES = 64 * 1024;

export interface OutletParts {
  readonly socket: Socket;
  /** A reader who lets this much pile up is gone. */
  readonly backlogBytes: number;
  /** With this much unread, nothing should be done for the caller that adds to it. */
  readonly roomBytes: number;
  isOpen(): boolean;
  overflow(bytes: number): void;
}

export class Outlet {
  readonly #parts: OutletParts;
  readonly #socket: Socket;
  readonly #waiting: (() => void)[] = [];
  #gathering = false;

  constructor(parts: OutletParts) {
    this.#parts = parts;
    this.#socket = parts.socket;
    const wake = (): void => {
      for (const call of this.#waiting.splice(0)) call();
    };
    parts.socket.on("drain", wake);
    parts.socket.on("close", wake);
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#parts.isOpen();
  }

  get hasRoom(): boolean {
    return this.#socket.writableLength <= this.#parts.roomBytes;
  }

  /**
   * Until what piled up was read, or nobody is there any more. Many may wait: whoever is woken looks again, since the
   * first may have used up the room.
   */
  drained(): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** `done` is told when the system has taken it, or that it never will. */
  write(chunk: string | Buffer, done?: (outcome: "written" | "gone") => void): "written" | "gone" {
    if (!this.isOpen) return "gone";
    const unread = this.#socket.writableLength;
    if (unread > this.#parts.backlogBytes) {
      this.#parts.overflow(unread);
      return "gone";
    }
    this.#gather();
    if (done === undefined) this.#socket.write(chunk);
    // Node calls back without an error for what a destroyed socket still held.
    else this.#socket.write(chunk, (error) => done(error || this.#socket.destroyed ? "gone" : "written"));
    if (unread + chunk.length > GATHERED_BYTES) this.#release();
    return "written";
  }

  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#socket.cork();
    process.nextTick(this.#release);
  }

  readonly #release = (): void => {
    if (!this.#gathering) return;
    this.#gathering = false;
    this.#socket.uncork();
  };
}

/** Writes once there is room, or nobody is there any more; at once, so that no other takes the room in between. */
export async function whenRoom<Outcome>(
  outlet: Pick<Outlet, "isOpen" | "hasRoom" | "drained">,
  write: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  while (outlet.isOpen && !outlet.hasRoom) await outlet.drained();
  return write();
}
