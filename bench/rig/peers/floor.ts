/** The least that any durable broker on Node could cost: `rig/floor-server.mjs`, with Bellhop's protocols and tables. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { type Carrier, type FanOut, Watched } from "./carrier.ts";
import { Server } from "./server.ts";
import { WebSocketClient } from "./websocket.ts";
import { Turn, Wire } from "./wire.ts";

const NEWLINE = 0x0a;
/** Of a push. */
const BODY = 4;
const PROGRAM = fileURLToPath(new URL("../floor-server.mjs", import.meta.url));

export class Floor {
  /** One delivery for each message, as for one mailbox. */
  readonly mailbox: Carrier;
  /** One for each listener, as for an agent each. */
  readonly agents: Carrier;
  /** Over the Unix socket, with the lines of the client library. */
  readonly library: Carrier;
  readonly #server: Server;
  readonly #socketPath: string;
  readonly #lines: { close(): void }[] = [];

  private constructor(server: Server, socketPath: string) {
    this.#server = server;
    this.#socketPath = socketPath;
    this.mailbox = this.#carrier("bare Node server, same bytes", "one-mailbox", () => "");
    this.agents = this.#carrier("bare Node server, a row each", "agent-each", (index) => `-${index}`);
    this.library = {
      what: "bare Node server and client, same lines",
      open: (listeners) => this.#overUnixSocket(listeners),
      close: async () => {},
    };
  }

  static async start(): Promise<Floor> {
    let socketPath = "";
    const server = await Server.start(process.execPath, async ({ port, folder }) => {
      const path = join(folder, "floor.db");
      socketPath = join(folder, "floor.sock");
      await (await openStore({ path })).close();
      return [PROGRAM, String(port), path, socketPath];
    });
    return new Floor(server, socketPath);
  }

  #carrier(what: string, name: string, suffix: (index: number) => string): Carrier {
    const open = async (listeners: number): Promise<FanOut> => {
      const watched = new Watched();
      const path = `bench/${name}/${listeners}`;
      for (let index = 0; index < listeners; index += 1) {
        const ready = new Turn<void>();
        const line = await this.#line(watched, (text) => {
          if (!ready.give()) watched.events.heard(JSON.parse(text).brief[BODY]);
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

  async #overUnixSocket(listeners: number): Promise<FanOut> {
    const watched = new Watched();
    const path = `bench/library/${listeners}`;
    for (let index = 0; index < listeners; index += 1) {
      const ready = new Turn<void>();
      const line = await this.#unixLine(watched, (text) => {
        if (!ready.give()) watched.events.heard(JSON.parse(text).brief[BODY]);
      });
      const isReady = ready.next();
      line.write(`${JSON.stringify({ type: "listen", req_id: 1, path, agentId: `library-${listeners}` })}\n`);
      await isReady;
    }
    const publisher = await this.#unixLine(watched, (text) => {
      JSON.parse(text);
      watched.events.answered();
    });
    const program = randomUUID();
    const claims = { user: "bench", pid: process.pid };
    let asked = 0;
    return watched.fanOut(listeners, (body) => {
      asked += 1;
      const said = { path, body, idempotency_key: `${program}-${asked.toString(36).padStart(7, "0")}` };
      const request = { type: "route", req_id: asked, version: "0.1.0", brief: true, claims, ...said };
      publisher.write(`${JSON.stringify(request)}\n`);
    });
  }

  async #unixLine(watched: Watched, heard: (text: string) => void): Promise<Wire> {
    const wire = await Wire.open({ path: this.#socketPath });
    wire.listen(
      (bytes, at) => {
        const end = bytes.indexOf(NEWLINE, at);
        if (end < 0) return -1;
        heard(bytes.toString("utf8", at, end));
        return end + 1;
      },
      (cause) => watched.events.failed(cause),
    );
    this.#lines.push(wire);
    return wire;
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
