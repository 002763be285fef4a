/** The HTTP routes and their handlers. Thin: read, call the use-case, answer. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AgentName, Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Log } from "../../ports/log.ts";
import { camelKey, toSnake } from "../../wire/casing.ts";
import {
  type HandledName,
  type HttpOperation,
  type InputOf,
  OPERATIONS,
  type OperationName,
} from "../../wire/http/operations.ts";
import type { AskedUseCases, Verb } from "../../wire/verbs/index.ts";
import type { Closing } from "../caller/closing.ts";
import { type HttpCaller, httpCaller } from "./caller.ts";
import { beforeTheEnd } from "./errors.ts";
import { HANDLERS } from "./handlers.ts";
import { parseBody, readInput } from "./input.ts";
import type { Webhooks } from "./webhooks.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** A route that needs no token. */
    readonly open?: "to-all";
    /** A route that needs one on the socket too. */
    readonly token?: "everywhere";
    /** Set for a request whose method the path does not accept: the methods that it does. */
    readonly wrongMethod?: string;
  }
  interface FastifyRequest {
    /** Set if the token was an agent's own. */
    agent: AgentName | undefined;
    /** Set if the caller is a browser: its login. */
    browser: string | undefined;
  }
}

export interface RouteSetting {
  readonly useCases: AskedUseCases;
  readonly log: Log;
  /** The user on whose behalf requests are made: the daemon's own. */
  readonly user: string;
  readonly now: () => Instant;
  /** The daemon's environment variables, for programs started through this door. */
  readonly environment: Readonly<Record<string, string>>;
  readonly webhooks?: Webhooks;
  /** Where the files of the dashboard are; without it there is none. */
  readonly webFolder?: string;
}

type Handler = (input: InputOf<OperationName>, caller: HttpCaller) => Promise<unknown>;

export function addRoutes(app: FastifyInstance, setting: RouteSetting, closing: Closing): void {
  app.decorateRequest("agent", undefined);
  app.decorateRequest("browser", undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (_request: FastifyRequest, bytes: Buffer) => parseBody(bytes),
  );
  for (const name of Object.keys(OPERATIONS) as OperationName[]) addRoute(app, name, setting, closing);
  refuseOtherMethods(app);
}

/** Fields that a path names differently. */
const IN_A_PATH: Readonly<Record<string, string>> = {
  session_id: "who",
  message_id: "id",
  reminder_id: "id",
  turn_id: "id",
  attention_id: "id",
  draft_id: "id",
  login_id: "id",
};

/** `null` counts as absent. */
function passOn(verb: Verb, always: HttpOperation["always"]): Handler {
  return async ({ parameters, query, body }, caller) => {
    const given = Object.entries({ ...parameters, ...query, ...body }).filter(([, value]) => value !== null);
    const fields = given.map(([key, value]) => [IN_A_PATH[key] ?? camelKey(key), value] as const);
    return toSnake(await caller.ask(verb, { ...Object.fromEntries(fields), ...always }));
  };
}

function addRoute(app: FastifyInstance, name: OperationName, setting: RouteSetting, closing: Closing): void {
  const operation: HttpOperation = OPERATIONS[name];
  const { verb, always } = operation;
  const handle = verb === undefined ? (HANDLERS[name as HandledName] as Handler) : passOn(verb, always);
  app.route({
    method: operation.method,
    url: routePath(operation),
    ...present({ bodyLimit: operation.bodyBytes }),
    config: present({ open: operation.open, token: operation.token }),
    handler: async (request, reply) => {
      const input = readInput<OperationName>(operation, request);
      const { user, now, environment } = setting;
      const asker = { user, now: now(), agent: request.agent };
      const caller = httpCaller(setting.useCases, asker, closing, environment, request.browser);
      return sendBody(reply, await beforeTheEnd(closing, "request", handle(input, caller)));
    },
  });
}

function sendBody(reply: FastifyReply, body: unknown): FastifyReply {
  if (body === undefined) return reply.code(204).send();
  // Not left to fastify, which sends a plain string as text.
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(body));
}

function routePath({ path }: HttpOperation): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function refuseOtherMethods(app: FastifyInstance): void {
  const taken = new Map<string, string[]>();
  for (const operation of Object.values<HttpOperation>(OPERATIONS)) {
    const methods = taken.get(routePath(operation)) ?? [];
    methods.push(operation.method, ...(operation.method === "GET" ? ["HEAD"] : []));
    taken.set(routePath(operation), methods);
  }
  for (const [url, methods] of taken) {
    app.route({
      method: app.supportedMethods.filter((method) => !methods.includes(method)),
      url,
      config: { wrongMethod: methods.join(", ") },
      handler: async () => {},
    });
  }
}
