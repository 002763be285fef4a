/** The end of a file, and what is appended to it. */
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

const STEP_BYTES = 64 * 1024;
const LOOK_EVERY_MS = 250;

export interface Tail {
  readonly lines: readonly string[];
  /** The position where the next line will begin. */
  readonly end: number;
}

export function lastLines(path: string, count: number): Tail | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    const chunks: Buffer[] = [];
    let from = size;
    let newlines = 0;
    // One newline more than lines, so that the first of them is complete.
    while (from > 0 && newlines <= count) {
      const length = Math.min(STEP_BYTES, from);
      from -= length;
      const chunk = Buffer.alloc(length);
      readSync(file, chunk, 0, length, from);
      chunks.unshift(chunk);
      newlines += chunk.reduce((sum, byte) => sum + (byte === 0x0a ? 1 : 0), 0);
    }
    const text = Buffer.concat(chunks);
    const end = text.lastIndexOf(0x0a) + 1;
    const lines = text.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    return { lines: count === 0 ? [] : lines.slice(-count), end: size - (text.length - end) };
  } finally {
    closeSync(file);
  }
}

/** Runs until stopped. A file that was replaced or truncated is read from its start. */
export async function followFile(
  path: string,
  from: number,
  onLine: (line: string) => void,
  { stopped, pause }: { readonly stopped: AbortSignal; pause(ms: number): Promise<void> },
): Promise<void> {
  let at = from;
  let inode = inodeOf(path);
  for (;;) {
    await pause(LOOK_EVERY_MS);
    if (stopped.aborted) return;
    const now = inodeOf(path);
    if (now === undefined) continue;
    if (inode !== undefined && now !== inode) at = 0;
    inode = now;
    at = readFrom(path, at, onLine);
  }
}

function readFrom(path: string, from: number, onLine: (line: string) => void): number {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    let at = size < from ? 0 : from;
    let rest: Buffer = Buffer.alloc(0);
    for (let position = at; position < size; ) {
      const chunk = Buffer.alloc(Math.min(STEP_BYTES, size - position));
      const read = readSync(file, chunk, 0, chunk.length, position);
      if (read === 0) break;
      position += read;
      rest = Buffer.concat([rest, chunk.subarray(0, read)]);
      for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
        onLine(rest.subarray(0, end).toString("utf8"));
        rest = rest.subarray(end + 1);
        at = position - rest.length;
      }
    }
    return at;
  } finally {
    closeSync(file);
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
