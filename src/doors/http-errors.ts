/** Every no by HTTP has the same body as on the command line: `{ "error": { code, message, next } }`. */
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply } from "fastify";
import { BellhopError, type ErrorCode, type ErrorDetail } from "../core/errors.ts";
import type { Log } from "../ports/log.ts";
import type { Admission } from "./auth.ts";
import { tellable } from "./requests.ts";

export function httpStatus(code: ErrorCode): number {
  switch (code) {
    case "request.unauthorised":
      return 401;
    case "request.forbidden":
      return 403;
    case "request.too_large":
    case "message.too_large":
      return 413;
    case "recipient.unknown":
    case "session.unknown":
    case "agent.unknown":
    case "message.unknown":
    case "draft.none":
      return 404;
    case "recipient.ambiguous":
    case "message.ambiguous":
    case "message.conflict":
    case "agent.exists":
    case "agent.busy":
    case "delivery.not_queued":
      return 409;
    case "session.exited":
    case "terminal.gone":
      return 410;
    case "store.disk_full":
      return 507;
    case "daemon.stopping":
      return 503;
    case "internal.bug":
    case "store.corrupt":
    case "store.failed":
      return 500;
    default:
      return 400;
  }
}

export function sendRefusal(
  reply: FastifyReply,
  refused: Extract<Admission, { kind: "refused" }>,
): FastifyReply {
  if (refused.status === 401) reply.header("www-authenticate", "Bearer");
  // What is left of the body is not waited for.
  return reply
    .header("connection", "close")
    .code(refused.status)
    .send(body(refusalDetail(refused)));
}

/** A path that cannot even be decoded; no hook of ours has run yet. */
export function refuseBadPath(_error: Error, _request: unknown, reply: FastifyReply): void {
  void reply.code(400).send(
    body({
      code: "request.malformed",
      message: "The path is not valid.",
      next: "Check how it is escaped.",
    }),
  );
}

/** Takes the place of fastify's own wording, which would tell strangers about the inside. */
export function speakErrors(app: FastifyInstance, log: Log): void {
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send(
      body({
        code: "request.malformed",
        message: "There is nothing here.",
        next: "Check the path and the method.",
      }),
    ),
  );
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) => {
    const told = ofFastify(error) ?? tellable(error, log, request.routeOptions.url ?? "?");
    const status =
      error instanceof BellhopError ? httpStatus(told.code) : (error.statusCode ?? httpStatus(told.code));
    return reply.code(status).send(body(told.toDetail()));
  });
}

/** Bytes that are no HTTP at all, or came too slowly. */
export function refuseUnparsable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? ["408 Request Timeout", "The request took too long to arrive."]
      : error.code === "HPE_HEADER_OVERFLOW"
        ? ["431 Request Header Fields Too Large", "The headers are too large."]
        : ["400 Bad Request", "This is not an HTTP request."];
  const text = JSON.stringify(
    body({ code: "request.malformed", message, next: "Send a complete HTTP/1.1 request." }),
  );
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

function ofFastify(error: Error & { readonly code?: string }): BellhopError | undefined {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new BellhopError("request.too_large", {
        message: "The body is too large.",
        next: "Send less; put a long text into a file and send its path.",
      });
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new BellhopError("request.malformed", {
        message: "The body is not what its headers say.",
        next: "Send one JSON object as application/json.",
      });
    default:
      return undefined;
  }
}

function refusalDetail(refused: Extract<Admission, { kind: "refused" }>): ErrorDetail {
  switch (refused.status) {
    case 401:
      return {
        code: "request.unauthorised",
        message: refused.why,
        next: 'Send "Authorization: Bearer …" with the content of the token file ("bellhop status --json" names it).',
      };
    case 403:
      return {
        code: "request.forbidden",
        message: refused.why,
        next: "Call from a program, not from a page.",
      };
    case 421:
      return {
        code: "request.forbidden",
        message: refused.why,
        next: 'Use the host and port that "bellhop status" shows.',
      };
    case 415:
      return { code: "request.malformed", message: refused.why, next: "Set Content-Type: application/json." };
  }
}

function body(error: ErrorDetail): { readonly error: ErrorDetail } {
  return { error };
}
