/** Redis streams, synced at every write: XADD, and every listener in a blocking XREAD behind what it read last. */
import { type Carrier, type FanOut, Watched } from "./carrier.ts";
import { Server } from "./server.ts";
import { Wire } from "./wire.ts";

const END = "\r\n";
/** Roughly how many entries are kept: the bench does not need what was read. */
const MOST_ENTRIES = "10000";

type Reply = string | number | null | readonly Reply[];
/** Entries of one stream: id and its fields. */
type Read = readonly [readonly [stream: string, entries: readonly (readonly [string, readonly string[]])[]]];

export const startRedis = async (command: string): Promise<Carrier> => new Redis(await redisServer(command));

export const redisServer = (command: string): Promise<Server> =>
  Server.start(command, ({ port, folder }) => [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""],
    ...["--appendonly", "yes", "--appendfsync", "always"],
  ]);

class Redis implements Carrier {
  readonly what = "Redis streams, fsync always";
  readonly #server: Server;
  readonly #wires: Wire[] = [];

  constructor(server: Server) {
    this.#server = server;
  }

  async open(listeners: number): Promise<FanOut> {
    const watched = new Watched();
    const stream = `bench-${listeners}`;
    for (let index = 0; index < listeners; index += 1) {
      const read = (after: string) =>
        listener.write(command("XREAD", "BLOCK", "0", "STREAMS", stream, after));
      const listener = await this.#client(watched, (reply) => {
        const [[, entries]] = reply as Read;
        read(entries.at(-1)?.[0] ?? "0");
        for (const [, [, body = ""]] of entries) watched.events.heard(body);
      });
      read("0");
    }
    const publisher = await this.#client(watched, () => watched.events.answered());
    return watched.fanOut(listeners, (body) =>
      publisher.write(command("XADD", stream, "MAXLEN", "~", MOST_ENTRIES, "*", "body", body)),
    );
  }

  async #client(watched: Watched, told: (reply: Reply) => void): Promise<Wire> {
    const wire = await Wire.open({ port: this.#server.port });
    this.#wires.push(wire);
    wire.listen(
      (bytes, at) => {
        const reader = new ReplyReader(bytes, at);
        const reply = reader.read();
        if (reply === undefined) return -1;
        told(reply);
        return reader.at;
      },
      (cause) => watched.events.failed(cause),
    );
    return wire;
  }

  async close(): Promise<void> {
    for (const wire of this.#wires) wire.close();
    await this.#server.stop();
  }
}

function command(...words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}${END}${word}${END}`);
  return `*${words.length}${END}${parts.join("")}`;
}

class ReplyReader {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Undefined: it is not all there yet. */
  read(): Reply | undefined {
    const end = this.#bytes.indexOf(END, this.at);
    if (end < 0) return undefined;
    const kind = this.#bytes[this.at];
    const line = this.#bytes.toString("latin1", this.at + 1, end);
    this.at = end + END.length;
    switch (kind) {
      case 0x2b:
        return line;
      case 0x3a:
        return Number(line);
      case 0x24:
        return Number(line) < 0 ? null : this.#text(Number(line));
      case 0x2a:
        return Number(line) < 0 ? null : this.#list(Number(line));
      default:
        throw new Error(`Redis says ${line}`);
    }
  }

  #text(length: number): string | undefined {
    const from = this.at;
    this.at += length + END.length;
    return this.at > this.#bytes.length ? undefined : this.#bytes.toString("utf8", from, from + length);
  }

  #list(length: number): readonly Reply[] | undefined {
    const replies: Reply[] = [];
    while (replies.length < length) {
      const reply = this.read();
      if (reply === undefined) return undefined;
      replies.push(reply);
    }
    return replies;
  }
}
