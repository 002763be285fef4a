/** Plain NATS, which stores nothing, and NATS with JetStream, which stores everything in files. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Carrier, type FanOut, Watched } from "./carrier.ts";
import { NatsClient } from "./nats-client.ts";
import { refuses, Server } from "./server.ts";
import { Turn } from "./wire.ts";

export const startNats = async (command: string): Promise<Carrier> =>
  new Nats("NATS core", await natsServer(command));

export async function startJetStream(command: string): Promise<Carrier> {
  const { what, server } = await jetStreamServer(command);
  return new JetStream(what, server);
}

export const natsServer = (command: string): Promise<Server> =>
  Server.start(command, ({ port }) => ["-a", "127.0.0.1", "-p", String(port)]);

/** Versions before 2.10 cannot sync every message: they sync every two minutes. `scripts/newer-nats.mjs` finds one that can. */
export async function jetStreamServer(
  command: string,
): Promise<{ readonly what: string; readonly server: Server }> {
  let what = "JetStream, sync always";
  const server = await Server.start(command, ({ port, folder }) => {
    const file = join(folder, "nats.conf");
    const write = (sync: string) =>
      writeFileSync(
        file,
        `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(folder)} ${sync} }\n`,
      );
    write(", sync_interval: always");
    if (refuses(command, ["-t", "-c", file])) {
      what = "JetStream, without sync";
      write("");
    }
    return ["-c", file];
  });
  return { what, server };
}

class Nats implements Carrier {
  readonly what: string;
  readonly server: Server;
  readonly clients: NatsClient[] = [];

  constructor(what: string, server: Server) {
    this.what = what;
    this.server = server;
  }

  async client(watched: Watched): Promise<NatsClient> {
    const client = await NatsClient.open(this.server.port, (cause) => watched.events.failed(cause));
    this.clients.push(client);
    return client;
  }

  async open(listeners: number): Promise<FanOut> {
    const watched = new Watched();
    const subject = `bench.${listeners}`;
    for (let index = 0; index < listeners; index += 1) {
      const listener = await this.client(watched);
      listener.subscribe(subject, (body) => watched.events.heard(body.toString()));
      await listener.settled();
    }
    const publisher = await this.client(watched);
    return watched.fanOut(listeners, (body) => {
      publisher.publish(subject, body);
      queueMicrotask(() => watched.events.answered());
    });
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.close();
    await this.server.stop();
  }
}

class JetStream extends Nats {
  override async open(listeners: number): Promise<FanOut> {
    const watched = new Watched();
    const stream = `bench-${listeners}`;
    const subject = `stream.${listeners}`;
    const publisher = await this.client(watched);
    const answers = new Turn<Buffer>();
    const inbox = `_INBOX.bench-${listeners}`;
    publisher.subscribe(inbox, (payload) => {
      if (payload.includes('"error"')) watched.events.failed(new Error(payload.toString()));
      if (!answers.give(payload)) watched.events.answered();
    });
    const ask = async (api: string, request: object): Promise<void> => {
      const answer = answers.next();
      publisher.publish(`$JS.API.${api}`, JSON.stringify(request), inbox);
      const told = (await answer).toString();
      if (told.includes('"error"')) throw new Error(`JetStream says ${told}`);
    };
    await ask(`STREAM.CREATE.${stream}`, { name: stream, subjects: [subject], storage: "file" });
    for (let index = 0; index < listeners; index += 1) {
      const listener = await this.client(watched);
      const deliver = `deliver.${listeners}.${index}`;
      listener.subscribe(deliver, (body) => watched.events.heard(body.toString()));
      await listener.settled();
      const config = { deliver_subject: deliver, ack_policy: "none", deliver_policy: "new" };
      await ask(`CONSUMER.CREATE.${stream}`, { stream_name: stream, config });
    }
    return watched.fanOut(listeners, (body) => publisher.publish(subject, body, inbox));
  }
}
