/** Standard output and error without their streams: opening one costs more than all else that `send` prints. */
import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import type { Sink } from "./output.ts";

export interface FileSink extends Sink {
  /** Everything so far was written at once: nothing waits for its reader. */
  readonly isWritten: boolean;
}

export function fileSink(file: 1 | 2, onGone: () => void): FileSink {
  let stream: NodeJS.WriteStream | undefined;
  const open = (): NodeJS.WriteStream => {
    if (stream === undefined) {
      stream = file === 1 ? process.stdout : process.stderr;
      stream.on("error", onGone);
    }
    return stream;
  };
  return {
    write(text) {
      if (stream !== undefined) {
        stream.write(text);
        return;
      }
      const rest = writeAll(file, Buffer.from(text));
      if (rest === "gone") onGone();
      // A full, non-blocking pipe: the stream waits for its reader.
      else if (rest.length > 0) open().write(rest);
    },
    async drained() {
      const waiting = stream;
      if (waiting?.writableNeedDrain !== true) return;
      await new Promise<void>((resolve) => {
        waiting.once("drain", resolve);
      });
    },
    get isWritten() {
      return stream === undefined;
    },
    get isTerminal() {
      return isatty(file);
    },
    get columns() {
      return open().columns ?? 0;
    },
  };
}

/** Returns what could not be written yet. */
function writeAll(file: number, bytes: Buffer): Buffer | "gone" {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EAGAIN") break;
      if (code !== "EINTR") return "gone";
    }
  }
  return bytes.subarray(at);
}
