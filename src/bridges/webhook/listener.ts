/**
 * The HTTP server: takes in a request, checks it, and answers only when the event is on disk. The daemon's own port
 * hands requests to the same `answer`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LIMITS } from "../../core/message.ts";
import type { BodyType } from "./body.ts";
import { PREFIX } from "./config.ts";

/** A request that has been read and nothing more. */
export interface WebhookRequest {
  readonly service: string;
  readonly topic?: string;
  readonly type: BodyType;
  readonly body: Buffer;
  header(name: string): string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly text?: string;
}

export interface Addressed {
  knows(service: string): boolean;
  /** Never rejects. */
  handle(request: WebhookRequest): Promise<Answer>;
}

export interface ListenerOptions extends Addressed {
  readonly port: number;
}

export const LISTENER_LIMITS = {
  bodyBytes: LIMITS.requestBytes,
  connections: 64,
  headersMs: 10_000,
  requestMs: 20_000,
  idleMs: 5_000,
} as const;
const HEADER_BYTES = 16_384;
const CHECK_MS = 1_000;
const TOPIC = /^[\p{L}\p{N}][\p{L}\p{N}._:-]{0,119}$/u;

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Rejects if the port cannot be had. `limits`: for tests. */
export async function listen(options: ListenerOptions, limits: Timing = LISTENER_LIMITS): Promise<Listening> {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, limits.headersMs),
      maxHeaderSize: HEADER_BYTES,
    },
    (request, response) => void answer(request, response, options),
  );
  server.maxConnections = LISTENER_LIMITS.connections;
  server.timeout = limits.requestMs;
  await bind(server, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // What is not on disk gets no answer.
        server.closeAllConnections();
      }),
  };
}

export interface Timing {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
}

function bind(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      server.on("error", () => {});
      resolve();
    });
  });
}

/** Never rejects. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: Addressed,
): Promise<void> {
  request.on("error", () => {});
  response.on("error", () => {});
  const { status, text = "" } = await outcome(request, options).catch((): Answer => ({ status: 500 }));
  if (response.destroyed) return;
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(status === 405 ? { allow: "POST" } : {}),
    // What is left of a request that was refused is not read.
    ...(status === 200 ? {} : { connection: "close" }),
  });
  response.end(text);
}

async function outcome(request: IncomingMessage, options: Addressed): Promise<Answer> {
  const place = placeOf(request.url ?? "");
  if (place === undefined || !options.knows(place.service)) return { status: 404 };
  if (request.method !== "POST") return { status: 405 };
  const type = typeOf(request.headers["content-type"]);
  if (type === undefined || request.headers["content-encoding"] !== undefined) return { status: 415 };
  if (Number(request.headers["content-length"] ?? 0) > LISTENER_LIMITS.bodyBytes) return { status: 413 };
  const body = await bodyOf(request);
  if (body === "too large") return { status: 413 };
  if (body === "broken") return { status: 400 };
  return options.handle({ ...place, type, body, header: (name) => headerOf(request, name) });
}

/** `/{service}` or `/{service}/{topic}`, perhaps below `/webhooks`. */
function placeOf(url: string): { readonly service: string; readonly topic?: string } | undefined {
  let segments: string[];
  try {
    segments = (url.split("?", 1)[0] ?? "").split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
  if (segments[0] === PREFIX) segments.shift();
  if (segments.at(-1) === "") segments.pop();
  const [service, topic] = segments;
  if (service === undefined || segments.length > 2) return undefined;
  if (topic === undefined) return { service };
  return TOPIC.test(topic) ? { service, topic } : undefined;
}

function typeOf(header: string | undefined): BodyType | undefined {
  const type = header?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(type)) return "json";
  return type === "application/x-www-form-urlencoded" ? "form" : undefined;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | "too large" | "broken"> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > LISTENER_LIMITS.bodyBytes) return "too large";
      chunks.push(chunk);
    }
  } catch {
    return "broken";
  }
  return request.complete ? Buffer.concat(chunks) : "broken";
}

/** One that came twice is none: which of them would be the signed one? */
function headerOf(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name];
  return values?.length === 1 ? values[0] : undefined;
}
