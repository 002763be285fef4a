/** Who sends what to whom, and what became of it. */
import { z } from "zod";
import { DELIVERY_STATES, EVIDENCE, type Json } from "../../core/message.ts";
import { mail, ofMailbox, ofMessage, toSay } from "../../core/rights/needs.ts";
import type {
  AnswerResponse,
  ExplainResponse,
  ExportedEntry,
  HistoryEntry,
  SendResponse,
  ShownMessage,
  ShowResponse,
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
  patience,
  REQUEST_LIMITS,
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
const EMPTY_BODY = isEmpty("body");

export function keysAreRaw({ raw, keys }: Words): boolean {
  return raw === true || keys === undefined;
}
export const KEYS_WITHOUT_RAW = { error: 'are pressed only together with "raw": true', path: ["keys"] };

export const messages = {
  send: verb(
    () =>
      z
        .strictObject({
          ...said,
          to: address,
          /** The message that this one answers. */
          re: id.exactOptional(),
          /** The sender waits for the answer: refused if none could come. */
          asks: z.boolean().exactOptional(),
        })
        .refine(saysSomething, EMPTY_BODY)
        .refine(keysAreRaw, KEYS_WITHOUT_RAW),
    typed<SendResponse>(),
    toSay,
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
