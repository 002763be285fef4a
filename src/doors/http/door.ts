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
  /** Limit for callers who have authenticated; beyond it the newest is refused. */
  connections: 1_024,
  /** Limit for connections that have not authenticated; beyond it the oldest is dropped. */
  strangers: 256,
  headersMs: 5_000,
  /** From the first byte to the last of one request. */
  requestMs: 15_000,
  keepAliveMs: 10_000,
  /** How often slow requests are looked for. */
  sweepMs: 1_000,
} as const;
export type HttpLimits = { readonly [K in keyof typeof HTTP_LIMITS]: number };

/** A port that the owner configured is mandatory; our default is only a preference. */
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
  /** For protocols that begin as an HTTP request on the port. */
  readonly loopback: Loopback;
  /** Closes idle connections and those that have not authenticated. */
  letIdleGo(): void;
  /** Recreates the Unix socket. */
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
        // The last answers are on their way; a caller that does not read them is not waited for.
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
    // Few routes need a token here. A caller that shows one is its bearer, as on the port: the socket adds no rights.
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
    // We send this answer ourselves, in our own words.
    return503OnClosing: false,
    requestIdHeader: false,
    trustProxy: false,
    routerOptions: { maxParamLength: limits.headerBytes },
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.sweepMs,
      // We refuse a missing Host ourselves, like a wrong one.
      requireHostHeader: false,
    },
    clientErrorHandler: refuseUnparsable,
    frameworkErrors: refuseBadPath,
  });
  takeOneAtATime(app.server);
  app.server.maxConnections = limits.connections;
  // Accepting fails when no file descriptor is left. Without a listener, the error would end the daemon.
  app.server.on("error", (error) => options.log.warn("http.failed", { cause: error.message }));
  const strangers = watchUnauthenticated(app.server, limits.strangers);
  speakErrors(app, options.log);
  speakForNode(app);
  // Before the body is read, and before an unauthenticated caller learns which routes exist.
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
