/**
 * The HTTP door, opened twice: on 127.0.0.1 behind Host, Origin and token rules, and on a Unix socket whose file mode
 * is the credential, so that a hook can be one `curl --unix-socket`.
 */
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { BellhopError } from "../core/errors.ts";
import { type Instant, LIMITS } from "../core/message.ts";
import type { Log } from "../ports/log.ts";
import type { UseCases } from "../wire/shapes.ts";
import { type Admission, checkContentType, checkHost, checkOrigin, checkToken, ownHosts } from "./auth.ts";
import { refuseBadPath, refuseUnparsable, sendRefusal, speakErrors } from "./http-errors.ts";
import { addRoutes } from "./http-routes.ts";
import { clearStaleSocket, listenPrivately } from "./unix.ts";

export const HTTP_LIMITS = {
  bodyBytes: LIMITS.requestBytes,
  headerBytes: 16 * 1024,
  connections: 256,
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

export interface HttpDoorOptions {
  readonly port: PortChoice;
  readonly socketPath: string;
  readonly readToken: () => Promise<string>;
  readonly useCases: UseCases;
  readonly log: Log;
  /** Whom a request comes from: the daemon's own user. */
  readonly user: string;
  readonly now: () => Instant;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpDoor {
  readonly host: string;
  readonly port: number;
  readonly socketPath: string;
  close(deadlineMs?: number): Promise<void>;
}

const LOOPBACK = "127.0.0.1";

export async function startHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const tcp = await openTcp(options, limits);
  let local: FastifyInstance;
  try {
    local = await openLocal(options, limits);
  } catch (error) {
    await tcp.app.close();
    throw error;
  }
  return {
    host: LOOPBACK,
    port: tcp.port,
    socketPath: options.socketPath,
    async close(deadlineMs = 2_000) {
      const timer = setTimeout(() => {
        for (const app of [tcp.app, local]) app.server.closeAllConnections();
      }, deadlineMs);
      await Promise.all([tcp.app.close(), local.close()]);
      clearTimeout(timer);
    },
  };
}

async function openTcp(
  options: HttpDoorOptions,
  limits: HttpLimits,
): Promise<{ readonly app: FastifyInstance; readonly port: number }> {
  const attempt = async (port: number) => {
    let hosts: readonly string[] = [];
    const app = build(options, limits, async (request) => {
      const head = { method: request.method, rawHeaders: request.raw.rawHeaders };
      const known = checkHost(head, hosts);
      if (known.kind === "refused") return known;
      const local = checkOrigin(head, hosts);
      if (local.kind === "refused") return local;
      if (request.routeOptions.config.open === "to-all") return known;
      return checkToken(head, options.readToken);
    });
    await app.listen({ host: LOOPBACK, port });
    const address = app.server.address();
    const bound = address !== null && typeof address === "object" ? address.port : port;
    hosts = ownHosts(bound);
    return { app, port: bound };
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
      message: `Port ${options.port.port} on ${LOOPBACK} cannot be had (${code}).`,
      next: "Stop what listens there, or set http.port in config.yaml to another port.",
      cause: error,
    });
  }
}

async function openLocal(options: HttpDoorOptions, limits: HttpLimits): Promise<FastifyInstance> {
  const app = build(options, limits, async () => ({ kind: "admitted" }));
  await app.ready();
  await clearStaleSocket(options.socketPath);
  await listenPrivately(app.server, options.socketPath);
  return app;
}

function build(
  options: HttpDoorOptions,
  limits: HttpLimits,
  admit: (request: FastifyRequest) => Promise<Admission>,
): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: "idle",
    requestIdHeader: false,
    trustProxy: false,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.sweepMs,
    },
    clientErrorHandler: refuseUnparsable,
    frameworkErrors: refuseBadPath,
  });
  app.server.maxConnections = limits.connections;
  speakErrors(app, options.log);
  // Before the body is read, and before a stranger learns which routes there are.
  app.addHook("onRequest", async (request, reply) => {
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
    const admission = await admit(request);
    if (admission.kind === "refused") return sendRefusal(reply, admission);
    if (request.is404) return;
    const type = checkContentType({ method: request.method, rawHeaders: request.raw.rawHeaders });
    if (type.kind === "refused") return sendRefusal(reply, type);
  });
  addRoutes(app, options);
  return app;
}
