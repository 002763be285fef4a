/** The step of accept that stores the message: under which ids, in which file, after how many hops. */
import { splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, Message, MessageId } from "../../core/message.ts";
import type { Writable } from "../../core/writable.ts";
import type { Ids } from "../../ports/ids.ts";
import type { StoreReader, StoreWriter } from "../../ports/store.ts";
import { hopsOf } from "./answering.ts";
import type { Incoming, NamedElsewhere } from "./incoming.ts";

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
  const message: Writable<Message> = {
    id,
    shortId: options.as?.shortId ?? ids.messageShortId(),
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
  if (sender.sessionId !== undefined) message.fromSession = sender.sessionId;
  if (command !== undefined) message.command = command;
  if (payload !== undefined) message.payload = payload;
  if (channel !== undefined) message.channel = channel;
  if (externalId !== undefined) message.externalId = externalId;
  if (answered !== undefined) {
    message.replyTo = answered.message.id;
    message.bound = answered.bound;
  }
  while (tx.insertMessage(message, once) === "short-id-taken") message.shortId = ids.messageShortId();
  incoming.message = message;
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

/** Another host's message never takes the place of one that is here, be it our own that came back. */
function idTaken(id: MessageId): BellhopError {
  return new BellhopError("message.conflict", {
    message: `A message with the id ${id} is already here.`,
    next: "Send it as a new message.",
  });
}
