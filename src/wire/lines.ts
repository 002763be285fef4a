/** Newline-delimited JSON: bytes in, checked values out. */
import { isUtf8 } from "node:buffer";
import { BellhopError } from "../core/errors.ts";
import { LIMITS } from "../core/message.ts";

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface LineReader {
  /** Takes bytes and passes complete lines to `onLine`. Throws `request.too_large` if a line exceeds the limit. */
  push(chunk: Buffer): void;
  /** Processes what follows the last newline, for a peer that ends without one. */
  end(): void;
  /** Whether a line has begun but not ended. */
  readonly pending: boolean;
}

export function readLines(
  onLine: (line: Buffer) => void,
  maxBytes: number = LIMITS.requestBytes,
): LineReader {
  let parts: Buffer[] = [];
  let size = 0;

  const take = (part: Buffer) => {
    size += part.length;
    if (size > maxBytes) {
      parts = [];
      throw tooLongLine(maxBytes);
    }
    if (part.length > 0) parts.push(part);
  };
  const flush = () => {
    const whole = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    parts = [];
    size = 0;
    const line = whole.at(-1) === CARRIAGE_RETURN ? whole.subarray(0, -1) : whole;
    if (line.length > 0) onLine(line);
  };

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        flush();
        from = at + 1;
      }
      if (from < chunk.length) take(chunk.subarray(from));
    },
    end() {
      if (size > 0) flush();
    },
    get pending() {
      return size > 0;
    },
  };
}

export function tooLongLine(maxBytes: number): BellhopError {
  return new BellhopError("request.too_large", {
    message: `One line may hold ${maxBytes} bytes at most.`,
    next: "Send a shorter request; put a long text into a file and send its path.",
  });
}

/** Strict UTF-8, then depth, then JSON: a deep value parses, but overflows the stack of code that prints it later. */
export function parseJsonBytes(bytes: Buffer, maxDepth: number = LIMITS.jsonDepth): unknown {
  if (!isUtf8(bytes)) {
    throw new BellhopError("message.invalid_utf8", {
      message: "The request is not valid UTF-8.",
      next: "Encode it as UTF-8 and send it again.",
    });
  }
  const text = bytes.toString("utf8");
  if (isDeeperThan(text, maxDepth)) {
    throw malformed(`The JSON is nested deeper than ${maxDepth} levels.`, "Flatten it, or send it as text.");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(
      "The request is not valid JSON.",
      'Send one JSON object per line, such as {"type":"status"}.',
    );
  }
}

/** One pass without recursion. Brackets inside strings do not count. */
export function isDeeperThan(text: string, maxDepth: number): boolean {
  if (hasFewOpeners(text, maxDepth)) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** Most texts have only a few brackets, and finding those is quicker than looking at each character. */
function hasFewOpeners(text: string, most: number): boolean {
  let found = 0;
  for (const opener of "[{") {
    for (let at = text.indexOf(opener); at !== -1; at = text.indexOf(opener, at + 1)) {
      found += 1;
      if (found > most) return false;
    }
  }
  return true;
}

export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

export function malformed(message: string, next: string): BellhopError {
  return new BellhopError("request.malformed", { message, next });
}
