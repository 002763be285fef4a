/** The same systems through the clients that their users choose. Installed by `npm run bench` beside this file. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Carrier, type FanOut, Watched } from "./carrier.ts";
import { mosquittoServer } from "./mosquitto.ts";
import { jetStreamServer, natsServer } from "./nats.ts";
import { redisServer } from "./redis.ts";
import type { Server } from "./server.ts";

const MOST_ENTRIES = 10_000;
const packages = createRequire(join(dirname(fileURLToPath(import.meta.url)), "official", "package.json"));

/** The publisher and each listener have their own connections. */
class Official<Client> implements Carrier {
  readonly what: string;
  readonly #server: Server;
  readonly #way: Way<Client>;
  readonly #clients: Client[] = [];

  constructor(what: string, server: Server, way: Way<Client>) {
    this.what = what;
    this.#server = server;
    this.#way = way;
  }

  async open(listeners: number): Promise<FanOut> {
    const watched = new Watched();
    const { prepare, listen, publish } = this.#way;
    const name = `bench-${listeners}`;
    const publisher = await this.#connect(`publisher-${listeners}`);
    await prepare?.(publisher, name);
    for (let index = 0; index < listeners; index += 1) {
      const listener = await this.#connect(`listener-${listeners}-${index}`);
      await listen(listener, name, watched);
    }
    return watched.fanOut(listeners, (body) => {
      publish(publisher, name, body).then(
        () => watched.events.answered(),
        (cause: unknown) => watched.events.failed(cause),
      );
    });
  }

  async #connect(id: string): Promise<Client> {
    const client = await this.#way.connect(this.#server.port, id);
    this.#clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await this.#way.end(client);
    await this.#server.stop();
  }
}

interface Way<Client> {
  connect(port: number, id: string): Promise<Client>;
  prepare?(client: Client, name: string): Promise<void>;
  /** Resolves when it listens. */
  listen(client: Client, name: string, watched: Watched): Promise<void>;
  /** Resolves when the system confirms it. */
  publish(client: Client, name: string, body: string): Promise<void>;
  end(client: Client): Promise<void>;
}

interface Nats {
  publish(subject: string, body: string): void;
  subscribe(subject: string, options: { callback(error: Error | null, message: NatsMessage): void }): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}
interface NatsMessage {
  string(): string;
}

const nats: Way<Nats> = {
  connect: (port) => packages("@nats-io/transport-node").connect({ port }),
  listen: async (client, name, watched) => {
    client.subscribe(name, { callback: (_error, message) => watched.events.heard(message.string()) });
    await client.flush();
  },
  // There is no confirmation; the client writes within one tick.
  publish: async (client, name, body) => client.publish(name, body),
  end: (client) => client.close(),
};

interface JetStream {
  publish(subject: string, body: string): Promise<unknown>;
  readonly consumers: {
    get(
      stream: string,
      options: object,
    ): Promise<{ consume(options: { callback(message: NatsMessage): void }): Promise<unknown> }>;
  };
}

const streamsOf = new WeakMap<Nats, JetStream>();
const streams = (client: Nats): JetStream => {
  const known = streamsOf.get(client) ?? packages("@nats-io/jetstream").jetstream(client);
  streamsOf.set(client, known);
  return known;
};

const jetStream: Way<Nats> = {
  ...nats,
  prepare: async (client, name) => {
    const manager = await packages("@nats-io/jetstream").jetstreamManager(client);
    await manager.streams.add({ name, subjects: [`stream.${name}`], storage: "file" });
  },
  listen: async (client, name, watched) => {
    const consumer = await streams(client).consumers.get(name, { deliver_policy: "new" });
    await consumer.consume({ callback: (message) => watched.events.heard(message.string()) });
  },
  publish: async (client, name, body) => void (await streams(client).publish(`stream.${name}`, body)),
};

interface Redis {
  connect(): Promise<unknown>;
  xAdd(stream: string, id: string, entry: object, options: object): Promise<unknown>;
  xRead(
    from: { readonly key: string; readonly id: string },
    options: { readonly BLOCK: number },
  ): Promise<
    | readonly {
        readonly messages: readonly { readonly id: string; readonly message: { readonly body: string } }[];
      }[]
    | null
  >;
  destroy(): void;
}

const redis: Way<Redis> = {
  connect: async (port) => {
    const client: Redis = packages("redis").createClient({ socket: { host: "127.0.0.1", port } });
    await client.connect();
    return client;
  },
  listen: async (client, name, watched) => {
    const read = async (): Promise<void> => {
      for (let id = "0"; ; ) {
        const [stream] = (await client.xRead({ key: name, id }, { BLOCK: 0 })) ?? [];
        for (const entry of stream?.messages ?? []) {
          id = entry.id;
          watched.events.heard(entry.message.body);
        }
      }
    };
    // Ends with its connection.
    void read().catch(() => {});
  },
  publish: async (client, name, body) => {
    const TRIM = { strategy: "MAXLEN", strategyModifier: "~", threshold: MOST_ENTRIES };
    await client.xAdd(name, "*", { body }, { TRIM });
  },
  end: async (client) => client.destroy(),
};

interface Mqtt {
  subscribeAsync(topic: string, options: object): Promise<unknown>;
  on(event: "message", listener: (topic: string, body: Buffer) => void): void;
  publishAsync(topic: string, body: string, options: object): Promise<unknown>;
  endAsync(force: boolean): Promise<void>;
}

const mqtt: Way<Mqtt> = {
  connect: (port, clientId) =>
    packages("mqtt").connectAsync(`mqtt://127.0.0.1:${port}`, { clientId, clean: false, keepalive: 0 }),
  listen: async (client, name, watched) => {
    client.on("message", (_topic, body) => watched.events.heard(body.toString()));
    await client.subscribeAsync(name, { qos: 1 });
  },
  publish: async (client, name, body) => void (await client.publishAsync(name, body, { qos: 1 })),
  end: (client) => client.endAsync(true),
};

export const startOfficialNats = async (command: string): Promise<Carrier> =>
  new Official("NATS core", await natsServer(command), nats);

export const startOfficialJetStream = async (command: string): Promise<Carrier> => {
  const { what, server } = await jetStreamServer(command);
  return new Official(what, server, jetStream);
};

export const startOfficialRedis = async (command: string): Promise<Carrier> =>
  new Official("Redis streams, fsync always", await redisServer(command), redis);

export const startOfficialMosquitto = async (command: string): Promise<Carrier> =>
  new Official("mosquitto, QoS 1", await mosquittoServer(command), mqtt);
