/**
 * The dashboard over HTTP: its files, for anybody who may reach the port, and the login, which turns the code of a link
 * into a cookie and a key. Everything else that the page does goes by the routes and the WebSocket that programs use.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { malformed } from "../../wire/lines.ts";
import type { Refused } from "../auth/auth.ts";
import type { LoopbackGuard } from "../auth/loopback-guard.ts";
import type { StaticFiles } from "../web/static-files.ts";
import { sendNotFound, sendRefusal } from "./errors.ts";

const LOGIN_PATH = "/web/login";
const LONGEST_CODE = 128;

export interface WebEntrance {
  readonly files: StaticFiles;
  readonly guard: LoopbackGuard;
}

/** For a path that no route has: a file of the page, or its refusal; undefined if it is not for the page. */
export async function takePageRequest(
  { files, guard }: WebEntrance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const { raw, headers } = request;
  const { method, url = "" } = raw;
  if (!request.is404 || (method !== "GET" && method !== "HEAD")) return undefined;
  const [path = ""] = url.split("?");
  const answer = await files({
    path,
    accept: headers.accept,
    acceptEncoding: headers["accept-encoding"]?.toString(),
    ifNoneMatch: headers["if-none-match"],
  });
  if (answer === "elsewhere") return undefined;
  const met = guard.meetReader(raw, url);
  if (met.kind === "refused") return sendRefusal(reply, met);
  if (answer === "missing") return sendNotFound(reply);
  return reply.headers(answer.headers).code(answer.status).send(answer.body);
}

export function addLoginRoute(app: FastifyInstance, { guard }: WebEntrance): void {
  app.post(LOGIN_PATH, { config: { open: "to-all" } }, async (request, reply) => {
    const outcome = await guard.logIn(codeIn(request.body), request.raw);
    if (outcome.kind === "refused") return sendRefusal(reply, outcome satisfies Refused);
    const { id, key, cookie } = outcome;
    return reply.header("set-cookie", cookie).send({ session: id, key });
  });
  app.route({
    method: app.supportedMethods.filter((method) => method !== "POST"),
    url: LOGIN_PATH,
    config: { open: "to-all", wrongMethod: "POST" },
    handler: async () => {},
  });
}

function codeIn(body: unknown): string {
  const code =
    body !== null && typeof body === "object" ? (body as { readonly code?: unknown }).code : undefined;
  if (typeof code === "string" && code !== "" && code.length <= LONGEST_CODE) return code;
  throw malformed('The body has no "code".', 'Send {"code":"…"} with what follows "#" in the link.');
}
