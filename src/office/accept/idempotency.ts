/** Idempotency keys: the same send repeated gives the first one again; a different send is refused. Accept asks it. */
import { isCode } from "../../core/desk/reply-text.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, Json } from "../../core/message.ts";
import { ownKey } from "../../core/rights/own-key.ts";
import type { Digest } from "../../ports/ids.ts";
import type { StoreWriter } from "../../ports/store.ts";
import type { Accepted, Submission } from "./submission.ts";

/** What identifies a repeated send. */
export interface Once {
  readonly idempotencyKey: string;
  readonly contentDigest: string;
}

export function onceOf(submission: Submission, digest: Digest): Once | undefined {
  const { sender, idempotencyKey } = submission;
  if (idempotencyKey === undefined) return undefined;
  return {
    idempotencyKey: ownKey(sender.address, idempotencyKey),
    contentDigest: digest(contentText(submission)),
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

/** What is there besides a text to an address, if nothing is. */
const NOTHING_ELSE = "null,null,null,null,null,null,null,null,false,null,null]";

/** The content as JSON, which is put together for the most frequent one. Exported for its test. */
export function contentText(submission: Submission): string {
  if (!isPlain(submission)) return JSON.stringify(contentOf(submission));
  const { to, sender, body } = submission;
  return `[${to === sender.address ? "null" : JSON.stringify(to)},${JSON.stringify(body)},${NOTHING_ELSE}`;
}

function isPlain(asked: Submission): boolean {
  return (
    asked.form.kind === "text" &&
    asked.atMostOnce !== true &&
    asked.anyWayIn !== true &&
    asked.askedPriority === undefined &&
    asked.command === undefined &&
    asked.payload === undefined &&
    asked.answers === undefined &&
    asked.timeoutMs === undefined &&
    asked.owes === undefined &&
    asked.require === undefined &&
    asked.channel === undefined &&
    asked.externalId === undefined
  );
}

/** The content as requested: defaults from the settings, and the sender's name, may have changed since. */
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

/** The lists that earlier versions digested: the newer one, and the older one, which had no wishes. */
function contentsBefore(submission: Submission, from: Address): readonly (readonly unknown[])[] {
  const { to, body, form, priority } = submission;
  return [
    [to, body, keysOf(submission), priority, from, ...said(submission), ...wished(submission)],
    [to, body, form, priority, from, ...said(submission)],
  ];
}

/** Without what a dialog here reads: when an answer is repeated, that may be closed. A code is part of what was asked for. */
function keysOf({ form }: Submission): Json {
  if (form.kind === "text") return null;
  const { keys, dialog } = form;
  return dialog !== undefined && isCode(dialog) ? { keys: [...keys], dialog } : [...keys];
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
    // Added only if asked for, so that keys from before this option existed still match.
    ...(anyWayIn === true ? ["any-way-in"] : []),
  ];
}
