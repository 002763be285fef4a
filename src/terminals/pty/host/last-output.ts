/** Output that a program wrote just before it ended and that its PTY's stream does not deliver. */
import { readSync } from "node:fs";

interface Inside {
  readonly fd: number;
  readonly _socket: {
    once(event: "end", listener: () => void): unknown;
    read(): unknown;
    destroy(error?: Error): unknown;
  };
}

/** More than any system buffers for a terminal. */
const MOST_BYTES = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/**
 * A terminal returns at most about four thousand bytes per read. Once the program has hung up, the stream takes one
 * such read for everything and ends; the rest is lost when it closes. A paused stream does not even end: it is
 * destroyed shortly after the program's end, with everything that it has read but not emitted.
 */
export function onLastOutput(pty: unknown, listener: (bytes: Buffer) => void): void {
  const { fd, _socket } = pty as Inside;
  let isTold = false;
  const tellRest = (): void => {
    if (isTold) return;
    isTold = true;
    // The stream emits what it has already read.
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
    // EIO: the other end is closed. EAGAIN: it is open, but has nothing to read.
    return 0;
  }
}
