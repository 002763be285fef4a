/** Parses the frames of a WebSocket, and turns refusals into frames. */

import { BellhopError } from "../../core/errors.ts";
import { malformed, parseJsonBytes } from "../../wire/lines.ts";
import { REQUEST_LIMITS } from "../../wire/verbs/fields.ts";
import type { ReqId, WsType } from "../../wire/ws/schemas.ts";
import { isReqId } from "../caller/plain-publish.ts";

export interface Question {
  readonly kind: "question";
  readonly type: unknown;
  readonly reqId: ReqId | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly weight: number;
}

export interface Unreadable {
  readonly kind: "unreadable";
  readonly reqId: undefined;
  readonly error: unknown;
}

export function openFrame(bytes: Buffer): Question | Unreadable {
  try {
    return readQuestion(bytes);
  } catch (error) {
    return { kind: "unreadable", reqId: undefined, error };
  }
}

/** Throws if there is no request. A bad `reqId` cannot be echoed, so it invalidates the whole frame. */
function readQuestion(bytes: Buffer): Question {
  const value = parseJsonBytes(bytes);
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw malformed("A message is one JSON object.", 'Send something like {"type":"ping"}.');
  }
  const fields = value as Record<string, unknown>;
  const { type, reqId } = fields;
  if (reqId === undefined || isReqId(reqId)) {
    const weight = MAILBOX_TYPES.has(type) ? MAILBOX_WEIGHT : bytes.length;
    return { kind: "question", type, reqId, fields, weight };
  }
  throw malformed(
    `Field "reqId" must be a number or a string of at most ${REQUEST_LIMITS.idCharacters} characters.`,
    'Correct "reqId", or leave it out.',
  );
}

/** Requests that may return a whole mailbox count for more than their size. */
const MAILBOX_TYPES: ReadonlySet<unknown> = new Set<WsType>([
  "msg.receive",
  "msg.history",
  "msg.unmatched",
  "msg.session.receive",
  "msg.session.history",
  "turns",
  "conversation",
]);
const MAILBOX_WEIGHT = 1024 * 1024;

const LONGEST_TYPE = 64;

export function failure(error: BellhopError, type: unknown, reqId?: ReqId): object {
  const named = typeof type === "string" && type.length <= LONGEST_TYPE;
  return { type: named ? `${type}.error` : "error", ...error.toDetail(), ...echo(reqId) };
}

export function echo(reqId: ReqId | undefined): { readonly reqId?: ReqId } {
  return reqId === undefined ? {} : { reqId };
}

const HOW_TO_AUTH = 'Send {"type":"auth","token":"…"} first, or "Authorization: Bearer …" when connecting.';

function unauthorised(message: string, next = HOW_TO_AUTH): BellhopError {
  return new BellhopError("request.unauthorised", { message, next });
}

export function authFirst(): BellhopError {
  return unauthorised("This connection has not shown a token yet.");
}

export function authTooLate(authMs: number): BellhopError {
  return unauthorised(`No token came within ${authMs / 1_000} s.`);
}

export function tokenChanged(): BellhopError {
  return unauthorised("The token was changed.", "Read the token file again and reconnect.");
}

export function loggedOut(): BellhopError {
  return unauthorised("This browser was logged out.", 'Open the link that "bellhop open" prints.');
}

export function somebodyElse(): BellhopError {
  return new BellhopError("request.forbidden", {
    message: "This connection already speaks for somebody else.",
    next: "Open another connection for another token.",
  });
}

export function notText(): BellhopError {
  return malformed("Binary messages are not accepted.", "Send JSON as text.");
}

export function tooLongForAStranger(bytes: number): BellhopError {
  return new BellhopError("request.too_large", {
    message: `Until a token is shown, at most ${bytes} bytes are read.`,
    next: HOW_TO_AUTH,
  });
}

export function tooManyControls(most: number, withinMs: number): BellhopError {
  return new BellhopError("request.throttled", {
    message: `More than ${most} pings and unasked pongs came within ${withinMs / 1_000} s.`,
    next: "Connect again, and ping less often.",
  });
}
