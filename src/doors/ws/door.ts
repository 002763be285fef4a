/** The WebSocket door: `/ws` on the loopback port, behind the same rules as every request there. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { BellhopError } from "../../core/errors.ts";
import { malformed } from "../../wire/lines.ts";
import { WS_PATH } from "../../wire/ws/schemas.ts";
import { type Credentials, headerValues } from "../auth/auth.ts";
import type { LoopbackGuard } from "../auth/loopback-guard.ts";
import { closeAll } from "../caller/closing.ts";
import type { Loopback } from "../http/door.ts";
import { acceptsNothing, refuseOnSocket, sayAndHangUp } from "../http/errors.ts";
import { WsConnection, type WsSetting } from "./connection.ts";
import { WS_LIMITS, type WsLimits } from "./limits.ts";

export interface WsDoorOptions extends Pick<WsSetting, "useCases" | "streams" | "log" | "user"> {
  readonly loopback: Loopback;
  readonly limits?: Partial<WsLimits>;
}

export interface WsDoor {
  readonly connections: number;
  /** Accepts nothing new, answers what is under way, says goodbye (1001), and cuts off the rest at the deadline. */
  close(deadlineMs?: number): Promise<void>;
}

export function startWsDoor(options: WsDoorOptions): WsDoor {
  const { loopback, log } = options;
  const { server, loopbackGuard, strangers } = loopback;
  const limits = { ...WS_LIMITS, ...options.limits };
  const setting = { ...options, loopbackGuard, strangers, limits };
  const connections = new Set<WsConnection>();
  let closing = false;

  const sockets = webSocketServer(limits);
  // Otherwise long-lived connections would take the places of short requests.
  server.maxConnections += limits.connections;

  const upgrade = async (request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    const refused = refuseUpgrade(request);
    const met = loopbackGuard.meet(request, request.url);
    if (met.kind === "refused") return refuseOnSocket(socket, met);
    if (refused !== undefined) return sayAndHangUp(socket, ...refused);
    let shown: Credentials | undefined;
    if (headerValues(request, "authorization").length > 0) {
      const identified = await loopbackGuard.identify(request);
      if (identified.kind === "refused") return refuseOnSocket(socket, identified);
      strangers.admit(socket);
      shown = identified;
    }
    if (closing) return sayAndHangUp(socket, 503, acceptsNothing());
    if (connections.size >= limits.connections) return sayAndHangUp(socket, 503, tooMany(limits.connections));
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const connection = new WsConnection(ws, socket, shown, setting);
      connections.add(connection);
      void connection.closed.then(() => connections.delete(connection));
    });
  };
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => {});
    upgrade(request, socket as Socket, head).catch((cause) => {
      log.error("ws.upgrade_failed", { cause: String(cause) });
      socket.destroy();
    });
  };
  server.on("upgrade", onUpgrade);

  const beat = heartbeat(connections, loopbackGuard);
  const heart = setInterval(() => {
    beat().catch((cause) => log.error("ws.heartbeat_failed", { cause: String(cause) }));
  }, limits.heartbeatMs).unref();

  return {
    get connections() {
      return connections.size;
    },
    async close(deadlineMs = 2_000) {
      closing = true;
      clearInterval(heart);
      await closeAll(connections, () => allClosed(connections), deadlineMs);
    },
  };
}

function webSocketServer(limits: WsLimits): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.frameBytes,
    maxFragments: limits.pieces,
    maxBufferedChunks: limits.pieces,
    // We answer pings ourselves: counted, and within the limits for unread output.
    autoPong: false,
    // We support no subprotocol, so we confirm none.
    handleProtocols: () => false,
  });
  sockets.on("wsClientError", (error, socket) =>
    sayAndHangUp(socket, 400, notWebSocket(error.message), { "Sec-WebSocket-Version": "13" }),
  );
  return sockets;
}

/** Pings every connection, and checks its token again if the owner's has changed since the last time. */
function heartbeat(
  connections: ReadonlySet<WsConnection>,
  loopbackGuard: LoopbackGuard,
): () => Promise<void> {
  let mark: Promise<string | undefined> = loopbackGuard.mark();
  return async () => {
    for (const connection of connections) connection.beat();
    const before = await mark;
    mark = loopbackGuard.mark();
    const now = await mark;
    if (now === undefined) mark = Promise.resolve(before);
    else if (now !== before) await Promise.all([...connections].map((connection) => connection.checkAgain()));
  };
}

async function allClosed(connections: ReadonlySet<WsConnection>): Promise<void> {
  while (connections.size > 0) await Promise.all([...connections].map(({ closed }) => closed));
}

type Refusal = readonly [status: number, error: BellhopError, headers?: Readonly<Record<string, string>>];

function refuseUpgrade({ url = "", method, headers }: IncomingMessage): Refusal | undefined {
  const [path, query] = url.split("?");
  if (path !== WS_PATH)
    return [404, malformed("There is no WebSocket at this path.", `Connect to ${WS_PATH}.`)];
  if (query !== undefined)
    return [400, malformed("The address must not have a query string.", "Send the token as a header.")];
  if (method !== "GET") return [405, notWebSocket("The method must be GET."), { Allow: "GET" }];
  if (headers.upgrade?.toLowerCase() === "websocket") return undefined;
  return [426, notWebSocket("Only WebSocket connections are accepted here."), { Upgrade: "websocket" }];
}

function notWebSocket(message: string): BellhopError {
  return malformed(message, "Connect with a WebSocket client (RFC 6455).");
}

function tooMany(most: number): BellhopError {
  return new BellhopError("daemon.unreachable", {
    message: `The daemon already serves ${most} WebSockets.`,
    next: "Close some and try again.",
  });
}
