/** What answers HTTP requests. It loads the library, so it is loaded itself when the first caller connects. */
import Fastify, { type FastifyRequest } from "fastify";
import { WS_PATH } from "../../wire/ws/schemas.ts";
import { type Admission, checkContentType } from "../auth/auth.ts";
import type { LoopbackGuard } from "../auth/loopback-guard.ts";
import type { Closing } from "../caller/closing.ts";
import { staticFilesIn } from "../web/static-files.ts";
import type { Inside } from "./entrance.ts";
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
import type { HttpLimits } from "./limits.ts";
import { addMcpRoute } from "./mcp.ts";
import { takeOneAtATime } from "./one-at-a-time.ts";
import { addRoutes, type RouteSetting } from "./routes.ts";
import { addLoginRoute, takePageRequest } from "./web.ts";
import { divertWebhooks } from "./webhooks.ts";

export async function openApp(
  setting: RouteSetting,
  limits: HttpLimits,
  closing: Closing,
  admit: (request: FastifyRequest) => Promise<Admission>,
  guard?: LoopbackGuard,
): Promise<Inside> {
  const { webFolder } = setting;
  const web =
    guard === undefined || webFolder === undefined ? undefined : { guard, files: staticFilesIn(webFolder) };
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
    // No route has a schema of this library: ours are checked by the verbs.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
  });
  if (setting.webhooks !== undefined)
    divertWebhooks(app.server, setting.webhooks, () => closing.begun.aborted);
  takeOneAtATime(app.server);
  speakErrors(app, setting.log);
  speakForNode(app);
  // Before the body is read, and before an unauthenticated caller learns which routes exist.
  app.addHook("onRequest", async (request, reply) => {
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
    // Its files are for everybody: whoever may see nothing else must still be able to log in.
    if (web !== undefined && !closing.begun.aborted) {
      const taken = await takePageRequest(web, request, reply);
      if (taken !== undefined) return taken;
    }
    const admission = await admit(request);
    if (admission.kind === "refused") return sendRefusal(reply, admission);
    if (closing.begun.aborted) return sendStopping(reply);
    if (request.is404) return;
    const { wrongMethod } = request.routeOptions.config;
    if (wrongMethod !== undefined) return sendWrongMethod(reply, wrongMethod);
    const type = checkContentType(request.raw);
    if (type.kind === "refused") return sendRefusal(reply, type);
  });
  addRoutes(app, setting, closing);
  addMcpRoute(app, setting, closing);
  if (web !== undefined) addLoginRoute(app, web);
  app.get(WS_PATH, async (_request, reply) => sendUpgradeNeeded(reply));
  await app.ready();
  return { server: app.server, close: async () => app.close() };
}

function unused(): never {
  throw new Error("a route has a schema");
}
