/** What can be asked by HTTP, and who answers it. Thin: read, call the use-case, answer. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AgentName, Instant } from "../../core/message.ts";
import { toSnake } from "../../wire/casing.ts";
import { openapiDocument } from "../../wire/http/openapi.ts";
import {
  type HttpOperation,
  type InputOf,
  OPERATIONS,
  type OperationName,
} from "../../wire/http/operations.ts";
import type { AskedUseCases } from "../../wire/verbs/index.ts";
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

/** Each answers its body; `undefined` is no body at all. */
const HANDLERS: {
  readonly [Name in OperationName]: (input: InputOf<Name>, caller: HttpCaller) => Promise<unknown>;
} = {
  send,
  sendQueue: async ({ parameters }, caller) =>
    sendQueue(await caller.ask("session", { who: parameters.session_id })),
  sessions: async (_, caller) => toSnake({ sessions: (await caller.ask("ls", {})).sessions }),
  history: async ({ parameters, query }, caller) =>
    toSnake(
      await caller.ask("history", {
        who: parameters.session_id,
        limit: query.limit,
        fromTime: query.from_time,
        toTime: query.to_time,
      }),
    ),
  peek: async ({ parameters, query }, caller) =>
    toSnake(await caller.ask("peek", { who: parameters.session_id, ...query })),
  pause: async ({ parameters, body }, caller) =>
    toSnake(await caller.ask("pause", { who: parameters.session_id, paused: body.paused ?? true })),
  stop,
  spawn,
  inbox: async ({ query }, caller) => toSnake(await caller.ask("inbox", { ...query })),
  take: async ({ body }, caller) =>
    toSnake(
      await caller.ask("inbox", { who: body.who ?? undefined, limit: body.limit ?? undefined, take: true }),
    ),
  cancel: async ({ parameters }, caller) =>
    toSnake(await caller.ask("queue_change", { id: parameters.message_id, change: "cancel" })),
  message: async ({ parameters }, caller) => toSnake(await caller.ask("show", { id: parameters.message_id })),
  explain: async ({ parameters }, caller) =>
    toSnake(await caller.ask("explain", { id: parameters.message_id })),
  remind,
  reminders: async (_, caller) => toSnake(await caller.ask("reminders", {})),
  cancelReminder: async ({ parameters }, caller) =>
    toSnake(await caller.ask("reminder_cancel", { id: parameters.reminder_id })),
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
  status: async (_, caller) => toSnake(await caller.ask("status", {})),
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

function addRoute<Name extends OperationName>(
  app: FastifyInstance,
  name: Name,
  setting: RouteSetting,
  closing: Closing,
): void {
  const operation: HttpOperation = OPERATIONS[name];
  const handle = HANDLERS[name];
  app.route({
    method: operation.method,
    url: routePath(operation),
    config: {
      ...(operation.open === undefined ? {} : { open: operation.open }),
      ...(operation.token === undefined ? {} : { token: operation.token }),
    },
    handler: async (request, reply) => {
      const input = readInput<Name>(operation, request);
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
