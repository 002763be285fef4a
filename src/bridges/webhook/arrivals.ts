/** A verified request as an arrival. */
import { createHash } from "node:crypto";
import { type Instant, type Json, LIMITS } from "../../core/message.ts";
import type { Arrival, Kept } from "../../ports/bridge.ts";
import { isFields } from "../fields.ts";
import type { WebhookKind } from "./config.ts";
import { eventOf } from "./events.ts";
import type { RecentBodies } from "./recent-bodies.ts";
import type { SignedRequest } from "./signatures.ts";

export interface VerifiedRequest extends SignedRequest {
  readonly service: string;
  readonly kind: WebhookKind;
  /** From the address. */
  readonly topic?: string;
}

export interface Handed {
  readonly arrival: Arrival;
  readonly keep: Kept;
}

export function arrivalOf(
  request: VerifiedRequest,
  payload: Json,
  recent: RecentBodies,
  now: Instant,
): Handed {
  const { service, kind, body } = request;
  const event = eventOf(kind, request, payload);
  const digest = createHash("sha256").update(body).digest("hex");
  const { id, keep } = idOf(kind, event.id, digest, () => recent.idOf(digest, now));
  const shown = withoutSecrets(kind, payload);
  const isSmall = Buffer.byteLength(JSON.stringify(shown)) <= LIMITS.bodyBytes;
  const arrival: Arrival = {
    externalId: `${service}/${id}`,
    path: `webhook/${service}/${request.topic ?? event.topic}`,
    from: service,
    text: isSmall ? event.text : `${event.text} (its data is left out: it is too large)`,
    ...(isSmall ? { payload: shown } : {}),
  };
  return { arrival, keep };
}

function idOf(
  kind: WebhookKind,
  given: string | undefined,
  digest: string,
  again: () => { readonly id: string; readonly keep: Kept },
): { readonly id: string; readonly keep: Kept } {
  if (given !== undefined) return { id: given, keep: {} };
  // Whoever has one signed body could send it again for ever: its digest is known for ever.
  return kind === "gitlab" || kind === "token" ? again() : { id: digest, keep: {} };
}

/** Slack still sends the token by which requests were known before they were signed. */
function withoutSecrets(kind: WebhookKind, payload: Json): Json {
  if (kind !== "slack" || !isFields(payload)) return payload;
  const entries = Object.entries(payload).filter(([name]) => name !== "token");
  return Object.fromEntries(entries) as Json;
}
