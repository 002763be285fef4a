/** The least that any durable broker on Node could cost: `rig/floor-server.mjs`, with Bellhop's protocol and tables. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { type Carrier, type FanOut, Watched } from "./carrier.ts";
import { Server } from "./server.ts";
import { WebSocketClient } from "./websocket.ts";
import { Turn } from "./wire.ts";

const PROGRAM = fileURLToPath(new URL("../floor-server.mjs", import.meta.url));

export class Floor {
  /** One delivery for each message, as for one mailbox. */
  readonly mailbox: Carrier;
  /** One for each listener, as for an agent each. */
  readonly agents: Carrier;
  readonly #server: Server;
  readonly #lines: WebSocketClient[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.mailbox = this.#carrier("bare Node server, same bytes", "one-mailbox", () => "");
    this.agents = this.#carrier("bare Node server, a row each", "agent-each", (index) => `-${index}`);
  }

  static async start(): Promise<Floor> {
    const server = await Server.start(process.execPath, async ({ port, folder }) => {
      const path = join(folder, "floor.db");
      await (await openStore({ path })).close();
      return [PROGRAM, String(port), path];
    });
    return new Floor(server);
  }

  #carrier(what: string, name: string, suffix: (index: number) => string): Carrier {
    const open = async (listeners: number): Promise<FanOut> => {
      const watched = new Watched();
      const path = `bench/${name}/${listeners}`;
      for (let index = 0; index < listeners; index += 1) {
        const ready = new Turn<void>();
        const line = await this.#line(watched, (text) => {
          if (!ready.give()) watched.events.heard(JSON.parse(text).message.body);
        });
        const isReady = ready.next();
        line.send(
          JSON.stringify({ type: "msg.listen", path, agentId: `${name}-${listeners}${suffix(index)}` }),
        );
        await isReady;
      }
      const publisher = await this.#line(watched, (text) => {
        JSON.parse(text);
        watched.events.answered();
      });
      let asked = 0;
      return watched.fanOut(listeners, (body) => {
        asked += 1;
        publisher.send(JSON.stringify({ type: "msg.route", reqId: asked, path, body }));
      });
    };
    return { what, open, close: async () => {} };
  }

  async #line(watched: Watched, heard: (text: string) => void): Promise<WebSocketClient> {
    const target = { port: this.#server.port, path: "/", token: "none" };
    const line = await WebSocketClient.open(target, heard, (cause) => watched.events.failed(cause));
    this.#lines.push(line);
    return line;
  }

  async close(): Promise<void> {
    for (const line of this.#lines) line.close();
    await this.#server.stop();
  }
}
