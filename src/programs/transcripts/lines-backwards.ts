/** The lines of a file that only grows, newest first, read in pieces from its end. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";

const PIECE_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

export interface BackwardsLine {
  readonly text: string;
  /** `unfinished`: it has no line end yet. */
  readonly state: "whole" | "unfinished";
}

export class TooFarBack extends Error {
  constructor(mostBytes: number) {
    super(`it has more than ${mostBytes} bytes since then`);
  }
}

/** Ends at the start of the file, or throws after `mostBytes` without reaching it. */
export async function* linesBackwards(path: string, mostBytes: number): AsyncGenerator<BackwardsLine, void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error("it is not a file");
    let at = stats.size;
    let rest = Buffer.alloc(0);
    let state: BackwardsLine["state"] = "unfinished";
    while (at > 0) {
      if (stats.size - at >= mostBytes) throw new TooFarBack(mostBytes);
      const size = Math.min(PIECE_BYTES, at, mostBytes - (stats.size - at));
      const piece = Buffer.alloc(size);
      const { bytesRead } = await file.read(piece, 0, size, at - size);
      if (bytesRead < size) throw new Error("it became shorter while it was read");
      at -= size;
      let text = rest.length === 0 ? piece : Buffer.concat([piece, rest]);
      for (let end = text.lastIndexOf(NEWLINE); end !== -1; end = text.lastIndexOf(NEWLINE)) {
        yield { text: text.subarray(end + 1).toString("utf8"), state };
        state = "whole";
        text = text.subarray(0, end);
      }
      rest = text;
    }
    yield { text: rest.toString("utf8"), state };
  } finally {
    await file.close();
  }
}
