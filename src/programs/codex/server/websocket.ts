/** A WebSocket over a Unix socket, as far as Codex's own server needs one: text both ways, nothing negotiated. */
import { createHash, randomBytes } from "node:crypto";
import { createConnection, type Socket } from "node:net";
import type { Link } from "./link.ts";

const ACCEPT_KEY = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const LONGEST_HEAD = 16 * 1024;
/** What the server itself allows in one message. */
export const LONGEST_MESSAGE = 16 * 1024 * 1024;
/** Of our own frames and answers to its pings that it has not read. */
const LONGEST_BACKLOG = 4 * 1024 * 1024;

const TEXT = 0x1;
const CONTINUATION = 0x0;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;

/** Rejects when the socket is not there, does not answer as a WebSocket, or the signal is aborted. */
export async function openWebSocket(path: string, signal: AbortSignal): Promise<Link> {
  signal.throwIfAborted();
  const socket = createConnection(path);
  const abort = () => void socket.destroy(new Error("it took too long"));
  signal.addEventListener("abort", abort, { once: true });
  try {
    const rest = await shakeHands(socket);
    return new WebSocketLink(socket, rest);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function shakeHands(socket: Socket): Promise<Buffer> {
  const key = randomBytes(16).toString("base64");
  const expected = createHash("sha1")
    .update(key + ACCEPT_KEY)
    .digest("base64");
  const head = ["GET / HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade"];
  socket.write([...head, `Sec-WebSocket-Key: ${key}`, "Sec-WebSocket-Version: 13", "", ""].join("\r\n"));
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const settle = (finish: () => void) => {
      socket.removeAllListeners();
      finish();
    };
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf("\r\n\r\n");
      if (end === -1 && received.length <= LONGEST_HEAD) return;
      const lines = received.subarray(0, Math.max(end, 0)).toString("latin1").split("\r\n");
      const accept = lines.map((line) => /^sec-websocket-accept:\s*(.*?)\s*$/i.exec(line)?.[1]).find(Boolean);
      const agreed = /^HTTP\/1\.1 101 /.test(lines[0] ?? "") && accept === expected;
      settle(() =>
        agreed ? resolve(received.subarray(end + 4)) : reject(new Error("it speaks no WebSocket")),
      );
    });
    socket.on("error", (error) => settle(() => reject(error)));
    socket.on("close", () => settle(() => reject(new Error("it closed the connection"))));
  });
}

class WebSocketLink implements Link {
  readonly #socket: Socket;
  #buffer: Buffer;
  #message: Buffer[] = [];
  #messageBytes = 0;
  #receive: ((text: string) => void) | undefined;
  #lost: ((error: Error) => void) | undefined;

  constructor(socket: Socket, rest: Buffer) {
    this.#socket = socket;
    this.#buffer = rest;
    // Without a listener of its own, an error before `listen` would end the daemon.
    socket.on("error", () => "told to whoever listens");
  }

  listen(receive: (text: string) => void, lost: (error: Error) => void): void {
    this.#receive = receive;
    this.#lost = lost;
    this.#socket.on("data", (chunk) => {
      this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
      this.#takeFrames();
    });
    this.#socket.on("error", lost);
    this.#socket.on("close", () => lost(new Error("it closed the connection")));
    this.#takeFrames();
  }

  send(text: string): void {
    this.#socket.write(frame(TEXT, Buffer.from(text, "utf8")));
  }

  close(): void {
    this.#socket.removeAllListeners("data");
    this.#socket.end(frame(CLOSE, Buffer.alloc(0)));
    this.#socket.destroySoon();
  }

  #takeFrames(): void {
    for (;;) {
      const taken = readFrame(this.#buffer);
      if (taken === "incomplete") return;
      if (taken === "too-large") {
        this.#lost?.(new Error("it sent too much"));
        this.#socket.destroy();
        return;
      }
      this.#buffer = this.#buffer.subarray(taken.length);
      this.#take(taken);
      if (this.#messageBytes > LONGEST_MESSAGE || this.#socket.writableLength > LONGEST_BACKLOG) {
        this.#lost?.(new Error("it sent too much"));
        this.#socket.destroy();
        return;
      }
    }
  }

  #take({ opcode, final, payload }: Frame): void {
    if (opcode === PING) this.#socket.write(frame(PONG, payload));
    if (opcode !== TEXT && opcode !== CONTINUATION) return;
    this.#message.push(payload);
    // A piece of nothing is kept as well.
    this.#messageBytes += payload.length + 1;
    if (!final) return;
    const text = Buffer.concat(this.#message).toString("utf8");
    this.#message = [];
    this.#messageBytes = 0;
    this.#receive?.(text);
  }
}

interface Frame {
  readonly opcode: number;
  readonly final: boolean;
  readonly payload: Buffer;
  /** Of the whole frame. */
  readonly length: number;
}

function readFrame(buffer: Buffer): Frame | "incomplete" | "too-large" {
  if (buffer.length < 2) return "incomplete";
  const first = buffer.readUInt8(0);
  const short = buffer.readUInt8(1) & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (buffer.length < start) return "incomplete";
  const size =
    short < 126 ? short : short === 126 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
  if (size > LONGEST_MESSAGE) return "too-large";
  if (buffer.length < start + size) return "incomplete";
  return {
    opcode: first & 0x0f,
    final: (first & 0x80) !== 0,
    payload: buffer.subarray(start, start + size),
    length: start + size,
  };
}

/** A client's frames are masked. */
function frame(opcode: number, payload: Buffer): Buffer {
  const size = payload.length;
  const head = Buffer.alloc(size < 126 ? 2 : size < 65_536 ? 4 : 10);
  head.writeUInt8(0x80 | opcode, 0);
  head.writeUInt8(0x80 | (size < 126 ? size : size < 65_536 ? 126 : 127), 1);
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  const mask = randomBytes(4);
  const masked = Buffer.from(payload);
  for (let at = 0; at < size; at += 1) masked[at] = (masked[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return Buffer.concat([head, mask, masked]);
}
