/**
 * THE way in: check → stamp → foretell → recognise a repeat → route → place; then wake, tell, expire, file. Every door,
 * timer and notice calls it. When it resolves, the message is on disk. It never types, and it never changes a stored
 * message.
 */
import type { BellhopError } from "../../core/errors.ts";
import type { Address, Instant, Message } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { parsePattern } from "../../core/routing/pattern.ts";
import type { RouteTried } from "../../wire/shapes/broker.ts";
import { step, type Walk, walk } from "../base/walk.ts";
import type { SenderIdentity } from "../presence/directory.ts";
import { AcceptedLog } from "./accepted-log.ts";
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
import { onceOf } from "./idempotency.ts";
import { type AcceptOptions, type AcceptParts, Incoming } from "./incoming.ts";
import { LoopWatch } from "./loop-watch.ts";
import { place } from "./placing.ts";
import {
  decide,
  findAnswered,
  hearersOf,
  markAnswered,
  moveWithIt,
  placeIt,
  type Routed,
  recogniseRepeat,
  refusedOutside,
  routeIt,
} from "./recording.ts";
import { type Accepted, checkBody, refuseKeysFromOutside, type Submission } from "./submission.ts";
import { tried } from "./trying.ts";
import { writeMessage } from "./writing.ts";

export const BEFORE: Walk<Incoming> = [
  step("accept.check", check),
  step("accept.stamp", stamp),
  step("accept.foretell", foretell),
  "accept.validated",
];

/** Run in one transaction. A repeat ends the walk. */
export const INSIDE: Walk<Incoming, Accepted> = [
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

  constructor(parts: Omit<AcceptParts, "loops" | "acceptedLog">) {
    this.#parts = { ...parts, loops: new LoopWatch(parts), acceptedLog: new AcceptedLog(parts.context) };
  }

  async accept(submission: Submission, options: AcceptOptions = {}): Promise<Accepted> {
    const { context } = this.#parts;
    const incoming = new Incoming(this.#parts, submission, options);
    walk(context, BEFORE, incoming);
    const committed = await context.store.write((tx): Committed => {
      incoming.tx = tx;
      const repeat = walk(context, INSIDE, incoming);
      return {
        parts: this.#parts,
        accepted: repeat ?? incoming.accepted,
        time: repeat === undefined ? "first" : "again",
        timeoutAt: incoming.timeoutAt,
      };
    });
    walk(context, AFTER, committed);
    return committed.accepted;
  }

  /** The mailboxes that the message would be placed in if it were sent now. */
  reached({ to, sender }: Pick<Submission, "to" | "sender">): readonly Address[] {
    const { read } = this.#parts.context.store;
    const decision = decide(this.#parts, read, this.#routed(to, sender));
    return decision.kind === "unmatched" ? [] : decision.deliveries.map((delivery) => delivery.to);
  }

  /** Who would get it, and why; throws if this sender may not write there. */
  tried({ to, sender }: Pick<Submission, "to" | "sender">): RouteTried {
    const { read } = this.#parts.context.store;
    const request = this.#routed(to, sender);
    const { from, path } = request;
    const decision = decide(this.#parts, read, request);
    const owner = this.#parts.directory.ownerOf(from);
    const isHeardBySender = hearersOf(this.#parts, read, path).includes(owner);
    return tried(this.#parts, read, { from, path, decision, isHeardBySender });
  }

  /** Why this sender may not write there. */
  refusal({ to, sender }: Pick<Submission, "to" | "sender">): BellhopError | undefined {
    return refusedOutside(this.#parts, this.#parts.context.store.read, this.#routed(to, sender));
  }

  #routed(to: Address, { address: from, source, byOwner }: SenderIdentity): Routed {
    const path = parsePattern(this.#parts.neighbours.withoutOwnHost(to));
    return { from, source, path, ...present({ byOwner }) };
  }

  /**
   * Routes a dead letter once more, with everything its sender asked for; its timeout counts from now.
   * `gone`: it is no longer a dead letter.
   */
  async again(message: Message): Promise<"delivered" | "left" | "gone"> {
    const path = parsePattern(message.to);
    const { context } = this.#parts;
    const wishes = context.store.read.unmatchedWishes(message.id);
    if (wishes === undefined) return "gone";
    const timeoutAt = deadline(this.#parts, wishes.timeoutMs ?? 0);
    const deliveries = await context.store.write((tx) => {
      if (!tx.isUnmatched(message.id)) return undefined;
      const { from, source } = message;
      const letter = tx.takenAs(message.id);
      // Its sender was told for good that it failed, and may have sent it again.
      if (letter?.isOver === true) return [];
      // What came from another host is for who is here only.
      const localOnly = letter !== undefined;
      const request = { from, source, path, ...(localOnly ? { localOnly } : {}) };
      if (refusedOutside(this.#parts, tx, request) !== undefined) return [];
      const decision = decide(this.#parts, tx, request);
      if (decision.kind === "unmatched") return [];
      tx.removeUnmatched(message.id);
      return place(this.#parts, tx, message, wishes, timeoutAt, decision.deliveries);
    });
    if (deliveries === undefined) return "gone";
    if (deliveries.length === 0) return "left";
    const accepted: Accepted = { message, deliveries, unmatched: false };
    walk(context, AFTER_ANOTHER_TRY, { parts: this.#parts, accepted, time: "first", timeoutAt });
    return "delivered";
  }
}

function check(incoming: Incoming): void {
  const { neighbours } = incoming.parts;
  incoming.path = parsePattern(neighbours.withoutOwnHost(incoming.asked.to));
  checkBody(incoming.asked);
  if (incoming.options.answersDialog !== true) refuseKeysFromOutside(incoming.asked);
}

function stamp(incoming: Incoming): void {
  const { asked, parts, path } = incoming;
  const timeoutMs = asked.timeoutMs ?? parts.context.settings().defaultTimeoutMs;
  incoming.once = onceOf(asked, parts.context.digest);
  incoming.timeoutAt = deadline(parts, timeoutMs);
  // As most are asked, nothing of it changes: each takes as long to copy as to store.
  const isAsAsked = asked.to === path.text && (asked.timeoutMs ?? 0) === timeoutMs;
  incoming.submission = isAsAsked ? asked : { timeoutMs, ...asked, to: path.text };
}

/** Whoever takes it can look at its terminal while the disk writes. */
function foretell({ parts, path }: Incoming): void {
  parts.told.expect(path.text);
}

function deadline({ told }: AcceptParts, timeoutMs: number): Instant | undefined {
  return timeoutMs === 0 ? undefined : told.deadlineIn(timeoutMs);
}
