/** What can be asked by HTTP, and who answers it. Thin: read, call the use-case, answer. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AgentName, Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { camelKey, toSnake } from "../../wire/casing.ts";
import { openapiDocument } from "../../wire/http/openapi.ts";
import {
  type HandledName,
  type HttpOperation,
  type InputOf,
  OPERATIONS,
  type OperationName,
} from "../../wire/http/operations.ts";
import type { AskedUseCases, Verb } from "../../wire/verbs/index.ts";
import { type Closing, unless } from "../caller/closing.ts";
import { type HttpCaller, httpCaller } from "./caller.ts";
import { stopping } from "./errors.ts";
import { parseBody, readInput } from "./input.ts";
import { remind } from "./reminders.ts";
import { send } from "./send.ts";
import { sendQueue } from "./send-queue.ts";
import { spawn, stop } from "./sessions.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** A route that needs no token. */
    readonly open?: "to-all";
    /** A route that needs one on the socket too. */
    readonly token?: "everywhere";
    /** A path that is there, asked by a method that it does not take: those it does. */
    readonly wrongMethod?: string;
  }
  interface FastifyRequest {
    /** Set where the token was an agent's own. */
    agent: AgentName | undefined;
  }
}

export interface RouteSetting {
  readonly useCases: AskedUseCases;
  readonly user: string;
  readonly now: () => Instant;
  readonly environment: Readonly<Record<string, string>>;
}

let document: object | undefined;

type Handler = (input: InputOf<OperationName>, caller: HttpCaller) => Promise<unknown>;

/** Of operations that are more than a verb. Each answers its body; `undefined` is no body at all. */
const HANDLERS: {
  readonly [Name in HandledName]: (input: InputOf<Name>, caller: HttpCaller) => Promise<unknown>;
} = {
  send,
  sendQueue: async ({ parameters }, caller) =>
    sendQueue(await caller.ask("session", { who: parameters.session_id })),
  sessions: async (_, caller) => toSnake({ sessions: (await caller.ask("ls", {})).sessions }),
  pause: async ({ parameters, body }, caller) =>
    toSnake(await caller.ask("pause", { who: parameters.session_id, paused: body.paused ?? true })),
  stop,
  spawn,
  remind,
  // The body is what the hook prints for its program, so that `curl` alone can be the hook.
  hook: async ({ parameters, body }, caller) => {
    const { program, payload, environment, emitted_at: emittedAt } = body;
    const { output } = await caller.ask("hook_event", {
      eventName: parameters.event,
      program,
      payload,
      environment,
      emittedAt,
    });
    return output;
  },
  openapi: async () => {
    document ??= openapiDocument();
    return document;
  },
  health: async () => ({ ok: true }),
};

export function addRoutes(app: FastifyInstance, setting: RouteSetting, closing: Closing): void {
  app.decorateRequest("agent", undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (_request: FastifyRequest, bytes: Buffer) => parseBody(bytes),
  );
  for (const name of Object.keys(OPERATIONS) as OperationName[]) addRoute(app, name, setting, closing);
  refuseOtherMethods(app);
}

/** What a path calls by its own name. */
const IN_A_PATH: Readonly<Record<string, string>> = {
  session_id: "who",
  message_id: "id",
  reminder_id: "id",
};

/** Null is as good as absent. */
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
    config: {
      ...present({ open: operation.open, token: operation.token }),
    },
    handler: async (request, reply) => {
      const input = readInput<OperationName>(operation, request);
      const { user, now, environment } = setting;
      const asker = { user, now: now(), agent: request.agent };
      const caller = httpCaller(setting.useCases, asker, closing, environment);
      return sendBody(reply, await beforeTheEnd(closing, handle(input, caller)));
    },
  });
}

/** A request that hangs must not keep the daemon from stopping, nor its caller from knowing. */
function beforeTheEnd(closing: Closing, work: Promise<unknown>): Promise<unknown> {
  return unless(closing.over, work, () => {
    throw stopping(
      "The daemon stopped before it could answer; the request may or may not have been carried out.",
    );
  });
}

function sendBody(reply: FastifyReply, body: unknown): FastifyReply {
  if (body === undefined) return reply.code(204).send();
  // Not left to fastify: it sends a plain string as text.
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
