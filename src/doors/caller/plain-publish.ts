/**
 * Recognises the most frequent requests, a text to an address, without their schema, which costs more than routing the
 * message. It is stricter: whatever it does not recognise goes to the schema, which also says what is wrong.
 */
import { isDeepStrictEqual } from "node:util";
import { LIMITS } from "../../core/message.ts";
import { isWellFormed } from "../../core/text/sanitise.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import { REQUEST_LIMITS } from "../../wire/verbs/fields.ts";
import type { RequestOf, Verb } from "../../wire/verbs/index.ts";
import type { ReqId, WsType } from "../../wire/ws/schemas.ts";
import type { Ask, Caller } from "./requests.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A frame of the WebSocket protocol. */
export function isPlainPublish(type: WsType, fields: Fields): boolean {
  const whither = type === "msg.route" ? "path" : "to";
  if ((type !== "msg.route" && type !== "msg.send") || !isPlainAddress(fields[whither])) return false;
  for (const field in fields) {
    if (field === "type" || field === whither) continue;
    const value = fields[field];
    if (field === "body" ? !isPlainBody(value) : field !== "reqId" || !isReqId(value)) return false;
  }
  return true;
}

type PlainVerb = "send" | "route";

/**
 * For the requests of one connection. Their claims are mostly the same each time: what was read from them once holds for
 * the next.
 */
export class PlainSends {
  #known: { readonly said: unknown; readonly user: string; readonly claims: Claims } | undefined;

  /** What it recognises becomes the request itself: a copy takes longer than all the looking. */
  read(verb: Verb, fields: Record<string, unknown>, caller: Caller): Ask<RequestOf<PlainVerb>> | undefined {
    if (!isPlainSend(verb, fields)) return undefined;
    const claims = this.#claims(fields.claims, caller);
    if (claims === undefined) return undefined;
    fields.claims = claims;
    return { request: fields as RequestOf<PlainVerb>, claims };
  }

  /** The schema read these claims. */
  learn({ claims: said }: Fields, { user, agent }: Caller, claims: Claims): void {
    if (said !== undefined && agent === undefined) this.#known = { said, user, claims };
  }

  #claims(said: unknown, { user, agent }: Caller): Claims | undefined {
    if (agent !== undefined) return undefined;
    if (said === undefined) return { user };
    const known = this.#known;
    return known?.user === user && areSame(known.said, said) ? known.claims : undefined;
  }
}

/** Of most claims, each field is a plain value: then nothing needs to be compared in depth. */
function areSame(known: unknown, said: unknown): boolean {
  if (!isFields(known) || !isFields(said)) return isDeepStrictEqual(known, said);
  let fields = 0;
  for (const field in said) {
    if (!Object.hasOwn(known, field)) return false;
    if (said[field] !== known[field] && !isDeepStrictEqual(said[field], known[field])) return false;
    fields += 1;
  }
  for (const _ in known) fields -= 1;
  return fields === 0;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isPlainSend(verb: Verb, fields: Fields): verb is PlainVerb {
  if (verb !== "route" && verb !== "send") return false;
  const whither = verb === "route" ? "path" : "to";
  const { body } = fields;
  if (!isPlainAddress(fields[whither]) || !isPlainBody(body)) return false;
  if (verb === "send" && (body as string).trim() === "") return false;
  for (const field in fields) {
    if (field === whither || field === "body" || field === "claims") continue;
    if (field !== "idempotencyKey" || !isPlainName(fields[field])) return false;
  }
  return true;
}

/** As its schema has it. */
export function isReqId(value: unknown): value is ReqId {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value === "string" && value.length <= REQUEST_LIMITS.idCharacters;
}

function isPlainAddress(value: unknown): boolean {
  return isLine(value, REQUEST_LIMITS.addressCharacters);
}

function isPlainName(value: unknown): boolean {
  return isLine(value, REQUEST_LIMITS.nameCharacters);
}

function isLine(value: unknown, most: number): boolean {
  return typeof value === "string" && value !== "" && value.length <= most && isWellFormed(value);
}

function isPlainBody(value: unknown): boolean {
  if (typeof value !== "string" || !isWellFormed(value)) return false;
  // Three bytes at most for each unit of a string.
  return value.length * 3 <= LIMITS.bodyBytes || Buffer.byteLength(value) <= LIMITS.bodyBytes;
}
