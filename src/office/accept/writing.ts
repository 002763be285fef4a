/** The step of accept that stores the message: under which ids, in which file, after how many hops. */
import { splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, Message, MessageId } from "../../core/message.ts";
import type { Writable } from "../../core/writable.ts";
import type { Ids } from "../../ports/ids.ts";
import type { NewMessage, StoreReader, StoreWriter } from "../../ports/store.ts";
import { hopsOf } from "./answering.ts";
import type { Once } from "./idempotency.ts";
import type { Incoming, NamedElsewhere } from "./incoming.ts";

type Unnamed = Writable<Omit<Message, "shortId">>;

export function writeMessage(incoming: Incoming): undefined {
  const { tx, submission, answered, decision, once, parts, options } = incoming;
  const { clock, ids, files, store } = parts.context;
  const { sender, to, body, form, priority, command, payload, channel, externalId } = submission;
  const now = clock.now();
  const id = options.as === undefined ? ids.message() : idHere(tx, options.as, ids);
  const known = hopsOf(tx, submission, answered?.message, decision, parts.directory);
  const mailboxes = decision.kind === "unmatched" ? [] : decision.deliveries.map((delivery) => delivery.to);
  const crossing = { from: sender.address, source: sender.source, to, mailboxes, now };
  // Counted once, even if the transaction is retried.
  incoming.hops ??= parts.loops.across(crossing, Math.max(known, options.hops ?? 0));
  // Field by field: each message comes by here, and a copy of some fields takes longer than all of them.
  const unnamed: Unnamed = {
    id,
    from: sender.address,
    to,
    body,
    form,
    priority,
    source: sender.source,
    hops: incoming.hops,
    createdAt: now,
    file: files.nameFor(folderFor(to, store.read), now, id),
  };
  if (sender.sessionId !== undefined) unnamed.fromSession = sender.sessionId;
  if (command !== undefined) unnamed.command = command;
  if (payload !== undefined) unnamed.payload = payload;
  if (channel !== undefined) unnamed.channel = channel;
  if (externalId !== undefined) unnamed.externalId = externalId;
  if (answered !== undefined) {
    unnamed.replyTo = answered.message.id;
    unnamed.bound = answered.bound;
  }
  incoming.message = insertUnderFreshShortId(tx, ids, once, unnamed, options.as?.shortId);
}

/** Who sees the id of a path's message can send something under it, and be faster than its host: both are kept apart. */
function idHere(tx: StoreWriter, { id, host }: NamedElsewhere, ids: Ids): MessageId {
  const taken = tx.takenAs(id);
  if (taken !== undefined && taken.host !== host) return ids.message();
  if (tx.message(id) !== undefined) throw idTaken(id);
  return id;
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
  unnamed: Unnamed,
  wanted?: string,
): Message {
  for (let shortId = wanted ?? ids.messageShortId(); ; shortId = ids.messageShortId()) {
    const message: Message = { shortId, ...unnamed };
    if (tx.insertMessage(once === undefined ? message : withKey(message, once)) === "stored") return message;
  }
}

/** Field by field: a copy that begins with another copy takes thirty times as long. */
function withKey(message: Message, { idempotencyKey, contentDigest }: Once): NewMessage {
  return { idempotencyKey, contentDigest, ...message };
}

/** Another host's message never takes the place of one that is here, be it our own that came back. */
function idTaken(id: MessageId): BellhopError {
  return new BellhopError("message.conflict", {
    message: `A message with the id ${id} is already here.`,
    next: "Send it as a new message.",
  });
}
