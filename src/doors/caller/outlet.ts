/** The output of one connection: collected for a tick, written at once, and limited in how much may be unread. */
import type { Socket } from "node:net";

/** At this much, it is written without waiting for the end of the tick. */
const GATHERED_BYTES = 64 * 1024;

export interface OutletParts {
  readonly socket: Socket;
  /** A reader with more than this unread is disconnected. */
  readonly backlogBytes: number;
  /** With this much unread, no more work is started that would add to it. */
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
   * Resolves when the backlog was read or the connection is gone. Several may wait: each must check again, since the
   * first may have used up the room.
   */
  drained(): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** `done` is called when the system has accepted it, or when it never will. */
  write(chunk: string | Buffer, done?: (outcome: "written" | "gone") => void): "written" | "gone" {
    if (!this.isOpen) return "gone";
    const unread = this.#socket.writableLength;
    if (unread > this.#parts.backlogBytes) {
      this.#parts.overflow(unread);
      return "gone";
    }
    this.#gather();
    if (done === undefined) this.#socket.write(chunk);
    // For data that a destroyed socket still held, Node calls back without an error.
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

/** Writes once there is room or the connection is gone; in the same turn, so that no other write takes the room. */
export async function whenRoom<Outcome>(
  outlet: Pick<Outlet, "isOpen" | "hasRoom" | "drained">,
  write: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  while (outlet.isOpen && !outlet.hasRoom) await outlet.drained();
  return write();
}
