/**
 * THE way in: check → stamp → route → persist → wake. Every door, timer and notice calls it.
 * When it resolves, the message is on disk. It never types, and it never changes a stored message.
 */
import { agentAddress, parseAddress, sessionAddress, splitAddress } from "../core/address.ts";
import { BellhopError } from "../core/errors.ts";
import { hasReached } from "../core/evidence.ts";
import {
  type Address,
  type Delivery,
  type Evidence,
  type Instant,
  type Json,
  LIMITS,
  type Message,
  type MessageForm,
  type MessageId,
  type OwedNotices,
  type Priority,
} from "../core/message.ts";
import type { Ids } from "../ports/ids.ts";
import type { Item, StoreWriter } from "../ports/store.ts";
import type { OfficeContext } from "./context.ts";
import type { Directory, SenderIdentity } from "./directory.ts";
import type { Filing } from "./filing.ts";
import { offlineHold } from "./offline.ts";

export interface Submission {
  readonly to: Address;
  readonly sender: SenderIdentity;
  readonly body: string;
  readonly form: MessageForm;
  readonly priority: Priority;
  readonly command?: string;
  readonly payload?: Json;
  /** The message this one answers, if the sender said so. */
  readonly answers?: Message;
  readonly idempotencyKey?: string;
  readonly require?: Evidence;
  readonly atMostOnce?: boolean;
  /** 0: never dropped; absent: as configured. */
  readonly timeoutMs?: number;
  readonly owes?: OwedNotices;
}

export interface Accepted {
  readonly message: Message;
  readonly deliveries: readonly Delivery[];
  readonly unmatched: boolean;
}

/** What makes a second send of the same the first one. */
interface Once {
  readonly idempotencyKey: string;
  readonly contentDigest: string;
}

/** Who hears of what was accepted. */
export interface AcceptTold {
  wake(mailbox: Address): void;
  answered(message: MessageId): void;
  /** It will be dropped at a time. */
  expires(): void;
  deadlineIn(delayMs: number): Instant;
}

export interface AcceptOptions {
  /** What moves with it, in the same transaction: a timer, a cursor, a debt. Throwing accepts nothing. */
  readonly with?: (tx: StoreWriter, message: Message) => void;
}

export class Accept {
  readonly #context: OfficeContext;
  readonly #directory: Directory;
  readonly #filing: Filing;
  readonly #told: AcceptTold;

  constructor(context: OfficeContext, directory: Directory, filing: Filing, told: AcceptTold) {
    this.#context = context;
    this.#directory = directory;
    this.#filing = filing;
    this.#told = told;
  }

  async accept(submission: Submission, options: AcceptOptions = {}): Promise<Accepted> {
    checkBody(submission);
    const { store, checkpoint } = this.#context;
    const once = this.#once(submission);
    const timeoutMs = submission.timeoutMs ?? this.#context.settings().defaultTimeoutMs;
    const timeoutAt = timeoutMs === 0 ? undefined : this.#told.deadlineIn(timeoutMs);
    checkpoint("accept.validated");
    const accepted = await store.write((tx) => {
      const earlier = this.#sameKey(tx, once);
      if (earlier !== undefined) return earlier;
      const result = this.#insert(tx, submission, once, timeoutAt);
      options.with?.(tx, result.message);
      checkpoint("accept.in-transaction");
      return result;
    });
    checkpoint("accept.committed");
    for (const delivery of accepted.deliveries) this.#told.wake(delivery.to);
    if (accepted.message.replyTo !== undefined) this.#told.answered(accepted.message.replyTo);
    if (timeoutAt !== undefined) this.#told.expires();
    this.#context.log.info("message.accepted", {
      message: accepted.message.id,
      from: accepted.message.from,
      to: accepted.message.to,
      priority: accepted.message.priority,
      unmatched: accepted.unmatched,
    });
    this.#filing.take(accepted.message);
    return accepted;
  }

  #once(submission: Submission): Once | undefined {
    const { to, body, form, priority, sender, command, payload, idempotencyKey } = submission;
    if (idempotencyKey === undefined) return undefined;
    const contentDigest = this.#context.digest(
      JSON.stringify([
        to,
        body,
        form,
        priority,
        sender.address,
        command ?? null,
        payload ?? null,
        submission.answers?.id ?? null,
      ]),
    );
    return { idempotencyKey, contentDigest };
  }

  #sameKey(tx: StoreWriter, once: Once | undefined): Accepted | undefined {
    if (once === undefined) return undefined;
    const earlier = tx.byIdempotencyKey(once.idempotencyKey);
    if (earlier === undefined) return undefined;
    if (earlier.contentDigest !== once.contentDigest) {
      throw new BellhopError("message.conflict", {
        message: `The idempotency key "${once.idempotencyKey}" was used for another message (#${earlier.message.shortId}).`,
        next: "Use a new key for a new message, or send exactly the same one.",
      });
    }
    const { message } = earlier;
    return { message, deliveries: tx.deliveriesOf(message.id), unmatched: tx.isUnmatched(message.id) };
  }

  #insert(
    tx: StoreWriter,
    submission: Submission,
    once: Once | undefined,
    timeoutAt: Instant | undefined,
  ): Accepted {
    const { clock, ids, files } = this.#context;
    const { sender } = submission;
    const now = clock.now();
    const answered = this.#answered(tx, submission);
    const id = ids.message();
    const message = insertUnderFreshShortId(tx, ids, once, {
      id,
      from: sender.address,
      ...(sender.sessionId === undefined ? {} : { fromSession: sender.sessionId }),
      to: submission.to,
      body: submission.body,
      form: submission.form,
      priority: submission.priority,
      ...(submission.command === undefined ? {} : { command: submission.command }),
      ...(submission.payload === undefined ? {} : { payload: submission.payload }),
      source: sender.source,
      ...(answered === undefined ? {} : { replyTo: answered.message.id, bound: answered.bound }),
      hops: sender.source === "agent" && answered !== undefined ? answered.message.hops + 1 : 0,
      createdAt: now,
      file: files.nameFor(this.#folderFor(submission.to), now, id),
    });
    for (const item of answered?.deliveries ?? []) {
      tx.updateDelivery(item.delivery.id, { state: "replied", hold: null });
      tx.appendReceipt(item.delivery.id, {
        at: now,
        state: "replied",
        note: `answered by #${message.shortId} (${answered?.bound})`,
      });
    }
    if (!this.#directory.knows(submission.to)) {
      tx.insertUnmatched(id, now, "nobody has this address");
      return { message, deliveries: [], unmatched: true };
    }
    const delivery = tx.insertDelivery({
      messageId: id,
      to: submission.to,
      priority: submission.priority,
      state: "queued",
      release: "by-rule",
      atMostOnce: submission.atMostOnce ?? false,
      queuedAt: now,
      ...(submission.require === undefined ? {} : { require: submission.require }),
      ...(timeoutAt === undefined ? {} : { timeoutAt }),
      ...(submission.owes === undefined ? {} : { owes: submission.owes }),
      ...this.#firstHold(submission.to, now, message.shortId),
    });
    return { message, deliveries: [delivery], unmatched: false };
  }

  #firstHold(to: Address, now: number, shortId: string): Pick<Delivery, "hold"> | Record<never, never> {
    return this.#directory.takerOfMailbox(to) === undefined ? { hold: offlineHold(to, now, shortId) } : {};
  }

  /** Said by the sender, or the newest delivered message the other way that nobody answered yet. */
  #answered(
    tx: StoreWriter,
    submission: Submission,
  ):
    | {
        readonly message: Message;
        readonly deliveries: readonly Item[];
        readonly bound: "explicit" | "implicit";
      }
    | undefined {
    const mine = this.#directory.aliases(
      submission.sender.sessionId === undefined
        ? submission.sender.address
        : sessionAddress(submission.sender.sessionId),
    );
    if (submission.answers !== undefined) {
      const message = submission.answers;
      const deliveries = tx
        .deliveriesOf(message.id)
        .filter(
          (delivery) =>
            hasReached(delivery.state, "delivering") &&
            delivery.state !== "replied" &&
            mine.includes(delivery.to),
        )
        .map((delivery) => ({ delivery, message }));
      return { message, deliveries, bound: "explicit" };
    }
    const item = tx.newestUnanswered(this.#directory.aliases(submission.to), mine);
    return item === undefined ? undefined : { message: item.message, deliveries: [item], bound: "implicit" };
  }

  #folderFor(to: Address): string {
    const { kind, rest } = splitAddress(to);
    if (kind === "agent") return rest;
    if (kind === "session") return this.#context.store.read.session(rest)?.agent ?? "unknown";
    return kind === "person" ? "person" : "unmatched";
  }
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

function checkBody(submission: Submission): void {
  parseAddress(submission.to);
  const { body, form } = submission;
  if (body.trim() === "" && !(form.kind === "raw" && (form.keys.length > 0 || body !== ""))) {
    throw new BellhopError("message.empty", {
      message: "The message has no text.",
      next: "Give some text, or - to read it from standard input.",
    });
  }
  if (Buffer.byteLength(body, "utf8") > LIMITS.bodyBytes) {
    throw new BellhopError("message.too_large", {
      message: `The message has more than ${LIMITS.bodyBytes / 1024} KiB.`,
      next: "Put it into a file and send the file's path.",
    });
  }
  if (!body.isWellFormed()) {
    throw new BellhopError("message.invalid_utf8", {
      message: "The message is not valid Unicode text.",
      next: "Send UTF-8 text.",
    });
  }
}

/** Where an answer to this message goes: the session that wrote it while it lives, else its agent. */
export function answerAddress(message: Message, directory: Directory): Address {
  if (message.fromSession !== undefined && directory.get(message.fromSession) !== undefined) {
    return sessionAddress(message.fromSession);
  }
  const { kind, rest } = splitAddress(message.from);
  return kind === "agent" ? agentAddress(rest) : message.from;
}
