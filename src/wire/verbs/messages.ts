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

/** What is said, to whomever: the fields of `send`, `reply` and `route`. */
export const said = {
  body,
  priority: line(REQUEST_LIMITS.keyNameCharacters).exactOptional(),
  raw: z.boolean().exactOptional(),
  keys: z.array(line(REQUEST_LIMITS.keyNameCharacters)).max(REQUEST_LIMITS.keys).exactOptional(),
  from: address.exactOptional(),
  command: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  payload: json.exactOptional(),
  /** The outside system it was brought from, such as `slack`, and its id there. */
  channel: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  externalId: line(REQUEST_LIMITS.addressCharacters).exactOptional(),
  idempotencyKey: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  require: z.enum(EVIDENCE).exactOptional(),
  atMostOnce: z.boolean().exactOptional(),
  /** A person's words are typed or wait, unless this lets them take every way in. */
  anyWayIn: z.boolean().exactOptional(),
  /** Dropped when nobody took it by then; 0: never; absent: as configured. */
  timeoutMs: duration.exactOptional(),
  notifyOnDelivery: z.boolean().exactOptional(),
  /** Tells the sender this long after the delivery. */
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

/** Keys alone are a message in raw form only; a command or a payload is one without a word. */
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
    z
      .strictObject({
        ...said,
        to: address,
        /** Answers this message. */
        re: id.exactOptional(),
        /** Whoever sends it waits for the answer: refused where none could come meanwhile. */
        asks: z.boolean().exactOptional(),
      })
      .refine(saysSomething, EMPTY_BODY)
      .refine(keysAreRaw, KEYS_WITHOUT_RAW),
    typed<SendResponse>(),
    toSay,
  ),
  reply: verb(
    z
      .strictObject({ ...said, id })
      .refine(saysSomething, EMPTY_BODY)
      .refine(keysAreRaw, KEYS_WITHOUT_RAW),
    typed<SendResponse>(),
    ({ id: re, ...rest }) => toSay({ ...rest, re }),
  ),
  wait: verb(
    z.strictObject({ id, state: z.enum(DELIVERY_STATES), timeoutMs: patience.exactOptional() }),
    typed<WaitResponse>(),
    ofMessage,
  ),
  /**
   * Until somebody has answered it, nobody can any more, or the time is over. `take`: whoever asks says with `ack` that
   * they have the answer; until then nobody else gets it.
   */
  answer: verb(
    z.strictObject({ id, timeoutMs: patience, take: z.boolean().exactOptional() }),
    typed<AnswerResponse>(),
    ofMessage,
  ),
  /** Until its courier has looked once: held and why, or what became of it. */
  verdict: verb(z.strictObject({ id, timeoutMs: patience }), typed<ShowResponse>(), ofMessage),
  show: verb(z.strictObject({ id }), typed<ShowResponse>(), ofMessage, {
    aliases: { messageId: "id" },
  }),
  explain: verb(z.strictObject({ id }), typed<ExplainResponse>(), ofMessage),
  /** The whole body, for an agent that was given a reference. What is for the reader is `read` from then on. */
  read: verb(z.strictObject({ id, claims }), typed<{ readonly message: ShownMessage }>(), ofMessage),
  /** Newest first. */
  history: verb(
    z.strictObject({ who: address.exactOptional(), ...timeWindow.shape }),
    typed<{ readonly entries: readonly HistoryEntry[] }>(),
    ofMailbox,
  ),
  /** One page of everything, oldest first; go on behind `next` until there is none. */
  export: verb(
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
