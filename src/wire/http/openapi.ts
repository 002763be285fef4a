/** The table of operations as an OpenAPI 3.1 document. */
import { z } from "zod";
import { VERSION } from "../version.ts";
import * as answers from "./answers.ts";
import { clusterAnswer, hostsAnswer } from "./cluster-answers.ts";
import { idempotencyKey } from "./fields.ts";
import { type HttpOperation, OPERATIONS } from "./operations.ts";
import * as requests from "./requests.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas that deserve a name in generated clients. */
const NAMED_REQUESTS = {
  SendRequest: requests.sendBody,
  RemindRequest: requests.remindBody,
  HookEvent: requests.hookBody,
  HookTake: requests.hookTakeBody,
  SpawnRequest: requests.spawnBody,
  PauseRequest: requests.pauseBody,
  StopRequest: requests.stopBody,
  TakeRequest: requests.takeBody,
  AutoRunRequest: requests.autoRunBody,
  TurnSwitchRequest: requests.switchBody,
  TriggerRequest: requests.triggerBody,
  RestartRequest: requests.restartBody,
  NameRequest: requests.nameBody,
  AttentionAnswer: requests.attentionBody,
  QueueChange: requests.queueBody,
  PushRequest: requests.pushBody,
  QuietRequest: requests.quietBody,
  NoFields: requests.noFields,
};
const NAMED_ANSWERS = {
  Sent: answers.sentAnswer,
  SentUrgently: answers.urgentAnswer,
  SendQueue: answers.sendQueueAnswer,
  ReminderScheduled: answers.remindAnswer,
  Reminder: answers.reminder,
  Reminders: answers.remindersAnswer,
  Session: answers.session,
  Sessions: answers.sessionsAnswer,
  Message: answers.message,
  MessageStatus: answers.messageAnswer,
  History: answers.historyAnswer,
  Explanation: answers.explainAnswer,
  Screen: answers.peekAnswer,
  Inbox: answers.inboxAnswer,
  Started: answers.startedAnswer,
  Restarted: answers.restartedAnswer,
  DeadLetters: answers.deadLettersAnswer,
  Subscriptions: answers.subscriptionsAnswer,
  RouteTried: answers.triedAnswer,
  Traffic: answers.trafficAnswer,
  Logins: answers.loginsAnswer,
  Revoked: answers.revokedAnswer,
  Notifications: answers.pushAnswer,
  Subscribed: answers.subscribedAnswer,
  PushTested: answers.pushTestAnswer,
  Quiet: answers.quietAnswer,
  Status: answers.statusAnswer,
  Cluster: clusterAnswer,
  Hosts: hostsAnswer,
  Turn: answers.turn,
  Turns: answers.turnsAnswer,
  TurnSwitch: answers.switchAnswer,
  TurnTriggered: answers.triggeredAnswer,
  AutoRun: answers.autoRunAnswer,
  Conversation: answers.conversationAnswer,
  Timeline: answers.timelineAnswer,
  Queue: answers.queueAnswer,
  Drafts: answers.draftsAnswer,
  Error: answers.errorAnswer,
};
const NAMES = new Map<z.ZodType, string>(
  Object.entries({ ...NAMED_REQUESTS, ...NAMED_ANSWERS }).map(([name, schema]) => [schema, name]),
);

const REFUSALS: Readonly<Record<number, string>> = {
  400: "A field is wrong: the message says which.",
  401: "No token, or not this one.",
  403: "A page of another site asks.",
  404: "Nobody, and nothing, of that name.",
  409: "It means several, or contradicts what is there.",
  410: "It has ended, or its terminal or folder is gone.",
  413: "Too long.",
  415: "Not JSON.",
  421: "A host name that is not ours.",
  424: "tmux is not there, or does not do it.",
  429: "Too many wrong tokens; a right one is let in at any time.",
  500: "A fault of Bellhop.",
  503: "The daemon stops.",
  507: "The disk is full; nothing was stored.",
};
const ANY_REQUEST = [400, 401, 403, 421, 429, 500, 503];

export function openapiDocument(): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, operation] of Object.entries<HttpOperation>(OPERATIONS)) {
    const verbs = { [operation.method.toLowerCase()]: describe(name, operation) };
    paths[operation.path] = { ...paths[operation.path], ...verbs };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Bellhop",
      version: VERSION,
      description: "Carries messages between people and coding agents, and never barges in.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: 'The content of the file that "status" names.',
        },
      },
      schemas: { ...named(NAMED_REQUESTS, "input"), ...named(NAMED_ANSWERS, "output") },
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, description]) => [
          `Refused${status}`,
          {
            description,
            content: asJson(reference("Error")),
            ...(status === "429" ? { headers: { "Retry-After": { schema: { type: "integer" } } } } : {}),
          },
        ]),
      ),
    },
  };
}

function describe(name: string, operation: HttpOperation): JsonSchema {
  const { body, bodyExample, open } = operation;
  return {
    operationId: name,
    summary: operation.summary,
    ...(open === "to-all" ? { security: [] } : {}),
    ...parameters(operation),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: operation.bodyMayBeAbsent !== true,
            content: { "application/json": { schema: schemaOf(body, "input"), example: bodyExample } },
          },
        }),
    responses: { ...answersOf(operation), ...refusalsOf(operation) },
  };
}

function parameters(operation: HttpOperation): JsonSchema {
  const inPath = fieldsOf(operation.parameters).map(([name, field]) => ({
    name,
    in: "path",
    required: true,
    schema: schemaOf(field, "input"),
  }));
  const inQuery = fieldsOf(operation.query).map(([name, field]) => ({
    name,
    in: "query",
    required: !z.object({ [name]: field }).safeParse({}).success,
    schema: schemaOf(field, "output"),
  }));
  const inHeader =
    operation.repeatable === "by-key"
      ? [
          {
            name: "Idempotency-Key",
            in: "header",
            required: false,
            description: "The same key and content answer with the same id; other content is refused.",
            schema: schemaOf(idempotencyKey, "input"),
          },
        ]
      : [];
  const all = [...inPath, ...inQuery, ...inHeader];
  return all.length === 0 ? {} : { parameters: all };
}

function fieldsOf(schema: z.ZodObject | undefined): readonly (readonly [string, z.ZodType])[] {
  return Object.entries((schema?.shape ?? {}) as Record<string, z.ZodType>);
}

function answersOf({ answers: told }: HttpOperation): JsonSchema {
  return Object.fromEntries(
    Object.entries(told).map(([status, { says, schemas }]) => {
      const drawn = schemas.map((schema) => schemaOf(schema, "output"));
      const content =
        drawn.length === 0 ? {} : { content: asJson(drawn.length > 1 ? { anyOf: drawn } : drawn[0]) };
      return [status, { description: says, ...content }];
    }),
  );
}

function refusalsOf({ refusals = [], method, open }: HttpOperation): JsonSchema {
  const statuses = open === "to-all" ? [403, 421, 503] : [...ANY_REQUEST, ...refusals];
  // What has no body of its own may still come with one.
  const withBody = method === "GET" ? [] : [413, 415];
  return Object.fromEntries(
    [...new Set([...statuses, ...withBody])]
      .toSorted((a, b) => a - b)
      .map((status) => [status, { $ref: `#/components/responses/Refused${status}` }]),
  );
}

function asJson(schema: unknown): JsonSchema {
  return { "application/json": { schema } };
}

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const name = NAMES.get(schema);
  if (name !== undefined) return reference(name);
  return bare(z.toJSONSchema(schema, { io, override: io === "output" ? openEnded : () => {} }));
}

function named(schemas: Readonly<Record<string, z.ZodType>>, io: "input" | "output"): JsonSchema {
  const registry = z.registry<{ readonly id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const drawn = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    override: io === "output" ? openEnded : () => {},
  });
  return Object.fromEntries(Object.entries(drawn.schemas).map(([id, schema]) => [id, bare(schema)]));
}

/** Later versions may add fields: a client generated from this one should accept them. */
function openEnded({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

function bare(schema: object): JsonSchema {
  const { $schema: _dialect, $id: _id, "~standard": _standard, ...rest } = schema as Record<string, unknown>;
  return rest;
}
