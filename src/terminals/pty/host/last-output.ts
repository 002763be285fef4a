/** What a program wrote just before it ended, and its PTY's stream leaves behind. */
import { readSync } from "node:fs";

interface Inside {
  readonly fd: number;
  readonly _socket: {
    once(event: "end", listener: () => void): unknown;
    read(): unknown;
    destroy(error?: Error): unknown;
  };
}

/** More than any system keeps for a terminal. */
const MOST_BYTES = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/**
 * A terminal gives at most some four thousand bytes at a time. The stream takes that for all there is once the program
 * has hung up, and ends; the rest waits, and is lost when it closes. One that is paused does not even end: it is
 * destroyed a moment after the program's end, with all that it has read and not told.
 */
export function onLastOutput(pty: unknown, listener: (bytes: Buffer) => void): void {
  const { fd, _socket } = pty as Inside;
  let isTold = false;
  const tellRest = (): void => {
    if (isTold) return;
    isTold = true;
    // What it has read already it tells by itself.
    _socket.read();
    for (let read = 0; read < MOST_BYTES; ) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const length = next(fd, piece);
      if (length === 0) return;
      read += length;
      listener(piece.subarray(0, length));
    }
  };
  _socket.once("end", tellRest);
  const destroy = _socket.destroy.bind(_socket);
  _socket.destroy = (error) => {
    tellRest();
    return destroy(error);
  };
}

function next(fd: number, piece: Buffer): number {
  try {
    return readSync(fd, piece);
  } catch {
    // EIO: nobody is at its other end any more. EAGAIN: somebody is, and says nothing.
    return 0;
  }
}
