/**
 * Webhooks at the daemon's own port: `/webhooks/SERVICE[/TOPIC]` goes to the bridge as it came, before any of this
 * door's rules. A service has neither our token nor our host name, and is known by its signature alone; the rules stand
 * for every other path.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";

export type Webhooks = (request: IncomingMessage, response: ServerResponse) => void;

/** As the caller wrote it: nothing is decoded that could lead elsewhere. */
const TARGET = /^\/webhooks(?:[/?]|$)/;

/** Wraps all request handlers that the server has so far. */
export function divertWebhooks(server: Server, webhooks: Webhooks, isOver: () => boolean): void {
  const handlers = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!TARGET.test(request.url ?? "")) for (const handle of handlers) handle(request, response);
    else if (isOver()) response.writeHead(503, { connection: "close" }).end();
    else webhooks(request, response);
  });
}
