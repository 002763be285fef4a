/** Answers on a bare socket, where no HTTP server speaks for us: none yet, or none any more. */
import type { Socket } from "node:net";
import type { BellhopError, ErrorDetail } from "../../core/errors.ts";

export const JSON_TYPE = "application/json; charset=utf-8";

/** How long a caller may take to read that it is not served. */
const FAREWELL_MS = 1_000;

export function errorBody(error: BellhopError): { readonly error: ErrorDetail } {
  return { error: error.toDetail() };
}

/** `status` with its words: `404 Not Found`. */
export function lastAnswer(
  status: string,
  error: BellhopError,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = JSON.stringify(errorBody(error));
  const lines = Object.entries({
    Connection: "close",
    "Content-Type": JSON_TYPE,
    "Content-Length": String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${text}`;
}

/** For a caller of whom nothing was read yet. */
export function turnAway(socket: Socket, error: BellhopError): void {
  // A connection that is closed with unread bytes is reset, and the answer may be lost.
  socket.resume();
  socket.end(lastAnswer("500 Internal Server Error", error));
  socket.setTimeout(FAREWELL_MS, () => socket.destroy());
}
