/** HTTP operations that are more than a single verb. */
import type { z } from "zod";
import { splitAddress } from "../../core/address.ts";
import { LADDER } from "../../core/priority.ts";
import { requestToCamel, toSnake } from "../../wire/casing.ts";
import type { remindAnswer, sendQueueAnswer } from "../../wire/http/answers.ts";
import type { DELIVERY_MODES } from "../../wire/http/fields.ts";
import { openapiDocument } from "../../wire/http/openapi.ts";
import type { HandledName, InputOf } from "../../wire/http/operations.ts";
import type { QueuedDelivery } from "../../wire/shapes/messages.ts";
import type { ShownSession } from "../../wire/shapes/sessions.ts";
import type { HttpCaller } from "./caller.ts";
import { milliseconds, send } from "./send.ts";
import { holdInIsoTime, isoTime } from "./send-answer.ts";
import { webHandlers } from "./web-handlers.ts";

const STANDARD_COMMAND = ["claude"];

let document: object | undefined;

/** Each returns its body; `undefined` means no body. */
export const HANDLERS: {
  readonly [Name in HandledName]: (input: InputOf<Name>, caller: HttpCaller) => Promise<unknown>;
} = {
  send,
  sendQueue: async ({ parameters }, caller) =>
    sendQueue(await caller.ask("session", { who: parameters.session_id })),
  sessions: async (_, caller) => toSnake({ sessions: (await caller.ask("ls", {})).sessions }),
  pause: async ({ parameters, body }, caller) =>
    toSnake(await caller.ask("pause", { who: parameters.session_id, paused: body.paused ?? true })),
  stop: async ({ parameters, body }, caller) => {
    const graceMs = milliseconds(body.grace_seconds);
    return toSnake(await caller.ask("session_stop", { who: parameters.session_id, graceMs }));
  },
  restart: async ({ parameters, body }, caller) => {
    const { environment } = caller;
    const resume = body.resume ?? undefined;
    return toSnake(await caller.ask("restart", { who: parameters.session_id, resume, environment }));
  },
  // An HTTP caller has no shell environment, so the program gets the daemon's own variables.
  spawn: async ({ body }, caller) => {
    const started = await caller.ask("spawn", {
      prompt: body.prompt,
      command: body.command ?? STANDARD_COMMAND,
      folder: body.folder,
      environment: { ...caller.environment, ...body.environment },
      name: body.name ?? undefined,
      role: body.role ?? undefined,
      where: body.where ?? undefined,
    });
    return toSnake(started);
  },
  setAutoRun: async ({ parameters, query, body }, caller) => {
    const autoRun = requestToCamel(body.auto_run);
    return toSnake(await caller.ask("auto_run_set", { ...parameters, ...query, autoRun }));
  },
  ...webHandlers,
  remind,
  // The body is what the hook prints for its program, so that `curl` alone can be the hook.
  hook: async ({ parameters, body }, caller) => {
    const { program, payload, environment, emitted_at: emittedAt, takes, answer } = body;
    const { output, take } = await caller.ask("hook_event", {
      eventName: parameters.event,
      program,
      payload,
      environment,
      emittedAt,
      takes,
      answer,
    });
    return take === undefined ? output : { take };
  },
  takeHookAnswer: async ({ parameters, body }, caller) =>
    (await caller.ask("hook_take", { code: parameters.code, pid: body.pid })).output,
  openapi: async () => {
    document ??= openapiDocument();
    return document;
  },
  health: async () => ({ ok: true }),
};

/** A session reminds itself. */
async function remind(
  { body, idempotencyKey }: InputOf<"remind">,
  caller: HttpCaller,
): Promise<z.output<typeof remindAnswer>> {
  const reminder = await caller.ask("remind", {
    text: body.message,
    to: body.session_id,
    // For the owner, the session counts as the one who set it, unless they name another.
    from: body.set_by ?? (caller.agent === undefined ? body.session_id : undefined),
    afterMs: milliseconds(body.delay_seconds),
    everyMs: milliseconds(body.every_seconds),
    at: body.at === undefined || body.at === null ? undefined : Date.parse(body.at),
    cron: body.cron ?? undefined,
    idempotencyKey,
  });
  return {
    status: "scheduled",
    reminder_id: reminder.id,
    session_id: reminder.sessionId ?? (await sessionMeant(body.session_id, caller)),
    set_by: reminder.setBy,
    fire_at: isoTime(reminder.dueAt),
    message: reminder.text,
  };
}

/** A reminder by name goes to the agent's current session when it is due; this is the current one. */
async function sessionMeant(who: string, caller: HttpCaller): Promise<string> {
  try {
    const { sessionId, agent } = await caller.recipient(who);
    return sessionId ?? agent;
  } catch {
    return who;
  }
}

type SendQueue = z.output<typeof sendQueueAnswer>;

/** What waits for one session, in the field names of the first clients. */
function sendQueue({ sessionId, agent, readiness, deliveries, drafts }: ShownSession): SendQueue {
  const pending = deliveries.filter(({ state }) => state === "queued");
  const newest = drafts.toSorted((a, b) => b.keptAt - a.keptAt)[0];
  return {
    // An agent without a program is addressed by its name.
    session_id: sessionId ?? agent,
    is_idle: readiness === "idle",
    pending_count: pending.length,
    pending_messages: pending.map(pendingMessage),
    saved_user_input: newest?.text ?? null,
  };
}

function pendingMessage(delivery: QueuedDelivery): SendQueue["pending_messages"][number] {
  const { messageId, from, queuedAt, timeoutAt, priority, hold } = delivery;
  return {
    id: messageId,
    sender: splitAddress(from).rest,
    queued_at: isoTime(queuedAt),
    timeout_at: timeoutAt === undefined ? null : isoTime(timeoutAt),
    delivery_mode: (LADDER[priority].aliases[0] ?? priority) as (typeof DELIVERY_MODES)[number],
    ...(hold === undefined ? {} : { hold: holdInIsoTime(hold) }),
  };
}
