/** An idempotency key: a second send of the same is the first one, and of something else is refused. Asked by accept. */
import { BellhopError } from "../core/errors.ts";
import type { Digest } from "../ports/digest.ts";
import type { StoreWriter } from "../ports/store.ts";
import type { Accepted, Submission } from "./submission.ts";

/** What makes a second send of the same the first one. */
export interface Once {
  readonly idempotencyKey: string;
  readonly contentDigest: string;
}

export function onceOf(submission: Submission, digest: Digest): Once | undefined {
  const { to, body, form, priority, sender, command, payload, owes, idempotencyKey } = submission;
  if (idempotencyKey === undefined) return undefined;
  const contentDigest = digest(
    JSON.stringify([
      to,
      body,
      // Not the dialog: whoever repeats an answer may find it closed.
      form.kind === "raw" ? form.keys : null,
      priority,
      sender.address,
      command ?? null,
      payload ?? null,
      submission.answers?.id ?? null,
      // As it was asked for: what the settings add may have changed since.
      submission.timeoutMs ?? null,
      owes === undefined ? null : [owes.onDelivery, owes.afterMs ?? null],
      submission.require ?? null,
      submission.atMostOnce ?? false,
      submission.channel ?? null,
      submission.externalId ?? null,
    ]),
  );
  // A key is its sender's own: nobody learns what another used it for.
  return { idempotencyKey: `${sender.address} ${idempotencyKey}`, contentDigest };
}

export function acceptedBefore(tx: StoreWriter, once: Once | undefined): Accepted | undefined {
  if (once === undefined) return undefined;
  const earlier = tx.byIdempotencyKey(once.idempotencyKey);
  if (earlier === undefined) return undefined;
  if (earlier.contentDigest !== once.contentDigest) {
    throw new BellhopError("message.conflict", {
      message: `The idempotency key "${once.idempotencyKey.slice(earlier.message.from.length + 1)}" was used for another message (#${earlier.message.shortId}).`,
      next: "Use a new key for a new message, or send exactly the same one.",
    });
  }
  const { message } = earlier;
  return { message, deliveries: tx.deliveriesOf(message.id), unmatched: tx.isUnmatched(message.id) };
}
