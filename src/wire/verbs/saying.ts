/** What is said, to whomever: the fields of `send`, `reply` and `route`. */
import { z } from "zod";
import { EVIDENCE, type Json } from "../../core/message.ts";
import { claims } from "./claims.ts";
import { address, body, duration, isEmpty, json, line } from "./fields.ts";
import { REQUEST_LIMITS } from "./limits.ts";

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
export function saysSomething({ raw, body: text = "", keys, command, payload }: Words): boolean {
  if (raw === true) return text !== "" || (keys?.length ?? 0) > 0;
  return text.trim() !== "" || command !== undefined || payload !== undefined;
}
export const EMPTY_BODY = isEmpty("body");

export function keysAreRaw({ raw, keys }: Words): boolean {
  return raw === true || keys === undefined;
}
export const KEYS_WITHOUT_RAW = { error: 'are pressed only together with "raw": true', path: ["keys"] };
