/** The least that any durable broker on Node could cost: `rig/floor-server.mjs`, with the tables of Bellhop's store. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { type Carrier, type FanOut, Watched } from "./carrier.ts";
import { Server } from "./server.ts";
import { Turn, Wire } from "./wire.ts";

const PROGRAM = fileURLToPath(new URL("../floor-server.mjs", import.meta.url));
const HEAD = 4;

export class Floor {
  /** One delivery for each message, as for one mailbox. */
  readonly mailbox: Carrier;
  /** One for each listener, as for an agent each. */
  readonly agents: Carrier;
  readonly #server: Server;
  readonly #wires: Wire[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.mailbox = this.#carrier("bare Node server", "mailbox", () => 1);
    this.agents = this.#carrier("bare Node server, a row each", "agents", (listeners) => listeners);
  }

  static async start(): Promise<Floor> {
    const server = await Server.start(process.execPath, async ({ port, folder }) => {
      const path = join(folder, "floor.db");
      await (await openStore({ path })).close();
      return [PROGRAM, String(port), path];
    });
    return new Floor(server);
  }

  #carrier(what: string, name: string, deliveries: (listeners: number) => number): Carrier {
    const open = async (listeners: number): Promise<FanOut> => {
      const watched = new Watched();
      const stream = `${name}-${listeners}`;
      for (let index = 0; index < listeners; index += 1)
        await this.#wire(watched, `listen ${stream}`, (body) => watched.events.heard(body));
      const hello = `publish ${stream} ${deliveries(listeners)}`;
      const publisher = await this.#wire(watched, hello, () => watched.events.answered());
      return watched.fanOut(listeners, (body) => publisher.write(frameOf(body)));
    };
    return { what, open, close: async () => {} };
  }

  async #wire(watched: Watched, hello: string, told: (body: string) => void): Promise<Wire> {
    const wire = await Wire.open({ port: this.#server.port });
    this.#wires.push(wire);
    const ready = new Turn<void>();
    const read = (bytes: Buffer, at: number): number => {
      if (bytes.length - at < HEAD) return -1;
      const next = at + HEAD + bytes.readUInt32BE(at);
      if (next > bytes.length) return -1;
      if (!ready.give()) told(bytes.toString("utf8", at + HEAD, next));
      return next;
    };
    wire.listen(read, (cause) => watched.events.failed(cause));
    const isReady = ready.next();
    wire.write(frameOf(hello));
    await isReady;
    return wire;
  }

  async close(): Promise<void> {
    for (const wire of this.#wires) wire.close();
    await this.#server.stop();
  }
}

function frameOf(body: string): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + Buffer.byteLength(body));
  frame.writeUInt32BE(frame.length - HEAD);
  frame.write(body, HEAD);
  return frame;
}
