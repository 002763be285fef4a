/** The part of RFC 6455 that a client needs if its server neither compresses nor fragments its frames. */
import { randomBytes } from "node:crypto";
import { Turn, Wire } from "./wire.ts";

const END_OF_HEAD = "\r\n\r\n";
const TEXT = 0x81;
const PING = 0x89;
const PONG = 0x8a;
const MASKED = 0x80;

export class WebSocketClient {
  readonly #wire: Wire;
  readonly #heard: (text: string) => void;

  private constructor(wire: Wire, heard: (text: string) => void) {
    this.#wire = wire;
    this.#heard = heard;
  }

  static async open(
    target: { readonly port: number; readonly path: string; readonly token: string },
    heard: (text: string) => void,
    failed: (cause: unknown) => void,
  ): Promise<WebSocketClient> {
    const wire = await Wire.open({ port: target.port });
    const client = new WebSocketClient(wire, heard);
    const upgraded = new Turn<void>();
    let isOpen = false;
    wire.listen(
      (bytes, at) => {
        if (isOpen) return client.#frame(bytes, at);
        const end = bytes.indexOf(END_OF_HEAD, at);
        if (end < 0) return -1;
        const head = bytes.toString("latin1", at, end);
        if (!head.startsWith("HTTP/1.1 101 ")) throw new Error(`no WebSocket: ${head}`);
        isOpen = true;
        upgraded.give();
        return end + END_OF_HEAD.length;
      },
      (cause) => {
        upgraded.fail(cause);
        failed(cause);
      },
    );
    const open = upgraded.next();
    wire.write(
      [
        `GET ${target.path} HTTP/1.1`,
        `Host: 127.0.0.1:${target.port}`,
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
        `Authorization: Bearer ${target.token}${END_OF_HEAD}`,
      ].join("\r\n"),
    );
    await open;
    return client;
  }

  send(text: string): void {
    this.#wire.write(maskedFrame(TEXT, Buffer.from(text)));
  }

  close(): void {
    this.#wire.close();
  }

  #frame(bytes: Buffer, at: number): number {
    let length = bytes[at + 1];
    let from = at + 2;
    if (length === undefined) return -1;
    if (length === 126) {
      if (from + 2 > bytes.length) return -1;
      length = bytes.readUInt16BE(from);
      from += 2;
    } else if (length === 127) throw new Error("a frame of more than 64 KiB");
    const next = from + length;
    if (next > bytes.length) return -1;
    if (bytes[at] === TEXT) this.#heard(bytes.toString("utf8", from, next));
    else if (bytes[at] === PING) this.#wire.write(maskedFrame(PONG, bytes.subarray(from, next)));
    else throw new Error("a frame that was not expected");
    return next;
  }
}

/** A client must mask what it sends; a mask of zeros changes nothing. */
function maskedFrame(kind: number, content: Buffer): Buffer {
  const isShort = content.length < 126;
  const frame = Buffer.alloc((isShort ? 6 : 8) + content.length);
  frame[0] = kind;
  frame[1] = MASKED | (isShort ? content.length : 126);
  if (!isShort) frame.writeUInt16BE(content.length, 2);
  content.copy(frame, frame.length - content.length);
  return frame;
}
