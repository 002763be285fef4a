/** The table behind every door: verb → schema → use-case. Doors parse bytes and identify callers. */
import type { z } from "zod";
import { BellhopError, type ErrorCode, isErrorCode, isOutOfFiles, outOfFiles } from "../../core/errors.ts";
import { type AgentName, type Instant, LIMITS } from "../../core/message.ts";
import { nearest } from "../../core/text/nearest.ts";
import type { Log } from "../../ports/log.ts";
import { snakeKey } from "../../wire/casing.ts";
import { malformed } from "../../wire/lines.ts";
import { type Claims, claims as claimsSchema } from "../../wire/verbs/claims.ts";
import {
  type AskedUseCases,
  type RequestOf,
  type ResponseOf,
  STREAMS,
  type StreamRequestOf,
  type StreamVerb,
  VERBS,
  type Verb,
} from "../../wire/verbs/index.ts";
import type { StreamEntry, VerbEntry } from "../../wire/verbs/verb.ts";

/** What a door knows about a caller from its credential. */
export interface Caller {
  readonly user: string;
  readonly now: Instant;
  /** Set if the credential was an agent's own: the caller speaks only for that agent. */
  readonly agent?: AgentName | undefined;
}

export const VERB_NAMES = Object.keys(VERBS) as readonly Verb[];

export function isVerb(text: string): text is Verb {
  return Object.hasOwn(VERBS, text);
}

export function readVerb(type: unknown): Verb {
  if (typeof type !== "string")
    throw malformed('The request has no "type".', `Name what you want, such as {"type":"status"}.`);
  if (isVerb(type)) return type;
  const meant = nearest(type, [...VERB_NAMES, ...Object.keys(STREAMS)]);
  throw malformed(
    `There is no request ${JSON.stringify(type.slice(0, 64))}.`,
    meant === undefined ? `Use one of: ${VERB_NAMES.join(", ")}.` : `Did you mean "${meant}"?`,
  );
}

/** A request, and who makes it. */
export interface Ask<Request> {
  readonly request: Request;
  readonly claims: Claims;
}

/** Expects camelCase fields. Any request may say who makes it; some have their own field for that. */
export function readRequest<V extends Verb>(
  verb: V,
  said: Readonly<Record<string, unknown>>,
  caller: Caller,
): Ask<RequestOf<V>> {
  const entry: Pick<VerbEntry, "request" | "defaults" | "aliases"> = VERBS[verb];
  const fields = { ...entry.defaults?.(caller.now), ...inOurWords(said, entry.aliases) };
  return readBy<RequestOf<V>>(entry.request, verb, fields, caller);
}

/** Like `readRequest`, for requests with more than one answer. */
export function readStreamRequest<V extends StreamVerb>(
  verb: V,
  fields: Readonly<Record<string, unknown>>,
  caller: Caller,
): Ask<StreamRequestOf<V>> {
  const { request }: Pick<StreamEntry, "request"> = STREAMS[verb];
  return readBy<StreamRequestOf<V>>(request, verb, fields, caller);
}

function readBy<Request>(
  schema: z.ZodType,
  name: string,
  { claims: said, ...fields }: Readonly<Record<string, unknown>>,
  caller: Caller,
): Ask<Request> {
  const claims = ownClaims(said, caller);
  const saysWho = "claims" in shapeOf(schema);
  const parsed = schema.safeParse(saysWho ? { claims, ...fields } : fields);
  if (!parsed.success) throw refusal(name, schema, parsed.error);
  const request = parsed.data as Request;
  if (!saysWho) return { request, claims: readClaims(name, claims) };
  return { request, claims: (request as { readonly claims: Claims }).claims };
}

function inOurWords(
  fields: Readonly<Record<string, unknown>>,
  aliases: Readonly<Record<string, string>> = {},
): Readonly<Record<string, unknown>> {
  let ours = fields;
  for (const [alias, name] of Object.entries(aliases)) {
    if (ours[alias] === undefined) continue;
    const { [alias]: value, ...others } = ours;
    ours = { [name]: value, ...others };
  }
  return ours;
}

function readClaims(verb: string, claims: unknown): Claims {
  const parsed = claimsSchema.safeParse(claims);
  if (parsed.success) return parsed.data;
  throw refusal(`${verb}.claims`, claimsSchema, parsed.error);
}

export function answerRequest<V extends Verb>(
  useCases: AskedUseCases,
  verb: V,
  { request, claims }: Ask<RequestOf<V>>,
): Promise<ResponseOf<V>> {
  const useCase: (request: RequestOf<V>, claims: Claims) => Promise<ResponseOf<V>> = useCases[verb];
  return useCase(request, claims);
}

/** Turns anything thrown into an error that may be shown. A bug is logged with its cause and shown without it. */
export function tellable(error: unknown, log: Log, verb: string): BellhopError {
  if (error instanceof BellhopError) return error;
  if (isOutOfFiles(error)) return outOfFiles("That could not be done", error);
  log.error("door.bug", {
    verb,
    cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return new BellhopError("internal.bug", {
    message: "Bellhop failed unexpectedly.",
    next: 'Look at "bellhop logs" and report what you find.',
  });
}

/** The credential decides who asks, whatever the caller claims; an agent's credential replaces all claims. */
function ownClaims(claims: unknown, { user, agent }: Caller): unknown {
  if (agent !== undefined) return { user, agent };
  if (claims === undefined) return { user };
  if (claims === null || typeof claims !== "object" || Array.isArray(claims)) return claims;
  const { agent: _said, user: _too, ...others } = claims as Record<string, unknown>;
  return { user, ...others };
}

/** In the caller's terms: `name` is what they called, and the schema knows its fields. */
export function refusal(
  name: string,
  schema: z.ZodType,
  error: z.ZodError,
  spelt: (key: string) => string = snakeKey,
): BellhopError {
  // A missing field is often a misspelt one.
  const issue = error.issues.find(({ code }) => code === "unrecognized_keys") ?? error.issues[0];
  if (issue === undefined) return malformed(`"${name}" was refused.`, "Check its fields.");
  const field = issue.path.map((part) => (typeof part === "string" ? spelt(part) : String(part))).join(".");
  if (issue.code === "unrecognized_keys") {
    const inside = field === "" ? name : `${name}.${field}`;
    return unknownFields(inside, fieldsAt(schema, issue.path).map(spelt), issue.keys.map(spelt));
  }
  const code = issue.code === "custom" ? issue.params?.errorCode : undefined;
  if (typeof code === "string" && isErrorCode(code)) {
    return new BellhopError(code, { message: `Field "${field}" ${issue.message}.`, next: nextFor(code) });
  }
  return malformed(`Field "${field}" of "${name}" is not right: ${issue.message}.`, `Correct "${field}".`);
}

/** The fields of a nested object, as the request names it. */
function fieldsAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = schema;
  for (const part of path) at = shapeOf(at)[String(part)];
  return Object.keys(shapeOf(at));
}

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> {
  const { shape, unwrap } = (schema ?? {}) as {
    readonly shape?: Record<string, unknown>;
    unwrap?(): unknown;
  };
  if (shape !== undefined) return shape;
  return unwrap === undefined ? {} : shapeOf(unwrap.call(schema));
}

/** Lists all of them, so that a caller need not discover them one by one. */
function unknownFields(name: string, known: readonly string[], keys: readonly string[]): BellhopError {
  const written = keys.slice(0, MOST_NAMED).map((key) => key.slice(0, 64));
  const more = keys.length > written.length ? ` and ${keys.length - written.length} more` : "";
  const list = written.map((key) => JSON.stringify(key)).join(", ");
  const meant = [...new Set(written.flatMap((key) => nearest(key, known) ?? []))];
  return malformed(
    `"${name}" has no ${keys.length === 1 ? "field" : "fields"} ${list}${more}.`,
    meant.length > 0
      ? `Did you mean ${meant.map((key) => `"${key}"`).join(", ")}?`
      : known.length === 0
        ? `"${name}" takes no fields.`
        : `It takes: ${known.join(", ")}.`,
  );
}

const MOST_NAMED = 8;

function nextFor(code: ErrorCode): string {
  switch (code) {
    case "message.empty":
      return "Say something.";
    case "message.too_large":
      return `Put the text into a file the recipient can read and send its path; the limit is ${LIMITS.bodyBytes} bytes.`;
    case "message.invalid_utf8":
      return "Send whole Unicode characters.";
    default:
      return "Correct the request.";
  }
}
