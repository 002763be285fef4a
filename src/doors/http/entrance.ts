/**
 * A listening socket whose protocol is loaded with its first connection: a daemon that nobody calls over HTTP holds no
 * HTTP server. Whoever connects meanwhile waits, unread, in the order of arrival.
 */
import type { Server as HttpServer, IncomingMessage } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { watchUnauthenticated } from "../auth/unauthenticated-sockets.ts";

export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface Inside {
  /** It does not listen: it gets its connections from the entrance. */
  readonly server: HttpServer;
  close(): Promise<void>;
}

export interface EntranceOptions {
  /** Called once; after a failure again with the next connection. */
  open(): Promise<Inside>;
  /** Tells a caller that waited in vain. */
  refuse(socket: Socket, cause: unknown): void;
  readonly limits: { readonly connections: number; readonly strangers: number };
}

export class Entrance {
  readonly server: Server;
  readonly strangers: ReturnType<typeof watchUnauthenticated>;
  readonly #options: EntranceOptions;
  #waiting: Socket[] = [];
  #opening: Promise<void> | undefined;
  #inside: Inside | undefined;
  readonly #upgrades: Upgrade[] = [];

  constructor(options: EntranceOptions) {
    this.#options = options;
    // As Node's server for HTTP does it, except that nothing is read before somebody is there to read it.
    this.server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
    this.server.maxConnections = options.limits.connections;
    this.server.on("connection", (socket) => this.#meet(socket));
    this.strangers = watchUnauthenticated(this.server, options.limits.strangers);
  }

  /** Also if a caller was quicker than the door to this protocol: while the daemon starts, old callers come back. */
  onUpgrade(take: Upgrade): void {
    this.#upgrades.push(take);
    this.#inside?.server.on("upgrade", take);
  }

  /** Closes connections that have nothing under way, or have not authenticated. */
  letIdleGo(): void {
    this.#inside?.server.closeIdleConnections();
    this.strangers.dropAll();
  }

  async close(): Promise<void> {
    this.strangers.dropAll();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    await this.#opening;
    await this.#inside?.close();
    await closed;
  }

  cutOff(): void {
    this.#inside?.server.closeAllConnections();
  }

  #meet(socket: Socket): void {
    if (this.#inside !== undefined) {
      pass(socket, this.#inside);
      return;
    }
    // Until then nobody else listens to it.
    socket.on("error", () => {});
    this.#waiting.push(socket);
    this.#opening ??= this.#open();
  }

  async #open(): Promise<void> {
    try {
      const inside = await this.#options.open();
      for (const take of this.#upgrades) inside.server.on("upgrade", take);
      // Node looks for slow requests only while a server listens.
      inside.server.emit("listening");
      this.#inside = inside;
      for (const socket of this.#left()) pass(socket, inside);
    } catch (cause) {
      this.#opening = undefined;
      for (const socket of this.#left()) this.#options.refuse(socket, cause);
    }
  }

  #left(): readonly Socket[] {
    const waiting = this.#waiting.filter(({ destroyed }) => !destroyed);
    this.#waiting = [];
    return waiting;
  }
}

function pass(socket: Socket, { server }: Inside): void {
  server.emit("connection", socket);
  socket.resume();
}
