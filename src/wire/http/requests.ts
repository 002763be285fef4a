/** HTTP requests. These schemas check each request, and `/openapi.json` is generated from them. */
import { z } from "zod";
import { LIMITS } from "../../core/message.ts";
import { PRIORITIES } from "../../core/priority.ts";
import { ATTACHED_LIMITS } from "../../core/text/attached.ts";
import { isWellFormed } from "../../core/text/sanitise.ts";
import { LONGEST_DURATION_MS } from "../../core/time/duration.ts";
import { snakeKey } from "../casing.ts";
import { LONGEST_GRACE_MS } from "../host/host.ts";
import {
  eventName,
  HALF_A_CHARACTER,
  hookEnvironment,
  LATEST_INSTANT,
  programName,
  REQUEST_LIMITS,
} from "../verbs/fields.ts";
import { attachment, isNotTooMuch, TIMELINE_LIMIT, TOO_MUCH_ATTACHED } from "../verbs/messages.ts";
import { QUEUE_CHANGES } from "../verbs/queue.ts";
import { autoRunWords, TURN_LIMITS } from "../verbs/turns.ts";
import { pushTarget, quietHours } from "../verbs/web.ts";
import {
  deliveryMode,
  idempotencyKey,
  json,
  messageWord,
  optional,
  seconds,
  text,
  who,
  word,
} from "./fields.ts";

const environment = hookEnvironment.meta({ maxProperties: REQUEST_LIMITS.environmentEntries });

export const sendBody = z.strictObject({
  text,
  sender_session_id: optional(who).describe("Who says it. Without it: the person whose token this is."),
  delivery_mode: optional(deliveryMode).meta({
    default: "sequential",
    description: "sequential waits for idle, important for the end of the response, urgent interrupts.",
  }),
  timeout_seconds: optional(seconds).describe(
    "Dropped if nobody took it by then; 0: never; absent: as configured.",
  ),
  notify_on_delivery: optional(z.boolean()).describe("Tells the sender when it is delivered."),
  notify_after_seconds: optional(seconds).describe("Tells the sender this long after it was delivered."),
  any_way_in: optional(z.boolean()).describe(
    "What a person says is typed, or waits; true lets it take the program's own inbox too.",
  ),
  re: optional(messageWord).describe("The message that this one answers."),
  attachments: optional(
    z
      .array(attachment)
      .min(1)
      .max(ATTACHED_LIMITS.files)
      .refine(isNotTooMuch, { ...TOO_MUCH_ATTACHED, path: [] }),
  ).describe("Files that come with it: the agent is told where they are. Content in base64."),
  idempotency_key: optional(idempotencyKey).describe(
    "Like the header Idempotency-Key: the same key is the same message.",
  ),
});

export const queueBody = z.strictObject({
  change: z.enum(QUEUE_CHANGES).describe("unhold takes back hold and now."),
  before: optional(messageWord).describe("With move: it goes right before this one, with its priority."),
  after: optional(messageWord).describe("With move: it goes right after this one, with its priority."),
  priority: optional(z.enum(PRIORITIES)).describe("With priority."),
});

export const remindBody = z.strictObject({
  session_id: who,
  message: text,
  delay_seconds: optional(seconds).describe(
    "From now. Give one of delay_seconds, at, cron, or every_seconds alone.",
  ),
  every_seconds: optional(seconds).describe("Again and again; alone, or after a first delay_seconds or at."),
  at: optional(z.iso.datetime({ offset: true })).describe("ISO 8601 with Z or an offset."),
  cron: optional(word(REQUEST_LIMITS.cronCharacters)).describe(
    "Five fields, in the machine's own time zone.",
  ),
  set_by: optional(who).describe("Who sets it. Without it: the session itself."),
  idempotency_key: optional(idempotencyKey).describe(
    "Like the header Idempotency-Key: the same key is the same reminder.",
  ),
});

export const pauseBody = z.strictObject({
  paused: optional(z.boolean()).meta({
    default: true,
    description: "true: only interrupts get through; false: everything goes out again.",
  }),
});

export const stopBody = z.strictObject({
  grace_seconds: optional(
    z
      .number()
      .min(0)
      .max(LONGEST_GRACE_MS / 1_000),
  ).describe("How long its program is asked before it is made to end; 5 without it."),
});

export const restartBody = z.strictObject({
  resume: optional(z.boolean()).meta({
    default: false,
    description: "true: it goes on with its conversation.",
  }),
});

export const nameBody = z.strictObject({
  name: word(REQUEST_LIMITS.nameCharacters).describe("What it is called from now on."),
});

export const attentionBody = z.strictObject({
  answer: z.enum(["approve", "deny"]).describe("This once; never for good."),
});

export const takeBody = z.strictObject({
  who: optional(who).describe("Whose. Without it: your own."),
  limit: optional(z.int().min(1).max(REQUEST_LIMITS.historyEntries)),
});

/** For a command or a path. */
const plain = (max: number, pattern: RegExp, fault: string) =>
  z.string().max(max).regex(pattern, fault).refine(isWellFormed, HALF_A_CHARACTER);
const argument = plain(REQUEST_LIMITS.wordCharacters, /^[^\u0000]*$/, "holds a NUL character");

export const spawnBody = z.strictObject({
  prompt: text.describe("The first message to it."),
  folder: plain(4_096, /^\/[^\u0000]*$/, "is no absolute path").describe(
    "Where it runs: an absolute path on the daemon's machine.",
  ),
  command: optional(z.array(argument).min(1).max(REQUEST_LIMITS.words)).meta({
    default: ["claude"],
    description: "The program, and each of its arguments.",
  }),
  name: optional(word(REQUEST_LIMITS.nameCharacters)).describe(
    "What the agent is called; else its folder's name.",
  ),
  role: optional(word(REQUEST_LIMITS.nameCharacters)).describe("What it is there for."),
  environment: optional(environment).describe("Set on top of the daemon's own variables."),
  where: optional(z.enum(["pty", "tmux"])).meta({ default: "pty" }),
});

const code = word(REQUEST_LIMITS.idCharacters);

export const hookBody = z.strictObject({
  program: programName,
  payload: json
    .refine((value) => value !== undefined, "is missing")
    .describe(`What the program told its hook; at most ${LIMITS.jsonDepth} levels deep.`),
  environment: environment.exactOptional(),
  emitted_at: z.int().min(0).describe("Unix milliseconds.").exactOptional(),
  event_name: z
    .string()
    .max(REQUEST_LIMITS.nameCharacters)
    .describe("What the spool needs; here the path says it.")
    .exactOptional(),
  takes: z.boolean().describe("The hook prints text that it gets for its program.").exactOptional(),
  answer: code.describe("The code of the answer that the hook has printed.").exactOptional(),
});

export const hookTakeBody = z.strictObject({
  pid: z.int().min(1).describe("The hook's own process."),
});

/** As the verb has them, in snake_case. */
const autoRunFields = z.strictObject(
  Object.fromEntries(
    Object.entries<z.ZodType>(autoRunWords.shape).map(([key, field]) => [snakeKey(key), field]),
  ),
);

export const autoRunBody = z.strictObject({
  auto_run: z
    .boolean()
    .or(autoRunFields)
    .nullable()
    .describe("true, false, or what is to differ; null takes back what was said."),
});

export const switchBody = z.strictObject({
  on: z.boolean().describe("false: no turn starts, and those that run are stopped."),
});

const sessionName = word(REQUEST_LIMITS.nameCharacters).describe(
  "One of its sessions, by name or id. Without it: the main one.",
);

export const triggerBody = z.strictObject({
  session: optional(sessionName),
  messages: optional(z.array(text).max(TURN_LIMITS.messages)).describe(
    "What the turn is about. Without it: what waits.",
  ),
});

export const agentPath = z.strictObject({
  agent: word(REQUEST_LIMITS.addressCharacters).describe("An agent's name."),
});
export const turnPath = z.strictObject({ turn_id: word(REQUEST_LIMITS.idCharacters) });
export const sessionPath = z.strictObject({ session_id: who });
export const attentionPath = z.strictObject({
  attention_id: word(REQUEST_LIMITS.idCharacters).describe("Its id: it belongs to one dialog."),
});
export const messagePath = z.strictObject({ message_id: messageWord });
export const reminderPath = z.strictObject({ reminder_id: word(REQUEST_LIMITS.idCharacters) });
export const draftPath = z.strictObject({ session_id: who, draft_id: word(REQUEST_LIMITS.idCharacters) });
export const hookTakePath = z.strictObject({ code });
export const hookPath = z.strictObject({ event: eventName });

/** In a URL, numbers arrive as text. */
const whole = (least: number, most: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value),
    z.int().min(least).max(most),
  );
const time = whole(0, LATEST_INSTANT).describe("Unix milliseconds.").exactOptional();

const yes = z
  .preprocess((value) => (value === "true" ? true : value === "false" ? false : value), z.boolean())
  .exactOptional();

export const peekQuery = z.strictObject({
  lines: whole(1, REQUEST_LIMITS.peekLines)
    .describe("So many of the last ones, also those that scrolled off.")
    .exactOptional(),
  ansi: yes,
});

export const inboxQuery = z.strictObject({
  who: who.exactOptional(),
  limit: whole(1, REQUEST_LIMITS.historyEntries).exactOptional(),
});

export const historyQuery = z.strictObject({
  limit: whole(1, REQUEST_LIMITS.historyEntries).exactOptional(),
  from_time: time,
  to_time: time,
});

/** For what is said by its path alone: a POST is JSON, as no form of another page is. */
export const noFields = z.strictObject({});

export const subscriptionsQuery = z.strictObject({
  limit: whole(1, REQUEST_LIMITS.historyEntries).exactOptional(),
  after: word(2 * REQUEST_LIMITS.addressCharacters)
    .describe("The `next` of the page before.")
    .exactOptional(),
});

export const tryQuery = z.strictObject({
  path: word(REQUEST_LIMITS.addressCharacters).describe("Where a message would be sent."),
  from: word(REQUEST_LIMITS.addressCharacters)
    .describe("Who would send it. Without it: whose token this is.")
    .exactOptional(),
});

export const trafficQuery = z.strictObject({
  within_ms: whole(0, LONGEST_DURATION_MS)
    .describe("Only what was sent in this time until now.")
    .exactOptional(),
});

const page = whole(1, REQUEST_LIMITS.historyEntries).exactOptional();

export const turnsQuery = z.strictObject({
  agent: agentPath.shape.agent.exactOptional(),
  session: sessionName.exactOptional(),
  limit: page,
});

export const autoRunQuery = z.strictObject({
  session: sessionName.describe("One of its sessions, by name or id. Without it: the agent.").exactOptional(),
});

export const timelineQuery = z.strictObject({
  limit: whole(1, TIMELINE_LIMIT).exactOptional(),
  before: whole(0, Number.MAX_SAFE_INTEGER).describe("From the answer with the page before.").exactOptional(),
});

export const conversationQuery = z.strictObject({
  session: sessionName.exactOptional(),
  limit: page,
  before: whole(0, Number.MAX_SAFE_INTEGER).describe("From the answer with the page before.").exactOptional(),
});

export const loginPath = z.strictObject({ login_id: word(REQUEST_LIMITS.idCharacters) });

export const quietBody = z.strictObject({
  hours: optional(quietHours.hours).describe(
    "Two times of day, by the clock of Bellhop's machine; without them, none.",
  ),
  except: quietHours.except.describe("The kinds that come nevertheless."),
});

export const pushBody = z.strictObject({
  endpoint: pushTarget.endpoint.describe("Of a push service that Bellhop knows, or of web.push_services."),
  public_key: pushTarget.publicKey.describe("Its key p256dh."),
  secret: pushTarget.secret.describe("Its key auth."),
});
