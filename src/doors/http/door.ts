/**
 * The HTTP door, opened twice: on 127.0.0.1 behind Host, Origin and token rules, and on a Unix socket whose file mode
 * is the credential, so that a hook can be one `curl --unix-socket`.
 */
import type { Server } from "node:http";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { BellhopError } from "../../core/errors.ts";
import { LIMITS } from "../../core/message.ts";
import { WS_PATH } from "../../wire/ws/schemas.ts";
import { type Admission, checkContentType, checkToken, headerValues, type Keys } from "../auth/auth.ts";
import { LoopbackGuard } from "../auth/loopback-guard.ts";
import { type UnauthenticatedSockets, watchUnauthenticated } from "../auth/unauthenticated-sockets.ts";
import { type Closing, closingSwitch } from "../caller/closing.ts";
import { clearStaleSocket, type ListenedAgain, listenAgain, listenPrivately } from "../unix/door.ts";
import {
  refuseBadPath,
  refuseUnparsable,
  sendRefusal,
  sendStopping,
  sendUpgradeNeeded,
  sendWrongMethod,
  speakErrors,
  speakForNode,
} from "./errors.ts";
import { addMcpRoute } from "./mcp.ts";
import { takeOneAtATime } from "./one-at-a-time.ts";
import { addRoutes, type RouteSetting } from "./routes.ts";

export const HTTP_LIMITS = {
  bodyBytes: LIMITS.requestBytes,
  headerBytes: 16 * 1024,
  /** Of callers who have shown the token; beyond it the newest is turned away. */
  connections: 1_024,
  /** Connections that have not shown it; beyond it the oldest is dropped. */
  strangers: 256,
  headersMs: 5_000,
  /** From the first byte to the last of one request. */
  requestMs: 15_000,
  keepAliveMs: 10_000,
  /** How often slow requests are looked for. */
  sweepMs: 1_000,
} as const;
export type HttpLimits = { readonly [K in keyof typeof HTTP_LIMITS]: number };

/** A port the owner wrote down is that port or an error; ours is only a wish. */
export type PortChoice = { readonly kind: "explicit" | "default"; readonly port: number };

export interface HttpDoorOptions extends Keys, RouteSetting {
  readonly port: PortChoice;
  readonly socketPath: string;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpDoor {
  readonly host: string;
  readonly port: number;
  readonly socketPath: string;
  /** For what begins as a request on the port and goes on as something else. */
  readonly loopback: Loopback;
  /** Connections that wait for nothing, and those who have not said who they are. */
  letIdleGo(): void;
  /** On the socket. */
  listenAgain(): Promise<ListenedAgain>;
  close(deadlineMs?: number): Promise<void>;
}

export interface Loopback {
  readonly server: Server;
  readonly loopbackGuard: LoopbackGuard;
  readonly strangers: UnauthenticatedSockets;
}

const LOOPBACK = "127.0.0.1";

interface ListeningApp {
  readonly app: FastifyInstance;
  readonly strangers: UnauthenticatedSockets;
}

export async function startHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const closing = closingSwitch();
  const { port, loopbackGuard, ...tcp } = await openTcp(options, limits, closing);
  let local: ListeningApp;
  try {
    local = await openLocal(options, limits, closing);
  } catch (error) {
    await tcp.app.close();
    throw error;
  }
  return {
    host: LOOPBACK,
    port,
    socketPath: options.socketPath,
    loopback: { server: tcp.app.server, loopbackGuard, strangers: tcp.strangers },
    letIdleGo() {
      for (const { app, strangers } of [tcp, local]) {
        app.server.closeIdleConnections();
        strangers.dropAll();
      }
    },
    listenAgain: () => listenAgain(local.app.server, options.socketPath),
    async close(deadlineMs = 2_000) {
      closing.begin();
      for (const { strangers } of [tcp, local]) strangers.dropAll();
      const closed = Promise.all([tcp.app.close(), local.app.close()]);
      const timer = setTimeout(() => {
        closing.end();
        // The last words are on their way; whoever does not read them is not waited for.
        setImmediate(() => {
          for (const { app } of [tcp, local]) app.server.closeAllConnections();
        });
      }, deadlineMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

async function openTcp(
  options: HttpDoorOptions,
  limits: HttpLimits,
  closing: Closing,
): Promise<ListeningApp & { readonly port: number; readonly loopbackGuard: LoopbackGuard }> {
  const attempt = async (port: number) => {
    const loopbackGuard = new LoopbackGuard(options, options.now);
    const listener = build(options, limits, closing, async (request) => {
      const met = loopbackGuard.meet(request.raw, request.raw.url);
      if (met.kind === "refused" || request.routeOptions.config.open === "to-all") return met;
      const identified = await loopbackGuard.identify(request.raw);
      if (identified.kind === "refused") return identified;
      listener.strangers.admit(request.raw.socket);
      if (identified.who.kind === "agent") request.agent = identified.who.name;
      return identified;
    });
    const { app } = listener;
    await app.listen({ host: LOOPBACK, port });
    const address = app.server.address();
    const bound = address !== null && typeof address === "object" ? address.port : port;
    loopbackGuard.listensOn(bound);
    return { ...listener, port: bound, loopbackGuard };
  };
  try {
    return await attempt(options.port.port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    if (options.port.kind === "default") {
      options.log.warn("http.port_taken", { port: options.port.port });
      return attempt(0);
    }
    throw new BellhopError("http.port_taken", {
      message: `Port ${options.port.port} on ${LOOPBACK} cannot be opened (${code}).`,
      next: "Stop what listens there, or set http.port in config.yaml to another port.",
      cause: error,
    });
  }
}

async function openLocal(
  options: HttpDoorOptions,
  limits: HttpLimits,
  closing: Closing,
): Promise<ListeningApp> {
  const listener = build(options, limits, closing, async (request) => {
    listener.strangers.admit(request.raw.socket);
    // Few have to show a token here. Whoever does is its bearer, as on the port: an agent gains nothing by the socket.
    const mayBeWithout = request.routeOptions.config.token !== "everywhere";
    if (mayBeWithout && headerValues(request.raw, "authorization").length === 0) return { kind: "admitted" };
    const identified = await checkToken(request.raw, options);
    if (identified.kind === "admitted" && identified.who.kind === "agent")
      request.agent = identified.who.name;
    return identified;
  });
  await listener.app.ready();
  await clearStaleSocket(options.socketPath);
  await listenPrivately(listener.app.server, options.socketPath);
  return listener;
}

function build(
  options: HttpDoorOptions,
  limits: HttpLimits,
  closing: Closing,
  admit: (request: FastifyRequest) => Promise<Admission>,
): ListeningApp {
  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: "idle",
    // We say so ourselves, in our own words.
    return503OnClosing: false,
    requestIdHeader: false,
    trustProxy: false,
    routerOptions: { maxParamLength: limits.headerBytes },
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.sweepMs,
      // A request without a Host is refused like one with a wrong one.
      requireHostHeader: false,
    },
    clientErrorHandler: refuseUnparsable,
    frameworkErrors: refuseBadPath,
  });
  takeOneAtATime(app.server);
  app.server.maxConnections = limits.connections;
  // To accept fails where no file descriptor is left. Nobody would hear of it otherwise, and the daemon would end.
  app.server.on("error", (error) => options.log.warn("http.failed", { cause: error.message }));
  const strangers = watchUnauthenticated(app.server, limits.strangers);
  speakErrors(app, options.log);
  speakForNode(app);
  // Before the body is read, and before a stranger learns which routes there are.
  app.addHook("onRequest", async (request, reply) => {
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
    const admission = await admit(request);
    if (admission.kind === "refused") return sendRefusal(reply, admission);
    if (closing.begun.aborted) return sendStopping(reply);
    if (request.is404) return;
    const { wrongMethod } = request.routeOptions.config;
    if (wrongMethod !== undefined) return sendWrongMethod(reply, wrongMethod);
    const type = checkContentType(request.raw);
    if (type.kind === "refused") return sendRefusal(reply, type);
  });
  addRoutes(app, options, closing);
  addMcpRoute(app, options, closing);
  app.get(WS_PATH, async (_request, reply) => sendUpgradeNeeded(reply));
  return { app, strangers };
}
