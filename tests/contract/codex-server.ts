/** A stand-in for Codex's shared server: WebSocket on a Unix socket, with answers that the test chooses. */
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { dirname } from "node:path";
import type { Duplex } from "node:stream";

export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | "silence"
  | "hang-up";

export interface CodexServer {
  readonly calls: { readonly method: string; readonly params: unknown }[];
  /** Every later answer comes in frames of this many bytes, with pings in between. */
  fragment(bytes: number): void;
  close(): Promise<void>;
}

export async function startCodexServer(
  socketPath: string,
  answer: (method: string, params: Record<string, unknown>) => Answer,
): Promise<CodexServer> {
  mkdirSync(dirname(socketPath), { recursive: true });
  const calls: { method: string; params: unknown }[] = [];
  const sockets = new Set<Duplex>();
  let frameBytes = Number.POSITIVE_INFINITY;
  const server = createServer((_, response) => response.writeHead(400).end());
  server.on("upgrade", (request, socket) => {
    sockets.add(socket);
    socket.on("error", () => "the client is gone");
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    const tell = (value: unknown) => {
      for (const frame of framesOf(JSON.stringify(value), frameBytes)) socket.write(frame);
    };
    tell({ method: "configWarning", params: { summary: "not for us" } });
    readFrames(socket, (text) => {
      const { id, method, params } = JSON.parse(text);
      if (id === undefined) return;
      calls.push({ method, params });
      const said = method === "initialize" ? { result: { codexHome: "/x" } } : answer(method, params);
      if (said === "hang-up") socket.destroy();
      else if (said !== "silence") tell({ id, ...said });
    });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    calls,
    fragment: (bytes) => {
      frameBytes = bytes;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function framesOf(text: string, most: number): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const size = Math.min(most, Math.max(1, bytes.length));
  const count = Math.max(1, Math.ceil(bytes.length / size));
  const frames = Array.from({ length: count }, (_, at) => {
    const payload = bytes.subarray(at * size, (at + 1) * size);
    return frameOf((at === count - 1 ? 0x80 : 0) | (at === 0 ? 1 : 0), payload);
  });
  return count === 1 ? frames : frames.flatMap((frame) => [frame, frameOf(0x89, Buffer.from("ping"))]);
}

function frameOf(first: number, payload: Buffer): Buffer {
  const size = payload.length;
  const head = Buffer.alloc(size < 126 ? 2 : size < 65_536 ? 4 : 10);
  head.writeUInt8(first, 0);
  head.writeUInt8(size < 126 ? size : size < 65_536 ? 126 : 127, 1);
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, payload]);
}

function readFrames(socket: Duplex, onText: (text: string) => void): void {
  let buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      if (buffer.length < 2) return;
      const short = buffer.readUInt8(1) & 0x7f;
      const start = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (buffer.length < start + 4) return;
      const size =
        short < 126 ? short : short === 126 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
      if (buffer.length < start + 4 + size) return;
      if ((buffer.readUInt8(1) & 0x80) === 0) throw new Error("a client must mask its frames");
      const mask = buffer.subarray(start, start + 4);
      const payload = Buffer.from(buffer.subarray(start + 4, start + 4 + size));
      for (let at = 0; at < size; at += 1) payload[at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
      const opcode = buffer.readUInt8(0) & 0x0f;
      buffer = buffer.subarray(start + 4 + size);
      if (opcode === 1) onText(payload.toString("utf8"));
    }
  });
}
