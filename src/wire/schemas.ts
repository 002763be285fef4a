/** What a request must look like. Doors only: zod costs more to load than a whole `send`. */
import { z } from "zod";
import type { ErrorCode } from "../core/errors.ts";
import { DELIVERY_STATES, EVIDENCE, type Json, LIMITS } from "../core/message.ts";
import { isWellFormed } from "../core/text/sanitise.ts";
import { LONGEST_DURATION_MS } from "../core/time/duration.ts";
import { WATCH_EVENTS } from "../core/watch.ts";
import { LONGEST_GRACE_MS } from "./host/host.ts";
import type { ListenRequest } from "./shapes/broker.ts";
import type { Claims } from "./shapes/messages.ts";
import type { FollowRequest, RequestOf, Verb } from "./shapes.ts";

export const REQUEST_LIMITS = {
  addressCharacters: 1_024,
  nameCharacters: 256,
  idCharacters: 128,
  keyNameCharacters: 32,
  keys: 64,
  programSessions: 16,
  environmentEntries: 64,
  environmentCharacters: 8_192,
  waitMs: 366 * 24 * 3_600 * 1_000,
  variables: 2_000,
  /** Of a command: the program and what it is given. A system takes no longer word than this. */
  words: 10_000,
  wordCharacters: 131_071,
  historyEntries: 1_000,
  peekLines: 10_000,
  cronCharacters: 128,
} as const;

function refused(errorCode: ErrorCode, error: string) {
  return { params: { errorCode }, error };
}

const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine(isWellFormed, refused("message.invalid_utf8", "holds half a character (a lone surrogate)"));

const address = line(REQUEST_LIMITS.addressCharacters);
const name = line(REQUEST_LIMITS.nameCharacters);
const id = line(REQUEST_LIMITS.idCharacters);

const body = z
  .string()
  .refine(isWellFormed, refused("message.invalid_utf8", "holds half a character (a lone surrogate)"))
  .refine(
    (text) => Buffer.byteLength(text) <= LIMITS.bodyBytes,
    refused("message.too_large", `is longer than ${LIMITS.bodyBytes} bytes`),
  );

/** Depth is already bounded where the bytes were parsed. */
const json = z.custom<Json>((value) => value !== undefined);

const claims = z.strictObject({
  user: name,
  session: id.exactOptional(),
  programSessions: z
    .record(z.string().max(REQUEST_LIMITS.nameCharacters), z.string().max(REQUEST_LIMITS.nameCharacters))
    .refine(
      (sessions) => Object.keys(sessions).length <= REQUEST_LIMITS.programSessions,
      "has too many entries",
    )
    .exactOptional(),
  agent: name.exactOptional(),
  pid: z.int().min(1).exactOptional(),
  tmux: z
    .strictObject({ socket: line(REQUEST_LIMITS.addressCharacters), pane: line(REQUEST_LIMITS.idCharacters) })
    .exactOptional(),
});

/** Who asks, beside any request. */
export const CLAIMS_SCHEMA: z.ZodType<Claims> = claims;

/** The last millisecond that a calendar date can name. */
const LATEST_INSTANT = 8_640_000_000_000_000;

const duration = z.int().min(0).max(LONGEST_DURATION_MS);
const instant = z.int().min(0).max(LATEST_INSTANT);

const said = {
  body,
  priority: line(REQUEST_LIMITS.keyNameCharacters).exactOptional(),
  raw: z.boolean().exactOptional(),
  keys: z.array(line(REQUEST_LIMITS.keyNameCharacters)).max(REQUEST_LIMITS.keys).exactOptional(),
  from: address.exactOptional(),
  command: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  payload: json.exactOptional(),
  channel: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  externalId: line(REQUEST_LIMITS.addressCharacters).exactOptional(),
  idempotencyKey: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  require: z.enum(EVIDENCE).exactOptional(),
  atMostOnce: z.boolean().exactOptional(),
  anyWayIn: z.boolean().exactOptional(),
  timeoutMs: duration.exactOptional(),
  notifyOnDelivery: z.boolean().exactOptional(),
  notifyAfterMs: duration.exactOptional(),
  claims,
};

interface Said {
  readonly body?: string;
  readonly command?: string;
  readonly payload?: Json;
  readonly raw?: boolean;
  readonly keys?: readonly string[];
}

/** Keys alone are a message in raw form only; a command or a payload is one without a word. */
const saysSomething = (request: Said) => {
  const { raw, body: text = "", keys, command, payload } = request;
  if (raw === true) return text !== "" || (keys?.length ?? 0) > 0;
  return text.trim() !== "" || command !== undefined || payload !== undefined;
};
const emptyBody = { ...refused("message.empty", "is empty"), path: ["body"] };
const keysAreRaw = (request: Said) => request.raw === true || request.keys === undefined;
const keysWithoutRaw = { error: 'are pressed only together with "raw": true', path: ["keys"] };

const size = (most: number) => z.int().min(1).max(most);
/** Of a person's shell: more names and longer values than a hook's. */
const environment = z
  .record(z.string().max(REQUEST_LIMITS.nameCharacters), z.string().max(LIMITS.bodyBytes))
  .refine((entries) => Object.keys(entries).length <= REQUEST_LIMITS.variables, "has too many entries");
const running = {
  command: z
    .array(
      z
        .string()
        .max(REQUEST_LIMITS.wordCharacters)
        .refine((word) => !word.includes("\0"), "holds a NUL"),
    )
    .min(1)
    .max(REQUEST_LIMITS.words),
  name: name.exactOptional(),
  role: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  folder: line(4_096),
  environment,
  columns: size(1_000).exactOptional(),
  rows: size(500).exactOptional(),
  where: z.enum(["pty", "tmux"]).exactOptional(),
  claims,
};

const nothing = z.strictObject({});
const mailbox = { agent: address, session: name.exactOptional(), claims };
const limit = z.int().min(1).max(REQUEST_LIMITS.historyEntries);
const timeWindow = {
  limit: limit.exactOptional(),
  fromTime: instant.exactOptional(),
  toTime: instant.exactOptional(),
};

const reqId = z.union([z.string().max(REQUEST_LIMITS.idCharacters), z.number()]);

/** For the doors that name their fields otherwise. */
export const REQUEST_FIELDS = {
  reqId,
  address,
  name,
  id,
  body,
  json,
  line,
  duration,
  limit,
  timeWindow,
} as const;

export const REQUEST_SCHEMAS: { readonly [V in Verb]: z.ZodType<RequestOf<V>> } = {
  send: z
    .strictObject({ ...said, to: address, re: id.exactOptional(), asks: z.boolean().exactOptional() })
    .refine(saysSomething, emptyBody)
    .refine(keysAreRaw, keysWithoutRaw),
  reply: z
    .strictObject({ ...said, id })
    .refine(saysSomething, emptyBody)
    .refine(keysAreRaw, keysWithoutRaw),
  wait: z.strictObject({
    id,
    state: z.enum(DELIVERY_STATES),
    timeoutMs: z.int().min(0).max(REQUEST_LIMITS.waitMs).exactOptional(),
  }),
  answer: z.strictObject({
    id,
    timeoutMs: z.int().min(0).max(REQUEST_LIMITS.waitMs),
    take: z.boolean().exactOptional(),
  }),
  route: z
    .strictObject({ ...said, body: body.exactOptional(), path: address, re: id.exactOptional() })
    .refine(keysAreRaw, keysWithoutRaw),
  receive: z.strictObject({ ...mailbox, limit: limit.exactOptional() }),
  mailbox_history: z.strictObject({ ...mailbox, ...timeWindow }),
  ack: z.strictObject({ id, agent: address.exactOptional(), session: name.exactOptional(), claims }),
  inbox: z.strictObject({
    who: address.exactOptional(),
    take: z.boolean().exactOptional(),
    limit: limit.exactOptional(),
    claims,
  }),
  sub_add: z.strictObject({ ...mailbox, pattern: address }),
  sub_remove: z.strictObject({ ...mailbox, pattern: address }),
  sub_list: z.strictObject(mailbox),
  unmatched: z.strictObject(timeWindow),
  unmatched_clear: nothing,
  unmatched_reroute: z.strictObject({ id: id.exactOptional() }),
  export: z.strictObject({
    who: address.exactOptional(),
    unmatched: z.boolean().exactOptional(),
    after: z.int().min(0).exactOptional(),
    limit: limit.exactOptional(),
  }),
  session_add: z.strictObject({
    agent: address,
    name,
    title: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  }),
  verdict: z.strictObject({ id, timeoutMs: z.int().min(0).max(REQUEST_LIMITS.waitMs) }),
  remind: z
    .strictObject({
      text: body,
      to: address.exactOptional(),
      afterMs: duration.exactOptional(),
      everyMs: duration.exactOptional(),
      at: instant.exactOptional(),
      atWritten: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
      cron: line(REQUEST_LIMITS.cronCharacters).exactOptional(),
      from: address.exactOptional(),
      idempotencyKey: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
      claims,
    })
    .refine(({ text }) => text.trim() !== "", { ...refused("message.empty", "is empty"), path: ["text"] }),
  reminders: z.strictObject({ who: address.exactOptional() }),
  reminder_cancel: z.strictObject({ id }),
  session: z.strictObject({ who: address }),
  run: z.strictObject(running),
  attach: z.strictObject({ who: address }),
  session_stop: z.strictObject({
    who: address,
    graceMs: z.int().min(0).max(LONGEST_GRACE_MS).exactOptional(),
  }),
  restart: z.strictObject({
    who: address,
    resume: z.boolean().exactOptional(),
    environment,
    columns: size(1_000).exactOptional(),
    rows: size(500).exactOptional(),
  }),
  spawn: z.strictObject({ ...running, prompt: body }).refine(({ prompt }) => prompt.trim() !== "", {
    ...refused("message.empty", "is empty"),
    path: ["prompt"],
  }),
  history: z.strictObject({ who: address.exactOptional(), ...timeWindow }),
  show: z.strictObject({ id }),
  explain: z.strictObject({ id }),
  read: z.strictObject({ id, claims }),
  ls: z.strictObject({ all: z.boolean().exactOptional() }),
  attention: z.strictObject({}),
  watch: z.strictObject({
    who: address,
    on: z.array(z.enum(WATCH_EVENTS)).min(1).max(WATCH_EVENTS.length).exactOptional(),
    once: z.boolean().exactOptional(),
    claims,
  }),
  unwatch: z.strictObject({ who: address, claims }),
  watches: z.strictObject({ claims }),
  queue: z.strictObject({ who: address.exactOptional() }),
  queue_change: z
    .strictObject({
      id,
      change: z.enum(["cancel", "now", "hold", "move", "priority"]),
      before: id.exactOptional(),
      priority: line(REQUEST_LIMITS.keyNameCharacters).exactOptional(),
    })
    .refine((request) => (request.change === "move") === (request.before !== undefined), {
      error: 'belongs to "change": "move", which needs it',
      path: ["before"],
    })
    .refine((request) => (request.change === "priority") === (request.priority !== undefined), {
      error: 'belongs to "change": "priority", which needs it',
      path: ["priority"],
    }),
  queue_clear: z.strictObject({ who: address }),
  pause: z.strictObject({ who: address, paused: z.boolean() }),
  draft_show: z.strictObject({ who: address }),
  draft_restore: z.strictObject({ who: address }),
  name: z.strictObject({ who: z.literal("").or(address), name, claims }),
  agent_add: z.strictObject({ name }),
  agent_list: nothing,
  agent_show: z.strictObject({ name }),
  agent_remove: z.strictObject({ name, force: z.boolean().exactOptional() }),
  peek: z.strictObject({
    who: address,
    ansi: z.boolean().exactOptional(),
    lines: z.int().min(1).max(REQUEST_LIMITS.peekLines).exactOptional(),
  }),
  transcript: z.strictObject({ who: address, last: limit.exactOptional() }),
  diagnose: nothing,
  status: nothing,
  hook_event: z.strictObject({
    eventName: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "is not the name of an event"),
    program: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "is not the name of a program")
      .exactOptional(),
    to: address.exactOptional(),
    emittedAt: z.int().min(0),
    payload: json,
    environment: z
      .record(
        z.string().max(REQUEST_LIMITS.nameCharacters),
        z.string().max(REQUEST_LIMITS.environmentCharacters),
      )
      .refine(
        (entries) => Object.keys(entries).length <= REQUEST_LIMITS.environmentEntries,
        "has too many entries",
      ),
  }),
  stop: nothing,
};

/** What does not end with one answer, and how to end it: the `req_id` it was begun with. */
export const STREAM_SCHEMAS = {
  listen: z.strictObject({
    ...mailbox,
    consume: z.boolean().exactOptional(),
    agentSince: z.int().exactOptional(),
  }),
  unlisten: z.strictObject({ listen: reqId }),
  follow: z.strictObject({ who: address.exactOptional() }),
  unfollow: z.strictObject({ follow: reqId }),
} as const satisfies {
  readonly listen: z.ZodType<ListenRequest>;
  readonly unlisten: z.ZodType;
  readonly follow: z.ZodType<FollowRequest>;
  readonly unfollow: z.ZodType;
};
