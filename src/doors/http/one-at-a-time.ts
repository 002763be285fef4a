/**
 * HTTP lets a caller send a thousand requests at once, and Node dispatches them all before it reads another connection.
 * Here each connection has one request under way. Its other requests wait, nothing more is read meanwhile, and the next
 * one starts a turn after the previous answer; a connection that was told to close gets no further answers.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Wraps all request handlers that the server has so far. */
export function takeOneAtATime(server: Server): void {
  const handlers = server.listeners("request") as RequestListener[];
  const pipelines = new WeakMap<Socket, Pipeline>();
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket) ?? new Pipeline(socket, handlers);
    pipelines.set(socket, pipeline);
    pipeline.take([request, response]);
  });
}

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** The requests of one connection that have no answer yet. */
class Pipeline {
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
    // Deferred: Node resumes reading at the end of each request that it finds in the chunk.
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
    // The body of this request may have only begun to arrive.
    if (this.#waiting.length === 0) this.#socket.resume();
    this.#begin(next);
  };
}
