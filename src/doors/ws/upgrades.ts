/** Who may open a WebSocket, behind the same rules as every request on the port; and the heartbeat of all who have. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { WebSocketServer } from "ws";
import { BellhopError } from "../../core/errors.ts";
import { malformed } from "../../wire/lines.ts";
import { WS_PATH } from "../../wire/ws/schemas.ts";
import { headerValues, type Refused } from "../auth/auth.ts";
import type { LoopbackGuard } from "../auth/loopback-guard.ts";
import { acceptsNothing, refuseOnSocket, sayAndHangUp } from "../http/errors.ts";
import type { Brought } from "./bearer.ts";
import { WsConnection, type WsSetting } from "./connection.ts";
import type { WsLimits } from "./limits.ts";

/** What the door knows of its callers; it is shared with what speaks to them. */
export interface WsDoorState {
  readonly connections: Set<WsConnection>;
  closing: boolean;
  heart: NodeJS.Timeout | undefined;
}

export class Upgrades {
  readonly #setting: WsSetting;
  readonly #state: WsDoorState;
  readonly #sockets: WebSocketServer;

  constructor(setting: WsSetting, state: WsDoorState) {
    this.#setting = setting;
    this.#state = state;
    this.#sockets = webSocketServer(setting.limits);
    const beat = heartbeat(state.connections, setting.loopbackGuard);
    state.heart = setInterval(() => {
      beat().catch((cause) => setting.log.error("ws.heartbeat_failed", { cause: String(cause) }));
    }, setting.limits.heartbeatMs).unref();
    setting.loopbackGuard.onLoggedOut(() => {
      for (const connection of state.connections) if (connection.isBrowser) void connection.checkAgain();
    });
  }

  async take(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { loopbackGuard, strangers, limits } = this.#setting;
    const { connections } = this.#state;
    const refused = refuseUpgrade(request);
    const met = loopbackGuard.meet(request, request.url);
    if (met.kind === "refused") return refuseOnSocket(socket, met);
    if (refused !== undefined) return sayAndHangUp(socket, ...refused);
    const brought = await this.#brought(request);
    if ("kind" in brought) return refuseOnSocket(socket, brought);
    if (brought.credentials !== undefined) strangers.admit(socket);
    if (this.#state.closing) return sayAndHangUp(socket, 503, acceptsNothing());
    if (connections.size >= limits.connections) return sayAndHangUp(socket, 503, tooMany(limits.connections));
    this.#sockets.handleUpgrade(request, socket, head, (ws) => {
      const connection = new WsConnection(ws, socket, brought, this.#setting);
      connections.add(connection);
      void connection.closed.then(() => connections.delete(connection));
    });
  }

  async #brought(request: IncomingMessage): Promise<Brought | Refused> {
    const { loopbackGuard } = this.#setting;
    if (headerValues(request, "authorization").length > 0) {
      const identified = await loopbackGuard.identify(request);
      return identified.kind === "refused" ? identified : { credentials: identified, cookies: [] };
    }
    const met = loopbackGuard.meetSocket(request);
    return met.kind === "refused" ? met : { credentials: undefined, cookies: met.cookies };
  }
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

/** Pings every connection, and checks it again if the owner's token has changed. For a browser, being connected is use. */
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
    const isChanged = now !== undefined && now !== before;
    const doubtful = [...connections].filter(({ isBrowser }) => isChanged || isBrowser);
    await Promise.all(doubtful.map((connection) => connection.checkAgain()));
  };
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
