/**
 * The output of one connection: collected for a tick, written as one piece, and limited in how much may be unread. A
 * socket takes as long for a hundred small pieces as for a hundred large ones. Whoever ends the socket, or writes to it
 * directly, flushes first.
 */
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
  #gathered: (string | Buffer)[] = [];
  #gatheredBytes = 0;
  #told: ((outcome: "written" | "gone") => void)[] = [];

  constructor(parts: OutletParts) {
    this.#parts = parts;
    this.#socket = parts.socket;
    parts.socket.on("drain", () => this.#wake());
    parts.socket.on("close", () => this.#wake());
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#parts.isOpen();
  }

  get hasRoom(): boolean {
    return this.#unread <= this.#parts.roomBytes;
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
    const unread = this.#unread;
    if (unread > this.#parts.backlogBytes) {
      this.#parts.overflow(unread);
      return "gone";
    }
    if (this.#gathered.length === 0) process.nextTick(this.flush);
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (done !== undefined) this.#told.push(done);
    if (this.#gatheredBytes > GATHERED_BYTES) this.flush();
    return "written";
  }

  /** Writes what was collected so far. */
  readonly flush = (): void => {
    if (this.#gathered.length === 0) return;
    const [whole, told] = [inOnePiece(this.#gathered), this.#told];
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#told = [];
    const written = (error?: Error | null): void => {
      // For data that a destroyed socket still held, Node calls back without an error.
      const outcome = error || this.#socket.destroyed ? "gone" : "written";
      for (const done of told) done(outcome);
    };
    // If all of it was taken at once, no `drain` will tell those who wait for room.
    if (this.#socket.write(whole, told.length === 0 ? undefined : written)) this.#wake();
  };

  #wake(): void {
    for (const call of this.#waiting.splice(0)) call();
  }

  get #unread(): number {
    return this.#socket.writableLength + this.#gatheredBytes;
  }
}

let lastJoined: { readonly chunks: readonly (string | Buffer)[]; whole: string | Buffer } | undefined;

/** Listeners to one mailbox are told the same in a tick: it is joined once, and all of them are written that piece. */
function inOnePiece(chunks: readonly (string | Buffer)[]): string | Buffer {
  if (lastJoined !== undefined && areSame(lastJoined.chunks, chunks)) {
    // For one socket a text is quicker; for many, its bytes.
    if (typeof lastJoined.whole === "string") lastJoined.whole = Buffer.from(lastJoined.whole);
    return lastJoined.whole;
  }
  if (lastJoined === undefined) setImmediate(forgetJoined);
  const whole = joined(chunks);
  lastJoined = { chunks, whole };
  return whole;
}

function joined(chunks: readonly (string | Buffer)[]): string | Buffer {
  const [first = ""] = chunks;
  if (chunks.length === 1) return first;
  if (chunks.every((chunk) => typeof chunk === "string")) return chunks.join("");
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)));
}

function forgetJoined(): void {
  lastJoined = undefined;
}

function areSame(some: readonly (string | Buffer)[], others: readonly (string | Buffer)[]): boolean {
  return some.length === others.length && some.every((chunk, index) => chunk === others[index]);
}

/** Writes once there is room or the connection is gone; in the same turn, so that no other write takes the room. */
export async function whenRoom<Outcome>(
  outlet: Pick<Outlet, "isOpen" | "hasRoom" | "drained">,
  write: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  while (outlet.isOpen && !outlet.hasRoom) await outlet.drained();
  return write();
}
