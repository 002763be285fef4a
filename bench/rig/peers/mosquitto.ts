/** MQTT 3.1.1 at QoS 1: the publisher is answered, every listener answers, sessions outlive their connections. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Carrier, type FanOut, Watched } from "./carrier.ts";
import { Server } from "./server.ts";
import { Turn, Wire } from "./wire.ts";

const CONNECT = 0x10;
const CONNECTED = 2;
const PUBLISH_QOS_1 = 0x32;
const PUBLISH = 3;
const PUBLISHED = 4;
const PUBLISHED_HEAD = 0x40;
const SUBSCRIBE = 0x82;
const SUBSCRIBED = 9;
const QOS_1 = 1;
/** Ids are two bytes, and none is zero. */
const MOST_IDS = 0xffff;

export const startMosquitto = async (command: string): Promise<Carrier> =>
  new Mosquitto(await mosquittoServer(command));

export function mosquittoServer(command: string): Promise<Server> {
  return Server.start(command, ({ port, folder }) => {
    const file = join(folder, "mosquitto.conf");
    // As many in flight as the bench has, and only for the user who runs it.
    writeFileSync(
      file,
      `listener ${port} 127.0.0.1
allow_anonymous true
user root
persistence true
persistence_location ${folder}/
max_inflight_messages 0
max_queued_messages 0
set_tcp_nodelay true
`,
    );
    return ["-c", file];
  });
}

class Mosquitto implements Carrier {
  readonly what = "mosquitto, QoS 1";
  readonly #server: Server;
  readonly #clients: MqttClient[] = [];

  constructor(server: Server) {
    this.#server = server;
  }

  async open(listeners: number): Promise<FanOut> {
    const watched = new Watched();
    const topic = `bench/${listeners}`;
    for (let index = 0; index < listeners; index += 1) {
      const listener = await this.#client(`listener-${listeners}-${index}`, watched);
      await listener.subscribe(topic);
    }
    const publisher = await this.#client(`publisher-${listeners}`, watched);
    return watched.fanOut(listeners, (body) => publisher.publish(topic, body));
  }

  async #client(name: string, watched: Watched): Promise<MqttClient> {
    const client = await MqttClient.open(this.#server.port, name, watched);
    this.#clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.#server.stop();
  }
}

class MqttClient {
  readonly #wire: Wire;
  readonly #watched: Watched;
  readonly #answers = new Turn<void>();
  #published = 0;

  private constructor(wire: Wire, watched: Watched) {
    this.#wire = wire;
    this.#watched = watched;
    wire.listen(
      (bytes, at) => this.#read(bytes, at),
      (cause) => {
        this.#answers.fail(cause);
        watched.events.failed(cause);
      },
    );
  }

  static async open(port: number, name: string, watched: Watched): Promise<MqttClient> {
    const client = new MqttClient(await Wire.open({ port }), watched);
    // Level 4, a session that stays, no keep-alive.
    const head = Buffer.from([4, 0, 0, 0]);
    const answer = client.#answers.next();
    client.#wire.write(packet(CONNECT, Buffer.concat([text("MQTT"), head, text(name)])));
    await answer;
    return client;
  }

  async subscribe(topic: string): Promise<void> {
    const answer = this.#answers.next();
    this.#wire.write(packet(SUBSCRIBE, Buffer.concat([idBytes(1), text(topic), Buffer.from([QOS_1])])));
    await answer;
  }

  publish(topic: string, body: string): void {
    this.#published += 1;
    const id = idBytes((this.#published % MOST_IDS) + 1);
    this.#wire.write(packet(PUBLISH_QOS_1, Buffer.concat([text(topic), id, Buffer.from(body)])));
  }

  close(): void {
    this.#wire.close();
  }

  #read(bytes: Buffer, at: number): number {
    let length = 0;
    let from = at + 1;
    for (let shift = 0; ; shift += 7, from += 1) {
      const byte = bytes[from];
      if (byte === undefined) return -1;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    from += 1;
    if (from + length > bytes.length) return -1;
    const kind = (bytes[at] ?? 0) >> 4;
    if (kind === PUBLISH) {
      const id = from + 2 + bytes.readUInt16BE(from);
      this.#wire.write(Buffer.from([PUBLISHED_HEAD, 2, bytes[id] ?? 0, bytes[id + 1] ?? 0]));
      this.#watched.events.heard(bytes.toString("utf8", id + 2, from + length));
    } else if (kind === PUBLISHED) this.#watched.events.answered();
    else if (kind === CONNECTED || kind === SUBSCRIBED) this.#answers.give();
    return from + length;
  }
}

function packet(head: number, content: Buffer): Buffer {
  const length: number[] = [];
  for (let left = content.length; ; left >>= 7) {
    length.push(left > 0x7f ? (left & 0x7f) | 0x80 : left);
    if (left <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([head, ...length]), content]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([idBytes(bytes.length), bytes]);
}

function idBytes(id: number): Buffer {
  return Buffer.from([id >> 8, id & 0xff]);
}
