/** What a program wrote just before it ended, and its PTY's stream leaves behind. */
import { readSync } from "node:fs";

interface Inside {
  readonly fd: number;
  readonly _socket: { once(event: "end", listener: () => void): unknown };
}

/** More than any system keeps for a terminal. */
const MOST_BYTES = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/**
 * A terminal gives at most some four thousand bytes at a time. The stream takes that for all there is once the program
 * has hung up, and ends; the rest waits, and is lost when it closes.
 */
export function onLastOutput(pty: unknown, listener: (bytes: Buffer) => void): void {
  const { fd, _socket } = pty as Inside;
  _socket.once("end", () => {
    for (let read = 0; read < MOST_BYTES; ) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const length = next(fd, piece);
      if (length === 0) return;
      read += length;
      listener(piece.subarray(0, length));
    }
  });
}

function next(fd: number, piece: Buffer): number {
  try {
    return readSync(fd, piece);
  } catch {
    // EIO: nobody is at its other end any more. EAGAIN: somebody is, and says nothing.
    return 0;
  }
}
