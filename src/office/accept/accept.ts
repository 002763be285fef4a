/**
 * THE way in: check → stamp → recognise a repeat → route → place; then wake, tell, expire, file. Every door, timer and
 * notice calls it. When it resolves, the message is on disk. It never types, and it never changes a stored message.
 */
import type { Address, Instant, Message } from "../../core/message.ts";
import { parsePattern } from "../../core/routing/pattern.ts";
import type { OfficeContext } from "../base/context.ts";
import { step, type Walk, walk } from "../base/walk.ts";
import type { Subscriptions } from "../broker/subscriptions.ts";
import type { Directory } from "../presence/directory.ts";
import {
  type Committed,
  fileIt,
  logIt,
  planExpiry,
  reportLoop,
  tellAnswered,
  tellListeners,
  wakeTakers,
} from "./afterwards.ts";
import { type AcceptOptions, type AcceptParts, type AcceptTold, Arrival } from "./arrival.ts";
import type { Filing } from "./filing.ts";
import { onceOf } from "./idempotency.ts";
import { LoopWatch } from "./loop-watch.ts";
import { place } from "./placing.ts";
import {
  findAnswered,
  markAnswered,
  moveWithIt,
  placeIt,
  recogniseRepeat,
  routeIt,
  writeMessage,
} from "./recording.ts";
import { routed } from "./routing.ts";
import { type Accepted, checkBody, type Submission } from "./submission.ts";

const BEFORE: Walk<Arrival> = [step("accept.check", check), step("accept.stamp", stamp), "accept.validated"];

/** In one transaction; a repeat ends it. */
const INSIDE: Walk<Arrival, Accepted> = [
  step("accept.recognise-repeat", recogniseRepeat),
  step("accept.find-answered", findAnswered),
  step("accept.route", routeIt),
  step("accept.write-message", writeMessage),
  step("accept.mark-answered", markAnswered),
  step("accept.place", placeIt),
  step("accept.move-with-it", moveWithIt),
  "accept.in-transaction",
];

const AFTER: Walk<Committed> = [
  "accept.committed",
  step("accept.wake", wakeTakers),
  step("accept.tell", tellListeners),
  step("accept.report-loop", reportLoop),
  step("accept.tell-answered", tellAnswered),
  step("accept.expire", planExpiry),
  step("accept.log", logIt),
  step("accept.file", fileIt),
];

const AFTER_ANOTHER_TRY: Walk<Committed> = [
  step("accept.wake", wakeTakers),
  step("accept.tell", tellListeners),
  step("accept.expire", planExpiry),
  step("accept.file", fileIt),
];

export class Accept {
  readonly #parts: AcceptParts;

  constructor(
    context: OfficeContext,
    directory: Directory,
    filing: Filing,
    subscriptions: Subscriptions,
    told: AcceptTold,
  ) {
    this.#parts = { context, directory, filing, subscriptions, told, loops: new LoopWatch(context) };
  }

  async accept(submission: Submission, options: AcceptOptions = {}): Promise<Accepted> {
    const { context } = this.#parts;
    const arrival = new Arrival(this.#parts, submission, options);
    walk(context, BEFORE, arrival);
    const committed = await context.store.write((tx): Committed => {
      arrival.tx = tx;
      const repeat = walk(context, INSIDE, arrival);
      return {
        parts: this.#parts,
        accepted: repeat ?? arrival.accepted,
        time: repeat === undefined ? "first" : "again",
        timeoutAt: arrival.timeoutAt,
      };
    });
    walk(context, AFTER, committed);
    return committed.accepted;
  }

  /** The mailboxes in which it would lie if it came now. */
  reached({ to, sender }: Pick<Submission, "to" | "sender">): readonly Address[] {
    const from = { from: sender.address, source: sender.source };
    const decision = routed(this.#parts, this.#parts.context.store.read, from, parsePattern(to));
    return decision.kind === "unmatched" ? [] : decision.deliveries.map((delivery) => delivery.to);
  }

  /**
   * A dead letter that somebody may be there for now, with everything its sender wanted; its timeout counts from now.
   * `gone`: it is none any more.
   */
  async again(message: Message): Promise<"delivered" | "left" | "gone"> {
    const path = parsePattern(message.to);
    const { context, directory } = this.#parts;
    const wishes = context.store.read.unmatchedWishes(message.id);
    if (wishes === undefined) return "gone";
    const timeoutAt = deadline(this.#parts, wishes.timeoutMs ?? 0);
    const deliveries = await context.store.write((tx) => {
      if (!tx.isUnmatched(message.id)) return undefined;
      const decision = routed(this.#parts, tx, message, path);
      if (decision.kind === "unmatched") return [];
      tx.removeUnmatched(message.id);
      const now = context.clock.now();
      return place(tx, message, wishes, timeoutAt, decision.deliveries, { directory, now });
    });
    if (deliveries === undefined) return "gone";
    if (deliveries.length === 0) return "left";
    const accepted: Accepted = { message, deliveries, unmatched: false };
    walk(context, AFTER_ANOTHER_TRY, { parts: this.#parts, accepted, time: "first", timeoutAt });
    return "delivered";
  }
}

function check(arrival: Arrival): void {
  arrival.path = parsePattern(arrival.asked.to);
  checkBody(arrival.asked);
}

function stamp(arrival: Arrival): void {
  const { asked, parts, path } = arrival;
  const timeoutMs = asked.timeoutMs ?? parts.context.settings().defaultTimeoutMs;
  arrival.once = onceOf(asked, parts.context.digest);
  arrival.timeoutAt = deadline(parts, timeoutMs);
  arrival.submission = { ...asked, to: path.text, timeoutMs };
}

function deadline({ told }: AcceptParts, timeoutMs: number): Instant | undefined {
  return timeoutMs === 0 ? undefined : told.deadlineIn(timeoutMs);
}
