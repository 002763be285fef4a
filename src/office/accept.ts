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
  type Json,
  LIMITS,
  type Message,
  type MessageForm,
  type MessageId,
  type Priority,
} from "../core/message.ts";
import type { Item, StoreWriter } from "../ports/store.ts";
import { fileBody } from "./compose.ts";
import type { OfficeContext } from "./context.ts";
import type { Directory, SenderIdentity } from "./directory.ts";

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
}

export interface Accepted {
  readonly message: Message;
  readonly deliveries: readonly Delivery[];
  readonly unmatched: boolean;
}

export class Accept {
  readonly #context: OfficeContext;
  readonly #directory: Directory;
  readonly #wake: (mailbox: Address) => void;
  readonly #answeredNow: (message: MessageId) => void;

  constructor(
    context: OfficeContext,
    directory: Directory,
    told: { readonly wake: (mailbox: Address) => void; readonly answered: (message: MessageId) => void },
  ) {
    this.#context = context;
    this.#directory = directory;
    this.#wake = told.wake;
    this.#answeredNow = told.answered;
  }

  async accept(submission: Submission): Promise<Accepted> {
    checkBody(submission);
    const { store, checkpoint } = this.#context;
    const contentDigest = this.#contentDigest(submission);
    checkpoint("accept.validated");
    const accepted = await store.write((tx) => {
      const earlier = this.#sameKey(tx, submission.idempotencyKey, contentDigest);
      if (earlier !== undefined) return earlier;
      const result = this.#insert(tx, submission, contentDigest);
      checkpoint("accept.in-transaction");
      return result;
    });
    checkpoint("accept.committed");
    for (const delivery of accepted.deliveries) this.#wake(delivery.to);
    if (accepted.message.replyTo !== undefined) this.#answeredNow(accepted.message.replyTo);
    this.#context.log.info("message.accepted", {
      message: accepted.message.id,
      from: accepted.message.from,
      to: accepted.message.to,
      priority: accepted.message.priority,
      unmatched: accepted.unmatched,
    });
    await this.#fileBody(accepted.message);
    return accepted;
  }

  #contentDigest(submission: Submission): string {
    const { to, body, form, priority, sender, command, payload } = submission;
    return this.#context.digest(
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
  }

  #sameKey(tx: StoreWriter, key: string | undefined, contentDigest: string): Accepted | undefined {
    if (key === undefined) return undefined;
    const earlier = tx.byIdempotencyKey(key);
    if (earlier === undefined) return undefined;
    if (earlier.contentDigest !== contentDigest) {
      throw new BellhopError("message.conflict", {
        message: `The idempotency key "${key}" was used for another message (#${earlier.message.shortId}).`,
        next: "Use a new key for a new message, or send exactly the same one.",
      });
    }
    const { message } = earlier;
    return { message, deliveries: tx.deliveriesOf(message.id), unmatched: tx.isUnmatched(message.id) };
  }

  #insert(tx: StoreWriter, submission: Submission, contentDigest: string): Accepted {
    const { clock, ids, files } = this.#context;
    const { sender } = submission;
    const now = clock.now();
    const answered = this.#answered(tx, submission);
    const id = ids.message();
    const message: Message = {
      id,
      shortId: this.#freshShortId(tx),
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
    };
    tx.insertMessage({
      ...message,
      contentDigest,
      ...(submission.idempotencyKey === undefined ? {} : { idempotencyKey: submission.idempotencyKey }),
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
      id: ids.delivery(),
      messageId: id,
      to: submission.to,
      priority: submission.priority,
      state: "queued",
      release: "by-rule",
      atMostOnce: submission.atMostOnce ?? false,
      queuedAt: now,
      ...(submission.require === undefined ? {} : { require: submission.require }),
      ...this.#firstHold(submission.to, now),
    });
    tx.appendReceipt(delivery.id, { at: now, state: "queued" });
    return { message, deliveries: [delivery], unmatched: false };
  }

  #firstHold(to: Address, now: number): Pick<Delivery, "hold"> | Record<never, never> {
    if (this.#directory.takerOfMailbox(to) !== undefined) return {};
    const release =
      splitAddress(to).kind === "person"
        ? `when the person reads it: bellhop read ID`
        : `when a program runs for ${to} again`;
    return { hold: { reason: "offline", since: now, release } };
  }

  #freshShortId(tx: StoreWriter): string {
    for (;;) {
      const shortId = this.#context.ids.shortId();
      if (tx.findMessages(shortId, 1).every((message) => message.shortId !== shortId)) return shortId;
    }
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

  /** The store is the truth; the file is a copy that `ensure` makes again when someone needs it. */
  async #fileBody(message: Message): Promise<void> {
    try {
      await fileBody(message, this.#context, this.#directory);
      this.#context.checkpoint("accept.filed");
    } catch (cause) {
      this.#context.log.warn("message.file_failed", { message: message.id, cause: String(cause) });
    }
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
