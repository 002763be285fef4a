/** Every refusal over HTTP has the same body as on the command line: `{ "error": { code, message, next } }`. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import { BellhopError, type ErrorCode } from "../../core/errors.ts";
import type { Log } from "../../ports/log.ts";
import { malformed } from "../../wire/lines.ts";
import type { Refused } from "../auth/auth.ts";
import { type Closing, unless } from "../caller/closing.ts";
import { tellable } from "../caller/requests.ts";
import { errorBody, JSON_TYPE, lastAnswer } from "./hang-up.ts";
import { httpStatus } from "./status.ts";

export function sendRefusal(reply: FastifyReply, refused: Refused): FastifyReply {
  return hangUp(reply.headers(refusalHeaders(refused)), refused.status, refusalError(refused));
}

function refusalHeaders(refused: Refused): Readonly<Record<string, string>> {
  if (refused.status === 401) return { "www-authenticate": "Bearer" };
  if (refused.status !== 429) return {};
  return { "retry-after": String(Math.max(1, Math.ceil(refused.retryAfterMs / 1_000))) };
}

/** `allowed` as the header wants it: `GET, HEAD`. */
export function sendWrongMethod(reply: FastifyReply, allowed: string): FastifyReply {
  reply.header("allow", allowed);
  const error = malformed(`This path accepts ${allowed} only.`, 'Look it up in "GET /openapi.json".');
  return hangUp(reply, 405, error);
}

/** For a path that switches to another protocol. */
export function sendUpgradeNeeded(reply: FastifyReply): FastifyReply {
  reply.header("upgrade", "websocket");
  return hangUp(
    reply,
    426,
    malformed("This path speaks WebSocket only.", "Connect with a WebSocket client."),
  );
}

export function sendStopping(reply: FastifyReply): FastifyReply {
  return hangUp(reply, httpStatus("daemon.stopping"), acceptsNothing());
}

export function acceptsNothing(): BellhopError {
  return stopping("The daemon is stopping and accepts nothing new.");
}

function stopping(message: string): BellhopError {
  return new BellhopError("daemon.stopping", { message, next: 'Start it again with "bellhop up".' });
}

/** A request that hangs must not keep the daemon from stopping, nor leave its caller without an answer. */
export function beforeTheEnd<T>(closing: Closing, what: "call" | "request", work: Promise<T>): Promise<T> {
  return unless(closing.over, work, () => {
    throw stopping(
      `The daemon stopped before it could answer; the ${what} may or may not have been carried out.`,
    );
  });
}

/** Does not wait for the rest of the body. */
function hangUp(reply: FastifyReply, status: number, error: BellhopError): FastifyReply {
  return reply.header("connection", "close").code(status).send(errorBody(error));
}

/** For a path that cannot be decoded; none of our hooks has run yet. */
export function refuseBadPath(_error: Error, _request: unknown, reply: FastifyReply): void {
  void reply.code(400).send(errorBody(malformed("The path is not valid.", "Check how it is escaped.")));
}

export function sendNotFound(reply: FastifyReply): FastifyReply {
  const error = malformed("There is nothing at this path.", "Check the path and the method.");
  return reply.code(404).send(errorBody(error));
}

/** Replaces fastify's own messages, which would reveal internals to unauthenticated callers. */
export function speakErrors(app: FastifyInstance, log: Log): void {
  app.setNotFoundHandler((_request, reply) => sendNotFound(reply));
  app.setErrorHandler((error: FrameworkError, request, reply) => {
    const told = ofFramework(error) ?? tellable(error, log, request.routeOptions.url ?? "?");
    return reply.code(httpStatus(told.code)).send(errorBody(told));
  });
}

type FrameworkError = Error & { readonly statusCode?: number; readonly code?: string };

function ofFramework(error: FrameworkError): BellhopError | undefined {
  if (error instanceof BellhopError) return undefined;
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new BellhopError("request.too_large", {
      message: "The body is too large.",
      next: "Send less; put a long text into a file and send its path.",
    });
  }
  // An aborted request or a wrong length: the caller's fault, with fastify's own status.
  const { statusCode = 500 } = error;
  if (statusCode < 400 || statusCode >= 500) return undefined;
  return malformed("The body is not what its headers say.", "Send one JSON object as application/json.");
}

/** For bytes that are not HTTP, or came too slowly. */
export function refuseUnparsable(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? ([408, "The request took too long to arrive."] as const)
      : error.code === "HPE_HEADER_OVERFLOW"
        ? ([431, "The headers are too large."] as const)
        : ([400, "This is not an HTTP request."] as const);
  sayAndHangUp(socket, status, notHttp(message));
}

/** For cases that Node would answer with an empty body or not at all. */
export function speakForNode(app: FastifyInstance): void {
  app.server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    sayAndHangUp(socket, 405, notHttp("This is not a proxy."));
  });
  app.server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const text = JSON.stringify(errorBody(notHttp("The Expect header of the request cannot be met.")));
    const length = Buffer.byteLength(text);
    response
      .writeHead(417, { "content-type": JSON_TYPE, "content-length": length, connection: "close" })
      .end(text);
  });
}

/** The same for a socket that fastify no longer handles. */
export function refuseOnSocket(socket: Duplex, refused: Refused): void {
  sayAndHangUp(socket, refused.status, refusalError(refused), refusalHeaders(refused));
}

export function sayAndHangUp(
  socket: Duplex,
  status: number,
  error: BellhopError,
  headers: Readonly<Record<string, string>> = {},
): void {
  socket.on("error", () => {});
  socket.end(lastAnswer(`${status} ${STATUS_CODES[status]}`, error, headers));
}

function notHttp(message: string): BellhopError {
  return malformed(message, "Send a complete HTTP/1.1 request.");
}

const REFUSALS: Readonly<Record<Refused["status"], readonly [code: ErrorCode, next: string]>> = {
  401: [
    "request.unauthorised",
    'Send "Authorization: Bearer …" with the content of the token file ("bellhop status --json" names it).',
  ],
  403: ["request.forbidden", "Call from a program, not from a web page."],
  421: ["request.forbidden", 'Use the host and port that "bellhop status" shows.'],
  415: ["request.malformed", "Set Content-Type: application/json."],
  429: ["request.throttled", "Wait, and read the token file again."],
};

export function refusalError({ status, why, next: instead }: Refused): BellhopError {
  const [code, next] = REFUSALS[status];
  return new BellhopError(code, { message: why, next: instead ?? next });
}
