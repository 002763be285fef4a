/**
 * MCP over HTTP: `POST /mcp` behind the same rules as every other path. The SDK handles web requests and checks neither
 * host nor credential; we check both before it is loaded, and the credential decides who calls.
 */
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { present } from "../../core/present.ts";
import { localOffset } from "../../mcp/local-offset.ts";
import { malformed } from "../../wire/lines.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { Closing } from "../caller/closing.ts";
import { tellable } from "../caller/requests.ts";
import { httpCaller } from "./caller.ts";
import { beforeTheEnd } from "./errors.ts";
import type { RouteSetting } from "./routes.ts";

const MCP_PATH = "/mcp";

/** All that the protocol reads; in particular, the credential is not passed on. */
const HEADERS = ["content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name"] as const;

export function addMcpRoute(app: FastifyInstance, setting: RouteSetting, closing: Closing): void {
  app.post(MCP_PATH, async (request, reply) => serve(request, reply, setting, closing));
  // There are no sessions to listen to or to end.
  app.route({
    method: app.supportedMethods.filter((method) => method !== "POST"),
    url: MCP_PATH,
    config: { wrongMethod: "POST" },
    handler: async () => {},
  });
}

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  setting: RouteSetting,
  closing: Closing,
): Promise<FastifyReply> {
  if (Array.isArray(request.body))
    throw malformed(
      "Several calls in one request are not accepted.",
      "Send one JSON-RPC message with each request.",
    );
  // Loaded on first use: most daemons never need it.
  const { exchangeMcp } = await import("../../mcp/web.ts");
  const { user, now, log, useCases } = setting;
  const { agent } = request;
  const caller = httpCaller(useCases, { user, now: now(), agent }, closing);
  const claims: Claims = { user, ...present({ agent }) };
  const gone = new AbortController();
  const exchange = exchangeMcp(webRequest(request, gone.signal), request.body, {
    attend: (_meta, work) =>
      work({
        call: (verb, fields) => caller.ask(verb, { ...fields }),
        claims,
        now,
        offsetAt: localOffset,
      }),
    tell: (thrown, tool) => tellable(thrown, log, `mcp ${tool}`),
  });
  // Also called after a normal answer: then there is nothing left to end.
  reply.raw.once("close", () => {
    gone.abort();
    exchange.close().catch((cause) => log.error("mcp.close_failed", { cause: String(cause) }));
  });
  return send(reply, await beforeTheEnd(closing, "call", exchange.response));
}

function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = HEADERS.flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  return new Request(`http://bellhop.invalid${MCP_PATH}`, { method: "POST", headers, signal });
}

function send(reply: FastifyReply, response: Response): FastifyReply {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  if (response.body === null) return reply.send();
  return reply.send(Readable.fromWeb(response.body as ReadableStream<Uint8Array>));
}
