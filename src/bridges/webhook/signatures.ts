/** Whether a request comes from the service that knows the secret: over its raw bytes, in constant time. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Instant } from "../../core/message.ts";
import { standardKey, type WebhookKind } from "./config.ts";

export interface SignedRequest {
  /** The value of a header that came once. */
  header(name: string): string | undefined;
  readonly body: Buffer;
}

/** The reason is for the log; the sender gets none. */
export type Verdict =
  | { readonly kind: "genuine" }
  | { readonly kind: "forged"; readonly why: "unsigned" | "stale" | "wrong" };

export const TOLERANCE_SECONDS = 300;
const MOST_SIGNATURES = 8;
const LONGEST_HEADER = 4_096;

const GENUINE: Verdict = { kind: "genuine" };
const UNSIGNED: Verdict = { kind: "forged", why: "unsigned" };
const STALE: Verdict = { kind: "forged", why: "stale" };
const WRONG: Verdict = { kind: "forged", why: "wrong" };

export function verify(kind: WebhookKind, secret: string, request: SignedRequest, now: Instant): Verdict {
  switch (kind) {
    case "github":
      return github(secret, request);
    case "gitlab":
      return token(secret, headerOf(request, "x-gitlab-token"));
    case "stripe":
      return stripe(secret, request, now);
    case "slack":
      return slack(secret, request, now);
    case "standard":
      return standard(secret, request, now);
    case "token":
      return token(secret, /^Bearer +(\S+)$/i.exec(headerOf(request, "authorization") ?? "")?.[1]);
  }
}

function github(secret: string, request: SignedRequest): Verdict {
  const given = headerOf(request, "x-hub-signature-256");
  if (given === undefined) return UNSIGNED;
  return judge(mac(secret, "", request.body), [hexIn(given, /^sha256=([0-9a-f]{64})$/i)]);
}

function stripe(secret: string, request: SignedRequest, now: Instant): Verdict {
  const fields = (headerOf(request, "stripe-signature") ?? "").split(",");
  const time = fields.find((field) => field.startsWith("t="))?.slice(2);
  const given = fields.filter((field) => field.startsWith("v1=")).slice(0, MOST_SIGNATURES);
  if (time === undefined || given.length === 0) return UNSIGNED;
  if (!isFresh(time, now)) return STALE;
  const signatures = given.map((field) => hexIn(field, /^v1=([0-9a-f]{64})$/i));
  return judge(mac(secret, `${time}.`, request.body), signatures);
}

function slack(secret: string, request: SignedRequest, now: Instant): Verdict {
  const time = headerOf(request, "x-slack-request-timestamp");
  const given = headerOf(request, "x-slack-signature");
  if (time === undefined || given === undefined) return UNSIGNED;
  if (!isFresh(time, now)) return STALE;
  return judge(mac(secret, `v0:${time}:`, request.body), [hexIn(given, /^v0=([0-9a-f]{64})$/i)]);
}

function standard(secret: string, request: SignedRequest, now: Instant): Verdict {
  const [id, time, given] = ["id", "timestamp", "signature"].map((name) => standardHeader(request, name));
  const key = standardKey(secret);
  if (id === undefined || time === undefined || given === undefined || key === undefined) return UNSIGNED;
  if (!isFresh(time, now)) return STALE;
  const signatures = given.split(" ", MOST_SIGNATURES).map((one) => {
    const text = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.[1];
    return text === undefined ? undefined : Buffer.from(text, "base64");
  });
  return judge(mac(key, `${id}.${time}.`, request.body), signatures);
}

/** The service that most others use sends its own names. */
export function standardHeader(request: SignedRequest, name: string): string | undefined {
  return headerOf(request, `webhook-${name}`) ?? headerOf(request, `svix-${name}`);
}

/** Digests have one length, whatever was given: a comparison tells nothing about the secret's. */
function token(secret: string, given: string | undefined): Verdict {
  if (given === undefined) return UNSIGNED;
  return timingSafeEqual(digest(secret), digest(given)) ? GENUINE : WRONG;
}

function judge(expected: Buffer, given: readonly (Buffer | undefined)[]): Verdict {
  const matches = given.filter((one) => one?.length === expected.length && timingSafeEqual(one, expected));
  return matches.length > 0 ? GENUINE : WRONG;
}

function isFresh(time: string, now: Instant): boolean {
  return /^\d{1,12}$/.test(time) && Math.abs(now / 1_000 - Number(time)) <= TOLERANCE_SECONDS;
}

function mac(key: string | Buffer, before: string, body: Buffer): Buffer {
  return createHmac("sha256", key).update(before).update(body).digest();
}

function hexIn(text: string, shape: RegExp): Buffer | undefined {
  const hex = shape.exec(text)?.[1];
  return hex === undefined ? undefined : Buffer.from(hex, "hex");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function headerOf(request: SignedRequest, name: string): string | undefined {
  const value = request.header(name)?.trim();
  return value === undefined || value === "" || value.length > LONGEST_HEADER ? undefined : value;
}
