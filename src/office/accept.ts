/**
 * THE way in: check → stamp → route → persist → wake. Every door, timer and notice calls it.
 * When it resolves, the message is on disk. It never types, and it never changes a stored message.
 */
import { agentAddress, sessionAddress, splitAddress } from "../core/address.ts";
import { BellhopError } from "../core/errors.ts";
import { hasReached } from "../core/evidence.ts";
import { LOOP_LIMITS, LOOP_REASONS, type LoopState, loopStep, NO_LOOPS } from "../core/loop-breaker.ts";
import {
  type Address,
  type Delivery,
  type Evidence,
  type Hold,
  type Instant,
  type Json,
  LIMITS,
  type Message,
  type MessageForm,
  type MessageId,
  type OwedNotices,
  type Priority,
} from "../core/message.ts";
import { type Pattern, parsePattern } from "../core/pattern.ts";
import { type Decision, type RoutedDelivery, route } from "../core/route.ts";
import type { Ids } from "../ports/ids.ts";
import type { Item, StoreWriter } from "../ports/store.ts";
import type { OfficeContext } from "./context.ts";
import type { Directory, SenderIdentity } from "./directory.ts";
import type { Filing } from "./filing.ts";
import { offlineHold } from "./offline.ts";
import type { Subscriptions } from "./subscriptions.ts";

export interface Submission {
  readonly to: Address;
  readonly sender: SenderIdentity;
  readonly body: string;
  readonly form: MessageForm;
  readonly priority: Priority;
  readonly command?: string;
  readonly payload?: Json;
  readonly channel?: string;
  readonly externalId?: string;
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
  /** Why it is a dead letter. */
  readonly reason?: string;
  readonly looped?: boolean;
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
  /** Committed: whoever listens may hear it. */
  came(accepted: Accepted): void;
  /** Agents answered one another without end: it was parked. */
  looped(message: Message, reason: string): void;
  /** It will be dropped at a time. */
  expires(): void;
  deadlineIn(delayMs: number): Instant;
}

export interface AcceptOptions {
  /** What moves with it, in the same transaction: a timer, a cursor, a debt. Throwing accepts nothing. */
  readonly with?: (tx: StoreWriter, message: Message) => void;
}

/** Of those whom a path reaches: enough to see two agents answer one another. */
const MOST_LOOKED_AT = 16;

export class Accept {
  readonly #context: OfficeContext;
  readonly #directory: Directory;
  readonly #filing: Filing;
  readonly #subscriptions: Subscriptions;
  readonly #told: AcceptTold;
  #loops: LoopState = NO_LOOPS;

  constructor(
    context: OfficeContext,
    directory: Directory,
    filing: Filing,
    subscriptions: Subscriptions,
    told: AcceptTold,
  ) {
    this.#context = context;
    this.#directory = directory;
    this.#filing = filing;
    this.#subscriptions = subscriptions;
    this.#told = told;
  }

  async accept(submission: Submission, options: AcceptOptions = {}): Promise<Accepted> {
    const path = parsePattern(submission.to);
    checkBody(submission);
    const { store, checkpoint } = this.#context;
    const once = this.#once(submission);
    const timeoutMs = submission.timeoutMs ?? this.#context.settings().defaultTimeoutMs;
    const timeoutAt = timeoutMs === 0 ? undefined : this.#told.deadlineIn(timeoutMs);
    checkpoint("accept.validated");
    const { accepted, time } = await store.write((tx) => {
      const earlier = this.#sameKey(tx, once);
      if (earlier !== undefined) return { accepted: earlier, time: "again" as const };
      const result = this.#insert(tx, { ...submission, to: path.text }, path, once, timeoutAt);
      options.with?.(tx, result.message);
      checkpoint("accept.in-transaction");
      return { accepted: result, time: "first" as const };
    });
    checkpoint("accept.committed");
    for (const delivery of accepted.deliveries) this.#told.wake(delivery.to);
    // Whoever listens has heard the first one.
    if (time === "first") this.#told.came(accepted);
    if (accepted.looped === true) this.#told.looped(accepted.message, accepted.reason ?? "a loop");
    if (accepted.message.replyTo !== undefined) this.#told.answered(accepted.message.replyTo);
    if (timeoutAt !== undefined) this.#told.expires();
    this.#context.log.info("message.accepted", {
      message: accepted.message.id,
      from: accepted.message.from,
      to: accepted.message.to,
      priority: accepted.message.priority,
      unmatched: accepted.unmatched,
    });
    // Only who reads by reference needs the copy soon; for everybody else it is made when someone asks.
    if (accepted.deliveries.some((delivery) => this.#isForTerminal(delivery)))
      this.#filing.take(accepted.message);
    return accepted;
  }

  /** A dead letter that somebody may be there for now. `gone`: it is none any more. */
  async again(message: Message): Promise<"delivered" | "left" | "gone"> {
    const path = parsePattern(message.to);
    const deliveries = await this.#context.store.write((tx) => {
      if (!tx.isUnmatched(message.id)) return undefined;
      const decision = this.#route(tx, message, path);
      if (decision.kind === "unmatched") return [];
      tx.removeUnmatched(message.id);
      return this.#deliver(tx, message, {}, decision.deliveries, undefined);
    });
    if (deliveries === undefined) return "gone";
    if (deliveries.length === 0) return "left";
    for (const delivery of deliveries) this.#told.wake(delivery.to);
    this.#told.came({ message, deliveries, unmatched: false });
    if (deliveries.some((delivery) => this.#isForTerminal(delivery))) this.#filing.take(message);
    return "delivered";
  }

  #isForTerminal({ to, handledBy }: Delivery): boolean {
    return handledBy === undefined && this.#directory.takerOfMailbox(to) !== undefined;
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
    // A key is its sender's own: nobody learns what another used it for.
    return { idempotencyKey: `${sender.address} ${idempotencyKey}`, contentDigest };
  }

  #sameKey(tx: StoreWriter, once: Once | undefined): Accepted | undefined {
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

  #insert(
    tx: StoreWriter,
    submission: Submission,
    path: Pattern,
    once: Once | undefined,
    timeoutAt: Instant | undefined,
  ): Accepted {
    const { clock, ids, files } = this.#context;
    const { sender } = submission;
    const now = clock.now();
    const answered = this.#answered(tx, submission);
    const decided = this.#route(tx, { from: sender.address, source: sender.source }, path);
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
      ...(submission.channel === undefined ? {} : { channel: submission.channel }),
      ...(submission.externalId === undefined ? {} : { externalId: submission.externalId }),
      ...(answered === undefined ? {} : { replyTo: answered.message.id, bound: answered.bound }),
      hops: sender.source === "agent" ? this.#hops(tx, submission, answered?.message, decided) : 0,
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
    const stopped = this.#stopped(message);
    const decision = stopped ?? decided;
    if (decision.kind === "unmatched") {
      const { reason } = decision;
      tx.insertUnmatched(id, now, reason);
      return { message, deliveries: [], unmatched: true, reason, looped: stopped !== undefined };
    }
    const deliveries = this.#deliver(tx, message, submission, decision.deliveries, timeoutAt);
    return { message, deliveries, unmatched: false };
  }

  /** Also what goes to a path answers those whom it reaches, if they wrote before; only, it settles nothing. */
  #hops(tx: StoreWriter, submission: Submission, answered: Message | undefined, decided: Decision): number {
    if (answered !== undefined) return answered.hops + 1;
    if (decided.kind === "unmatched") return 0;
    const mine = this.#ownAddresses(submission);
    const reached = decided.deliveries
      .slice(0, MOST_LOOKED_AT)
      .map(({ to }) => tx.newestUnanswered(this.#directory.aliases(to), mine)?.message.hops);
    return Math.max(-1, ...reached.filter((hops) => hops !== undefined)) + 1;
  }

  #ownAddresses({ sender }: Submission): readonly Address[] {
    return this.#directory.aliases(
      sender.sessionId === undefined ? sender.address : sessionAddress(sender.sessionId),
    );
  }

  #route(tx: StoreWriter, message: Pick<Message, "from" | "source">, path: Pattern): Decision {
    return route(
      { from: message.from, source: message.source, path },
      {
        subscribersOf: (wanted) => this.#subscriptions.subscribersOf(wanted, tx),
        knows: (address) => this.#directory.knows(address),
        agentOf: (session) => tx.session(session)?.agent,
        bridges: [],
      },
    );
  }

  /** Agents that answer one another without end. */
  #stopped(message: Message): { readonly kind: "unmatched"; readonly reason: string } | undefined {
    const [loops, verdict] = loopStep(this.#loops, {
      from: message.from,
      to: this.#agentOf(message.to),
      hops: message.hops,
      // Only what goes back and forth is compared, and a digest of each message would cost more than its route.
      bodyDigest: message.hops >= LOOP_LIMITS.countedFromHop ? this.#context.digest(message.body) : "",
      source: message.source,
      now: message.createdAt,
    });
    this.#loops = loops;
    if (verdict.kind === "pass") return undefined;
    return { kind: "unmatched", reason: LOOP_REASONS[verdict.reason] };
  }

  #agentOf(to: Address): Address {
    const { kind, rest } = splitAddress(to);
    const agent = kind === "session" ? this.#context.store.read.session(rest)?.agent : undefined;
    return agent === undefined ? to : agentAddress(agent);
  }

  #deliver(
    tx: StoreWriter,
    message: Message,
    wishes: Pick<Submission, "atMostOnce" | "require" | "owes">,
    routed: readonly RoutedDelivery[],
    timeoutAt: Instant | undefined,
  ): readonly Delivery[] {
    const now = this.#context.clock.now();
    return routed.map((one) => {
      const handledBy =
        one.kind === "agent" && one.handled ? one.handledBy.map(({ sessionId }) => sessionId) : undefined;
      return tx.insertDelivery({
        messageId: message.id,
        to: one.to,
        priority: message.priority,
        state: "queued",
        release: "by-rule",
        atMostOnce: wishes.atMostOnce ?? false,
        queuedAt: now,
        ...(wishes.require === undefined ? {} : { require: wishes.require }),
        ...(timeoutAt === undefined ? {} : { timeoutAt }),
        ...(wishes.owes === undefined || handledBy !== undefined ? {} : { owes: wishes.owes }),
        ...(handledBy === undefined
          ? this.#firstHold(one.to, now, message.shortId)
          : { handledBy, hold: receivableHold(one.to, now) }),
      });
    });
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
    const mine = this.#ownAddresses(submission);
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
    return kind === "person" ? "person" : "shared";
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

/** Never typed, so nothing that a program does releases it. */
function receivableHold(to: Address, since: Instant): Hold {
  const { rest } = splitAddress(to);
  const release = `when it is received (bellhop inbox ${rest} --take): a session of ${rest} has it too`;
  return { reason: "offline", since, release };
}

/** A dead letter that agents who answered one another left: for it somebody is there. */
export function isParkedLoop(reason: string | undefined): reason is string {
  return reason !== undefined && Object.values(LOOP_REASONS).includes(reason);
}

/** Where an answer to this message goes: the session that wrote it while it lives, else its agent. */
export function answerAddress(message: Message, directory: Directory): Address {
  if (message.fromSession !== undefined && directory.get(message.fromSession) !== undefined) {
    return sessionAddress(message.fromSession);
  }
  const { kind, rest } = splitAddress(message.from);
  return kind === "agent" ? agentAddress(rest) : message.from;
}
