/**
 * Recognises the most frequent frames, a text to an address, without their schema, which costs more than routing the
 * message. It is stricter: whatever it does not recognise goes to the schema, which also says what is wrong.
 */
import { LIMITS } from "../../core/message.ts";
import { isWellFormed } from "../../core/text/sanitise.ts";
import { REQUEST_LIMITS } from "../../wire/verbs/fields.ts";
import type { ReqId, WsType } from "../../wire/ws/schemas.ts";

export function isPlainPublish(type: WsType, fields: Readonly<Record<string, unknown>>): boolean {
  const whither = type === "msg.route" ? "path" : "to";
  if ((type !== "msg.route" && type !== "msg.send") || !isPlainAddress(fields[whither])) return false;
  for (const field in fields) {
    if (field === "type" || field === whither) continue;
    const value = fields[field];
    if (field === "body" ? !isPlainBody(value) : field !== "reqId" || !isReqId(value)) return false;
  }
  return true;
}

/** As its schema has it. */
export function isReqId(value: unknown): value is ReqId {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value === "string" && value.length <= REQUEST_LIMITS.idCharacters;
}

function isPlainAddress(value: unknown): boolean {
  if (typeof value !== "string" || value === "") return false;
  return value.length <= REQUEST_LIMITS.addressCharacters && isWellFormed(value);
}

function isPlainBody(value: unknown): boolean {
  if (typeof value !== "string" || !isWellFormed(value)) return false;
  // Three bytes at most for each unit of a string.
  return value.length * 3 <= LIMITS.bodyBytes || Buffer.byteLength(value) <= LIMITS.bodyBytes;
}
