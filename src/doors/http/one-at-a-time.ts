/**
 * HTTP lets a caller say a thousand requests in one breath, and Node hands them all on before anybody else is heard.
 * Here one connection has one request in hand. What else it said waits, no more is read meanwhile, and the next is begun
 * a turn after the one before was answered; whoever was told to go away is not listened to any further.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Stands between the server and all who handle its requests so far. */
export function takeOneAtATime(server: Server): void {
  const handlers = server.listeners("request") as RequestListener[];
  const breaths = new WeakMap<Socket, Breath>();
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const breath = breaths.get(socket) ?? new Breath(socket, handlers);
    breaths.set(socket, breath);
    breath.take([request, response]);
  });
}

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** What one connection has said and is not answered yet. */
class Breath {
  readonly #socket: Socket;
  readonly #handlers: readonly RequestListener[];
  readonly #waiting: Exchange[] = [];
  #inHand = false;
  #pausing = false;

  constructor(socket: Socket, handlers: readonly RequestListener[]) {
    this.#socket = socket;
    this.#handlers = handlers;
  }

  take(said: Exchange): void {
    if (!this.#inHand) {
      this.#begin(said);
      return;
    }
    this.#waiting.push(said);
    if (this.#pausing) return;
    this.#pausing = true;
    // Not at once: Node reads on at the end of each request that it finds in the chunk.
    process.nextTick(() => {
      this.#pausing = false;
      if (this.#waiting.length > 0) this.#socket.pause();
    });
  }

  #begin([request, response]: Exchange): void {
    this.#inHand = true;
    response.once("close", () => {
      if (this.#waiting.length === 0) this.#inHand = false;
      else setImmediate(this.#goOn);
    });
    for (const handle of this.#handlers) handle(request, response);
  }

  readonly #goOn = (): void => {
    this.#inHand = false;
    if (!this.#socket.writable) {
      this.#waiting.length = 0;
      return;
    }
    const next = this.#waiting.shift();
    if (next === undefined) return;
    // It may be one whose body has only begun to arrive.
    if (this.#waiting.length === 0) this.#socket.resume();
    this.#begin(next);
  };
}
