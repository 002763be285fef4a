/** An idempotency key: a second send of the same is the first one, and of something else is refused. Asked by accept. */
import { BellhopError } from "../../core/errors.ts";
import type { Address, Json } from "../../core/message.ts";
import { ownKey } from "../../core/rights/own-key.ts";
import type { Digest } from "../../ports/ids.ts";
import type { StoreWriter } from "../../ports/store.ts";
import type { Accepted, Submission } from "./submission.ts";

/** What makes a second send of the same the first one. */
export interface Once {
  readonly idempotencyKey: string;
  readonly contentDigest: string;
}

export function onceOf(submission: Submission, digest: Digest): Once | undefined {
  const { sender, idempotencyKey } = submission;
  if (idempotencyKey === undefined) return undefined;
  return {
    idempotencyKey: ownKey(sender.address, idempotencyKey),
    contentDigest: digest(JSON.stringify(contentOf(submission))),
  };
}

export function acceptedBefore(
  tx: StoreWriter,
  once: Once,
  submission: Submission,
  digest: Digest,
): Accepted | undefined {
  const earlier = tx.byIdempotencyKey(once.idempotencyKey);
  if (earlier === undefined) return undefined;
  const { message, contentDigest } = earlier;
  const isSame =
    contentDigest === once.contentDigest ||
    contentsBefore(submission, message.from).some((list) => digest(JSON.stringify(list)) === contentDigest);
  if (!isSame) {
    throw new BellhopError("message.conflict", {
      message: `The idempotency key "${submission.idempotencyKey}" was used for another message (#${message.shortId}).`,
      next: "Use a new key for a new message, or send exactly the same one.",
    });
  }
  return { message, deliveries: tx.deliveriesOf(message.id), unmatched: tx.isUnmatched(message.id) };
}

/** As it was asked for: what the settings add may have changed since, and so may the sender's name. */
function contentOf(submission: Submission): readonly Json[] {
  const { to, sender, body, askedPriority } = submission;
  return [
    to === sender.address ? null : to,
    body,
    keysOf(submission),
    askedPriority ?? null,
    ...said(submission),
    ...wished(submission),
  ];
}

/** By which earlier versions knew the same: the younger list, and the older one, which knew of no wishes. */
function contentsBefore(submission: Submission, from: Address): readonly (readonly unknown[])[] {
  const { to, body, form, priority } = submission;
  return [
    [to, body, keysOf(submission), priority, from, ...said(submission), ...wished(submission)],
    [to, body, form, priority, from, ...said(submission)],
  ];
}

/** Not the dialog: whoever repeats an answer may find it closed. */
function keysOf({ form }: Submission): Json {
  return form.kind === "raw" ? [...form.keys] : null;
}

function said({ command, payload, answers }: Submission): readonly Json[] {
  return [command ?? null, payload ?? null, answers?.id ?? null];
}

function wished(submission: Submission): readonly Json[] {
  const { timeoutMs, owes, require, atMostOnce, anyWayIn, channel, externalId } = submission;
  return [
    timeoutMs ?? null,
    owes === undefined ? null : [owes.onDelivery, owes.afterMs ?? null],
    require ?? null,
    atMostOnce ?? false,
    channel ?? null,
    externalId ?? null,
    // Only where it is wished: a key from before there was such a wish stays the same.
    ...(anyWayIn === true ? ["any-way-in"] : []),
  ];
}
