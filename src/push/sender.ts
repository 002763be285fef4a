/**
 * Sends one notification to the push service of one browser: over TLS, no redirects, and whatever the service says
 * beyond its status is not read. Whether it may be sent there is decided before.
 */
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { PushTarget } from "../core/web/push-subscription.ts";
import type { Push, PushOutcome, PushSender } from "../ports/push-sender.ts";
import { encrypted } from "./encryption.ts";
import { publicKeyOf, vapid } from "./vapid.ts";

const ANSWERED_WITHIN_MS = 15_000;
const LONGEST_WAIT_MS = 3_600_000;

export interface SenderParts {
  /** 32 bytes in hex. */
  privateKey(): string;
  random(bytes: number): Uint8Array;
  now(): number;
}

export function pushSender({ privateKey, random, now }: SenderParts): PushSender {
  const key = () => Buffer.from(privateKey(), "hex");
  return {
    publicKey: async () => publicKeyOf(key()),
    send: async (target, push) => {
      let body: Buffer;
      try {
        body = encrypted(push.payload, target, { random });
      } catch (cause) {
        return { kind: "refused", why: `it cannot be encrypted for this browser (${messageOf(cause)})` };
      }
      const { origin } = new URL(target.endpoint);
      const authorization = vapid(key(), { audience: origin, contact: push.contact, nowMs: now() });
      try {
        return outcomeOf(await posted(target, push, { authorization, body }), now());
      } catch (cause) {
        return { kind: "later", why: `it cannot be reached (${messageOf(cause)})` };
      }
    },
  };
}

interface Sealed {
  readonly authorization: string;
  readonly body: Buffer;
}

type Answered = Pick<IncomingMessage, "statusCode" | "headers">;

function posted({ endpoint }: PushTarget, push: Push, { authorization, body }: Sealed): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asking = request(endpoint, {
      method: "POST",
      agent: false,
      // Whatever the environment says.
      rejectUnauthorized: true,
      signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
      headers: {
        authorization,
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        "content-length": body.length,
        ttl: push.worthForSeconds,
        urgency: push.urgency,
        topic: push.topic,
      },
    });
    asking.on("error", reject);
    asking.on("response", (response) => {
      resolve(response);
      response.destroy();
    });
    asking.end(body);
  });
}

export function outcomeOf({ statusCode = 0, headers }: Answered, now: number): PushOutcome {
  if (statusCode >= 200 && statusCode < 300) return { kind: "accepted" };
  if (statusCode === 404 || statusCode === 410) return { kind: "gone" };
  const why = `it answered ${statusCode}`;
  if (statusCode !== 429 && statusCode < 500) return { kind: "refused", why };
  const afterMs = waitIn(headers["retry-after"], now);
  return afterMs === undefined ? { kind: "later", why } : { kind: "later", why, afterMs };
}

function waitIn(retryAfter: string | undefined, now: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_WAIT_MS);
}

function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "unknown";
  if (cause.name === "AbortError" || cause.name === "TimeoutError") return "no answer";
  return "code" in cause ? String(cause.code) : cause.message;
}
