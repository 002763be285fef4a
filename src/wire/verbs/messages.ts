/** Who sends what to whom, and what became of it. */
import { z } from "zod";
import { DELIVERY_STATES, EVIDENCE, type Json } from "../../core/message.ts";
import { mail, mailOf, type Need, ofMailbox, ofMessage, toSay } from "../../core/rights/needs.ts";
import { ATTACHED_LIMITS } from "../../core/text/attached.ts";
import type {
  AnswerResponse,
  ExplainResponse,
  ExportedEntry,
  HistoryEntry,
  SendResponse,
  ShownMessage,
  ShowResponse,
  TimelineEntry,
  WaitResponse,
} from "../shapes/messages.ts";
import { claims } from "./claims.ts";
import {
  address,
  body,
  duration,
  id,
  isEmpty,
  json,
  limit,
  line,
  name,
  patience,
  REQUEST_LIMITS,
  refused,
  timeWindow,
} from "./fields.ts";
import { type Checked, typed, verb } from "./verb.ts";

/** The content of a message: the fields of `send`, `reply` and `route`. */
export const said = {
  body,
  priority: line(REQUEST_LIMITS.keyNameCharacters).exactOptional(),
  raw: z.boolean().exactOptional(),
  keys: z.array(line(REQUEST_LIMITS.keyNameCharacters)).max(REQUEST_LIMITS.keys).exactOptional(),
  from: address.exactOptional(),
  command: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  payload: json.exactOptional(),
  /** The outside system it came from, such as `slack`, and its id there. */
  channel: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  externalId: line(REQUEST_LIMITS.addressCharacters).exactOptional(),
  idempotencyKey: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  require: z.enum(EVIDENCE).exactOptional(),
  atMostOnce: z.boolean().exactOptional(),
  /** A person's words are typed or wait, unless this allows every way of delivery. */
  anyWayIn: z.boolean().exactOptional(),
  /** Dropped if not taken by then; 0: never; absent: as configured. */
  timeoutMs: duration.exactOptional(),
  notifyOnDelivery: z.boolean().exactOptional(),
  /** Reminds the sender this long after the delivery. */
  notifyAfterMs: duration.exactOptional(),
  claims,
};

interface Words {
  readonly body?: string;
  readonly command?: string;
  readonly payload?: Json;
  readonly raw?: boolean;
  readonly keys?: readonly string[];
}

/** Keys alone are a message in raw form only; a command or a payload needs no text. */
function saysSomething({ raw, body: text = "", keys, command, payload }: Words): boolean {
  if (raw === true) return text !== "" || (keys?.length ?? 0) > 0;
  return text.trim() !== "" || command !== undefined || payload !== undefined;
}
/** Entries of one page. */
export const TIMELINE_LIMIT = 200;
const EMPTY_BODY = isEmpty("body");

export function keysAreRaw({ raw, keys }: Words): boolean {
  return raw === true || keys === undefined;
}
export const KEYS_WITHOUT_RAW = { error: 'are pressed only together with "raw": true', path: ["keys"] };

/** For descriptions: on a long text, a pattern takes too long. */
const BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";

export const attachment = z.strictObject({
  name: line(REQUEST_LIMITS.nameCharacters),
  content: z.string().refine(isBase64, "is not base64").meta({ pattern: BASE64 }),
});
const TO_ATTACH: readonly Need[] = [{ right: "admin", what: "attach files to messages", only: "owner" }];
const DIALOG_WITHOUT_RAW = { error: 'is answered only together with "raw": true', path: ["dialog"] };
const ATTACHED_TO_RAW = { error: "do not go with raw text", path: ["attachments"] };
export const TOO_MUCH_ATTACHED = {
  ...refused("message.too_large", `are longer than ${ATTACHED_LIMITS.bytes} bytes together`),
  path: ["attachments"],
};

function isBase64(content: string): boolean {
  return Buffer.from(content, "base64").toString("base64") === content;
}

export function isNotTooMuch(attachments: readonly { readonly content: string }[] = []): boolean {
  const bytes = attachments.map(({ content }) => Buffer.byteLength(content, "base64"));
  return bytes.reduce((sum, each) => sum + each, 0) <= ATTACHED_LIMITS.bytes;
}

export const messages = {
  send: verb(
    () =>
      z
        .strictObject({
          ...said,
          to: address,
          /** The message that this one answers. */
          re: id.exactOptional(),
          /** The code of the one dialog that its keys answer. */
          dialog: line(REQUEST_LIMITS.keyNameCharacters).exactOptional(),
          /** Files that come with it, by name and content in base64: the agent is told where they are. */
          attachments: z.array(attachment).min(1).max(ATTACHED_LIMITS.files).exactOptional(),
          /** The sender waits for the answer: refused if none could come. */
          asks: z.boolean().exactOptional(),
        })
        .refine(saysSomething, EMPTY_BODY)
        .refine(keysAreRaw, KEYS_WITHOUT_RAW)
        .refine(({ raw, dialog }) => raw === true || dialog === undefined, DIALOG_WITHOUT_RAW)
        .refine(({ raw, attachments }) => raw !== true || attachments === undefined, ATTACHED_TO_RAW)
        .refine(({ attachments }) => isNotTooMuch(attachments), TOO_MUCH_ATTACHED),
    typed<SendResponse>(),
    // An agent has its own files, and says where they are.
    ({ attachments, ...words }) => [...toSay(words), ...(attachments === undefined ? [] : TO_ATTACH)],
  ),
  reply: verb(
    () =>
      z
        .strictObject({ ...said, id })
        .refine(saysSomething, EMPTY_BODY)
        .refine(keysAreRaw, KEYS_WITHOUT_RAW),
    typed<SendResponse>(),
    ({ id: re, ...rest }) => toSay({ ...rest, re }),
  ),
  wait: verb(
    () => z.strictObject({ id, state: z.enum(DELIVERY_STATES), timeoutMs: patience.exactOptional() }),
    typed<WaitResponse>(),
    ofMessage,
  ),
  /**
   * Waits until it is answered, can no longer be answered, or the time is over. `take`: the caller confirms with `ack`
   * that they have the answer; until then nobody else gets it.
   */
  answer: verb(
    () => z.strictObject({ id, timeoutMs: patience, take: z.boolean().exactOptional() }),
    typed<AnswerResponse>(),
    ofMessage,
  ),
  /** Waits for its courier's first look: held and why, or what became of it. */
  verdict: verb(() => z.strictObject({ id, timeoutMs: patience }), typed<ShowResponse>(), ofMessage),
  show: verb(() => z.strictObject({ id }), typed<ShowResponse>(), ofMessage, {
    aliases: { messageId: "id" },
  }),
  explain: verb(() => z.strictObject({ id }), typed<ExplainResponse>(), ofMessage),
  /** The whole body, for an agent that was given a reference. Marks what is addressed to the reader as `read`. */
  read: verb(() => z.strictObject({ id, claims }), typed<{ readonly message: ShownMessage }>(), ofMessage),
  /** Newest first. */
  history: verb(
    () => z.strictObject({ who: address.exactOptional(), ...timeWindow.shape }),
    typed<{ readonly entries: readonly HistoryEntry[] }>(),
    ofMailbox,
  ),
  /** What came to an agent and from it: the newest page, oldest first; continue with `before` until it is absent. */
  timeline: verb(
    () =>
      z.strictObject({
        agent: name,
        before: z.int().min(0).exactOptional(),
        limit: z.int().min(1).max(TIMELINE_LIMIT).exactOptional(),
      }),
    typed<{ readonly entries: readonly TimelineEntry[]; readonly before?: number }>(),
    mailOf,
  ),
  /** One page of everything, oldest first; continue after `next` until it is absent. */
  export: verb(
    () =>
      z.strictObject({
        who: address.exactOptional(),
        unmatched: z.boolean().exactOptional(),
        after: z.int().min(0).exactOptional(),
        limit: limit.exactOptional(),
      }),
    typed<{ readonly entries: readonly ExportedEntry[]; readonly next?: number }>(),
    (request) => (request.unmatched === true ? mail() : ofMailbox(request)),
  ),
};

export type SendRequest = Checked<typeof messages.send.request>;
