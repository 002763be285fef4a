/** The steps of accept inside its transaction: nobody hears of anything here. Their order stands in `accept.ts`. */
import { splitAddress } from "../../core/address.ts";
import type { Address, Message } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Ids } from "../../ports/ids.ts";
import type { StoreReader, StoreWriter } from "../../ports/store.ts";
import { answeredBy, hopsOf } from "./answering.ts";
import type { Arrival } from "./arrival.ts";
import { acceptedBefore, type Once } from "./idempotency.ts";
import { place } from "./placing.ts";
import { routed } from "./routing.ts";
import type { Accepted } from "./submission.ts";

/** A repeated one is told the same as the first. */
export function recogniseRepeat({ tx, once, asked, parts }: Arrival): Accepted | undefined {
  const earlier = once === undefined ? undefined : acceptedBefore(tx, once, asked, parts.context.digest);
  if (earlier === undefined) return undefined;
  const reason = tx.unmatchedReason(earlier.message.id);
  return reason === undefined ? earlier : { ...earlier, reason };
}

export function findAnswered(arrival: Arrival): undefined {
  const { tx, submission, parts } = arrival;
  arrival.answered = answeredBy(tx, submission, parts.directory);
}

export function routeIt(arrival: Arrival): undefined {
  const { tx, submission, path, parts } = arrival;
  const { address: from, source } = submission.sender;
  arrival.decision = routed(parts, tx, { from, source }, path);
}

export function writeMessage(arrival: Arrival): undefined {
  const { tx, submission, answered, decision, once, parts } = arrival;
  const { clock, ids, files, store } = parts.context;
  const { sender } = submission;
  const now = clock.now();
  const id = ids.message();
  arrival.message = insertUnderFreshShortId(tx, ids, once, {
    id,
    from: sender.address,
    ...present({ fromSession: sender.sessionId }),
    to: submission.to,
    body: submission.body,
    form: submission.form,
    priority: submission.priority,
    ...present({ command: submission.command, payload: submission.payload }),
    source: sender.source,
    ...present({ channel: submission.channel, externalId: submission.externalId }),
    ...(answered === undefined ? {} : { replyTo: answered.message.id, bound: answered.bound }),
    hops: hopsOf(tx, submission, answered?.message, decision, parts.directory),
    createdAt: now,
    file: files.nameFor(folderFor(submission.to, store.read), now, id),
  });
}

export function markAnswered({ tx, answered, message }: Arrival): undefined {
  if (answered === undefined) return;
  for (const { delivery } of answered.deliveries) {
    const note = `answered by #${message.shortId} (${answered.bound})`;
    tx.moveDelivery(delivery.id, { at: message.createdAt, state: "replied", note }, { hold: null });
  }
}

/** Into its mailboxes; what nobody is there for, and what goes round in a loop, is a dead letter. */
export function placeIt(arrival: Arrival): undefined {
  const { tx, message, submission, timeoutAt, parts } = arrival;
  const { context, directory, loops } = parts;
  // Counted once, however often its transaction runs.
  arrival.looped ??= { stopped: loops.stopped(message) };
  const { stopped } = arrival.looped;
  const decision = stopped ?? arrival.decision;
  if (decision.kind === "unmatched") {
    const { reason } = decision;
    tx.insertUnmatched(message.id, message.createdAt, reason, submission);
    arrival.accepted = { message, deliveries: [], unmatched: true, reason, looped: stopped !== undefined };
    return;
  }
  const now = context.clock.now();
  const deliveries = place(tx, message, submission, timeoutAt, decision.deliveries, { directory, now });
  arrival.accepted = { message, deliveries, unmatched: false };
}

export function moveWithIt({ tx, message, options }: Arrival): undefined {
  options.with?.(tx, message);
}

function folderFor(to: Address, read: StoreReader): string {
  const { kind, rest } = splitAddress(to);
  if (kind === "agent") return rest;
  if (kind === "session") return read.session(rest)?.agent ?? "unknown";
  return kind === "person" ? "person" : "shared";
}

function insertUnderFreshShortId(
  tx: StoreWriter,
  ids: Ids,
  once: Once | undefined,
  unnamed: Omit<Message, "shortId">,
): Message {
  for (;;) {
    const message: Message = { ...unnamed, shortId: ids.shortId() };
    if (tx.insertMessage({ ...message, ...once }) === "stored") return message;
  }
}
