/**
 * THE way in: check → stamp → route → persist → wake. Every door, timer and notice calls it.
 * When it resolves, the message is on disk. It never types, and it never changes a stored message.
 */
import { agentAddress, splitAddress } from "../../core/address.ts";
import type {
  Address,
  AgentName,
  Delivery,
  Instant,
  Message,
  MessageId,
  Wishes,
} from "../../core/message.ts";
import { type Pattern, parsePattern } from "../../core/routing/pattern.ts";
import { type Decision, route } from "../../core/routing/route.ts";
import type { Ids } from "../../ports/ids.ts";
import type { StoreReader, StoreWriter } from "../../ports/store.ts";
import type { OfficeContext } from "../base/context.ts";
import type { Subscriptions } from "../broker/subscriptions.ts";
import type { Directory } from "../presence/directory.ts";
import { descendantAt } from "../presence/lineage.ts";
import { type Answered, answeredBy, hopsOf } from "./answering.ts";
import type { Filing } from "./filing.ts";
import { acceptedBefore, type Once, onceOf } from "./idempotency.ts";
import { LoopWatch } from "./loop-watch.ts";
import { place } from "./placing.ts";
import { type Accepted, checkBody, type Submission } from "./submission.ts";

/** Who hears of what was accepted. */
export interface AcceptTold {
  wake(mailbox: Address): void;
  answered(message: MessageId): void;
  /** Somebody listens to this mailbox. */
  isHeard(mailbox: Address): boolean;
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

export class Accept {
  readonly #context: OfficeContext;
  readonly #directory: Directory;
  readonly #filing: Filing;
  readonly #subscriptions: Subscriptions;
  readonly #told: AcceptTold;
  readonly #loops: LoopWatch;

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
    this.#loops = new LoopWatch(context);
  }

  async accept(submission: Submission, options: AcceptOptions = {}): Promise<Accepted> {
    const path = parsePattern(submission.to);
    checkBody(submission);
    const { store, checkpoint, digest } = this.#context;
    const once = onceOf(submission, digest);
    const timeoutMs = submission.timeoutMs ?? this.#context.settings().defaultTimeoutMs;
    const timeoutAt = this.#deadline(timeoutMs);
    checkpoint("accept.validated");
    const { accepted, time } = await store.write((tx) => {
      const earlier = once === undefined ? undefined : acceptedBefore(tx, once, submission, digest);
      if (earlier !== undefined)
        return { accepted: { ...earlier, ...whyUnmatched(tx, earlier.message) }, time: "again" as const };
      const result = this.#insert(tx, { ...submission, to: path.text, timeoutMs }, path, once, timeoutAt);
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
    this.#fileFor(accepted);
    return accepted;
  }

  /** The mailboxes in which it would lie if it came now. */
  reached({ to, sender }: Pick<Submission, "to" | "sender">): readonly Address[] {
    const from = { from: sender.address, source: sender.source };
    const decision = this.#route(this.#context.store.read, from, parsePattern(to));
    return decision.kind === "unmatched" ? [] : decision.deliveries.map((delivery) => delivery.to);
  }

  /**
   * A dead letter that somebody may be there for now, with everything its sender wanted; its timeout counts from now.
   * `gone`: it is none any more.
   */
  async again(message: Message): Promise<"delivered" | "left" | "gone"> {
    const path = parsePattern(message.to);
    const { store } = this.#context;
    const wishes = store.read.unmatchedWishes(message.id);
    if (wishes === undefined) return "gone";
    const timeoutAt = this.#deadline(wishes.timeoutMs ?? 0);
    const deliveries = await store.write((tx) => {
      if (!tx.isUnmatched(message.id)) return undefined;
      const decision = this.#route(tx, message, path);
      if (decision.kind === "unmatched") return [];
      tx.removeUnmatched(message.id);
      return this.#place(tx, message, wishes, timeoutAt, decision);
    });
    if (deliveries === undefined) return "gone";
    if (deliveries.length === 0) return "left";
    for (const delivery of deliveries) this.#told.wake(delivery.to);
    const accepted: Accepted = { message, deliveries, unmatched: false };
    this.#told.came(accepted);
    if (timeoutAt !== undefined) this.#told.expires();
    this.#fileFor(accepted);
    return "delivered";
  }

  #deadline(timeoutMs: number): Instant | undefined {
    return timeoutMs === 0 ? undefined : this.#told.deadlineIn(timeoutMs);
  }

  /** Only who reads by reference needs the copy soon; for everybody else it is made when someone asks. */
  #fileFor({ message, deliveries }: Accepted): void {
    const forTerminal = ({ to, handledBy }: Delivery): boolean =>
      handledBy === undefined && this.#directory.takerOfMailbox(to) !== undefined;
    if (deliveries.some(forTerminal)) this.#filing.take(message);
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
    const answered = answeredBy(tx, submission, this.#directory);
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
      hops: hopsOf(tx, submission, answered?.message, decided, this.#directory),
      createdAt: now,
      file: files.nameFor(this.#folderFor(submission.to), now, id),
    });
    if (answered !== undefined) markReplied(tx, answered, message);
    const stopped = this.#loops.stopped(message);
    const decision = stopped ?? decided;
    if (decision.kind === "unmatched") {
      const { reason } = decision;
      tx.insertUnmatched(id, now, reason, submission);
      return { message, deliveries: [], unmatched: true, reason, looped: stopped !== undefined };
    }
    const deliveries = this.#place(tx, message, submission, timeoutAt, decision);
    return { message, deliveries, unmatched: false };
  }

  #route(read: StoreReader, message: Pick<Message, "from" | "source">, path: Pattern): Decision {
    return route(
      { from: message.from, source: message.source, path },
      {
        subscribersOf: (wanted) =>
          this.#subscriptions.subscribersOf(wanted, read, (agent) => this.#isThere(agent, read)),
        knows: (address) => this.#directory.knows(address),
        descendantAt: (address) => descendantAt(address, read),
        agentOf: (session) => read.session(session)?.agent,
        bridges: [],
      },
    );
  }

  /** It runs, or nobody says that it has ended; it reads its mailbox by hand; or somebody listens for it. */
  #isThere(agent: AgentName, read: StoreReader): boolean {
    return this.#directory.isThere(agent, read) || this.#told.isHeard(agentAddress(agent));
  }

  #place(
    tx: StoreWriter,
    message: Message,
    wishes: Wishes,
    timeoutAt: Instant | undefined,
    { deliveries }: Exclude<Decision, { readonly kind: "unmatched" }>,
  ): readonly Delivery[] {
    const now = this.#context.clock.now();
    return place(tx, message, wishes, timeoutAt, deliveries, { directory: this.#directory, now });
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

/** A repeated one is told the same as the first. */
function whyUnmatched(tx: StoreWriter, { id }: Message): Pick<Accepted, "reason"> {
  const reason = tx.unmatchedReason(id);
  return reason === undefined ? {} : { reason };
}

function markReplied(tx: StoreWriter, { deliveries, bound }: Answered, by: Message): void {
  for (const { delivery } of deliveries) {
    const note = `answered by #${by.shortId} (${bound})`;
    tx.moveDelivery(delivery.id, { at: by.createdAt, state: "replied", note }, { hold: null });
  }
}
