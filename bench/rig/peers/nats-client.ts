/** As much of the NATS text protocol as a publisher and a listener need. */
import { Turn, Wire } from "./wire.ts";

const END = "\r\n";
const LETTER_M = 0x4d;
const LETTER_P = 0x50;
const MINUS = 0x2d;

export class NatsClient {
  readonly #wire: Wire;
  readonly #pongs = new Turn<void>();
  readonly #handlers: ((payload: Buffer) => void)[] = [];

  private constructor(wire: Wire, failed: (cause: unknown) => void) {
    this.#wire = wire;
    wire.listen(
      (bytes, at) => this.#read(bytes, at),
      (cause) => {
        this.#pongs.fail(cause);
        failed(cause);
      },
    );
  }

  static async open(port: number, failed: (cause: unknown) => void): Promise<NatsClient> {
    const client = new NatsClient(await Wire.open({ port }), failed);
    client.#wire.write(`CONNECT {"verbose":false,"pedantic":false}${END}`);
    await client.settled();
    return client;
  }

  /** Waits until the server has processed everything sent so far. */
  async settled(): Promise<void> {
    const pong = this.#pongs.next();
    this.#wire.write(`PING${END}`);
    await pong;
  }

  subscribe(subject: string, heard: (payload: Buffer) => void): void {
    this.#handlers.push(heard);
    this.#wire.write(`SUB ${subject} ${this.#handlers.length - 1}${END}`);
  }

  publish(subject: string, body: string, reply = ""): void {
    this.#wire.write(`PUB ${subject} ${reply} ${Buffer.byteLength(body)}${END}${body}${END}`);
  }

  close(): void {
    this.#wire.close();
  }

  #read(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(END, at);
    if (end < 0) return -1;
    if (bytes[at] === LETTER_M)
      return this.#message(bytes, bytes.toString("latin1", at, end), end + END.length);
    if (bytes[at] === MINUS) throw new Error(`nats-server says ${bytes.toString("latin1", at, end)}`);
    if (bytes[at] === LETTER_P) {
      if (bytes[at + 1] === 0x49) this.#wire.write(`PONG${END}`);
      else this.#pongs.give();
    }
    return end + END.length;
  }

  /** `MSG subject sid [reply] size`, then as many bytes. */
  #message(bytes: Buffer, line: string, from: number): number {
    const words = line.split(" ");
    const size = Number(words.at(-1));
    const next = from + size + END.length;
    if (next > bytes.length) return -1;
    this.#handlers[Number(words[2])]?.(bytes.subarray(from, from + size));
    return next;
  }
}
