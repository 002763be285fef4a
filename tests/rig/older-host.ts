import { rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { recordPath } from "../../src/terminals/pty/records.ts";
import type { HostHello, HostRecord, HostWelcome } from "../../src/wire/host/host.ts";

/**
 * A real host as one of the release before live copies: it does not know viewers from afar, neither when they say hello
 * nor when it welcomes them. The host's record names this socket, so everybody comes through it.
 */
export class OlderHost {
  readonly #server: Server;
  readonly #socket: string;
  readonly #connections = new Set<Socket>();
  /** How often a viewer has come. */
  viewers = 0;

  private constructor(server: Server, socket: string) {
    this.#server = server;
    this.#socket = socket;
  }

  /** While no daemon runs. */
  static async of(record: HostRecord, hostsFolder: string): Promise<OlderHost> {
    const socket = `${record.socket}-old`;
    const server = createServer();
    const older = new OlderHost(server, socket);
    server.on("connection", (client) => older.#pass(client, record.socket));
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    writeFileSync(recordPath(hostsFolder, record.sessionId), JSON.stringify({ ...record, socket }));
    return older;
  }

  #pass(client: Socket, path: string): void {
    const host = connect(path);
    for (const one of [client, host]) {
      this.#connections.add(one);
      one.on("error", () => {});
    }
    client.on("close", () => host.destroy());
    host.on("close", () => client.destroy());
    changingFirstLine<HostHello>(client, host, ({ from: _, ...hello }) => {
      if (hello.type === "attach") this.viewers += 1;
      return hello;
    });
    changingFirstLine<HostWelcome>(host, client, (welcome) => {
      if (!welcome.ok) return welcome;
      const { afar: _, ...known } = welcome;
      return known;
    });
  }

  close(): void {
    for (const one of this.#connections) one.destroy();
    this.#server.close();
    rmSync(this.#socket, { force: true });
  }
}

function changingFirstLine<Line>(from: Socket, to: Socket, change: (line: Line) => object): void {
  let head: Buffer | undefined = Buffer.alloc(0);
  from.on("data", (chunk: Buffer) => {
    if (head === undefined) {
      to.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(0x0a);
    if (end === -1) return;
    const line = JSON.parse(head.subarray(0, end).toString("utf8")) as Line;
    to.write(`${JSON.stringify(change(line))}\n`);
    to.write(head.subarray(end + 1));
    head = undefined;
  });
}
