/** Which message another one answers, how many hops the exchange has, and where an answer goes. */
import { agentAddress, sessionAddress, splitAddress } from "../../core/address.ts";
import { hostOfMailbox } from "../../core/cluster/hosts.ts";
import { hasReached } from "../../core/evidence.ts";
import type { Address, Message } from "../../core/message.ts";
import { isCounted } from "../../core/routing/loop-breaker.ts";
import type { Decision } from "../../core/routing/route.ts";
import type { Origin } from "../../ports/outside-store.ts";
import type { Item, StoreReader, StoreWriter } from "../../ports/store.ts";
import type { Directory } from "../presence/directory.ts";
import type { Ground } from "../presence/ground.ts";
import type { Submission } from "./submission.ts";

/** How many of a path's recipients are checked: enough to notice two agents that answer each other. */
const MOST_LOOKED_AT = 16;

export interface Answered {
  readonly message: Message;
  readonly deliveries: readonly Item[];
  readonly bound: "explicit" | "implicit";
}

/**
 * The message named by the sender, else the newest one in the other direction that is still unanswered: of those that
 * started the sender's turn, else of those that were delivered.
 */
export function answeredBy(
  tx: StoreWriter,
  submission: Submission,
  directory: Directory,
): Answered | undefined {
  if (submission.answers !== undefined) {
    const message = submission.answers;
    const mine = directory.aliases(ownAddress(submission));
    const deliveries = tx
      .deliveriesOf(message.id)
      .filter(({ state, to }) => hasReached(state, "delivering") && state !== "replied" && mine.includes(to))
      .map((delivery) => ({ delivery, message }));
    return { message, deliveries, bound: "explicit" };
  }
  const mine = directory.currentAliases(ownAddress(submission));
  const theirs = directory.currentAliases(submission.to);
  const item =
    inTurnOf(tx, submission).findLast(
      ({ delivery, message }) => delivery.state === "delivering" && theirs.includes(message.from),
    ) ?? tx.newestUnanswered(theirs, mine);
  return item === undefined ? undefined : { message: item.message, deliveries: [item], bound: "implicit" };
}

/** What started the turn that the sender takes without a terminal, in order. */
function inTurnOf(tx: StoreWriter, { sender: { sessionId, source } }: Submission): readonly Item[] {
  if (sessionId === undefined || source !== "agent") return [];
  return tx
    .turns({ sessionId, states: ["running", "answering"] })
    .flatMap(({ deliveries }) => deliveries)
    .flatMap((id) => {
      const delivery = tx.findDelivery(id);
      const message = delivery === undefined ? undefined : tx.message(delivery.messageId);
      return delivery === undefined || message === undefined ? [] : [{ delivery, message }];
    })
    .toSorted((a, b) => a.delivery.sequence - b.delivery.sequence);
}

/**
 * A message to a path also counts as an answer to recipients who wrote before, but it marks nothing as answered. During
 * a turn without a terminal, whatever goes to agents goes on from what started it: nobody watches agents that write in a
 * ring, or twice each time.
 */
export function hopsOf(
  tx: StoreWriter,
  submission: Submission,
  answered: Message | undefined,
  decided: Decision,
  directory: Directory,
): number {
  if (submission.afterHops !== undefined) return submission.afterHops + 1;
  const { source, address: from } = submission.sender;
  if (!isCounted({ source, from })) return 0;
  const started = inTurnOf(tx, submission).map(({ message }) => message);
  if (answered !== undefined) {
    const theirs = started.filter(({ from }) => from === answered.from);
    return Math.max(answered.hops, ...theirs.map(({ hops }) => hops)) + 1;
  }
  if (decided.kind === "unmatched") return 0;
  const mine = directory.currentAliases(ownAddress(submission));
  const reached = decided.deliveries
    .slice(0, MOST_LOOKED_AT)
    .map(({ to }) => tx.newestUnanswered(directory.currentAliases(to), mine)?.message.hops);
  const goesOn = decided.deliveries.some(({ to }) => isAgents(to)) ? started.map(({ hops }) => hops) : [];
  return Math.max(-1, ...goesOn, ...reached.filter((hops) => hops !== undefined)) + 1;
}

function isAgents(mailbox: Address): boolean {
  const { kind } = splitAddress(mailbox);
  return kind === "agent" || kind === "session" || hostOfMailbox(mailbox) !== undefined;
}

function ownAddress({ sender }: Submission): Address {
  return sender.sessionId === undefined ? sender.address : sessionAddress(sender.sessionId);
}

/** Where a message came from outside: itself, or the arrival that the desk relayed as it. */
export function originOf(messageId: string, read: StoreReader): Origin | undefined {
  const relay = read.relayedAs(messageId);
  return read.origin(relay?.messageId ?? messageId);
}

export interface AnsweringParts extends Ground {
  readonly bridges: { outletFor(path: Address): Address | undefined };
}

/** The place outside where it was said, if a bridge speaks there. Without one, a person finds the answer in their inbox. */
export function answerPlace(message: Message, { context, bridges }: AnsweringParts): Address | undefined {
  const path = originOf(message.id, context.store.read)?.path;
  return path === undefined || bridges.outletFor(path) === undefined ? undefined : path;
}

/**
 * Where an answer to this message goes: to the place outside where it was said, else to the session that wrote it while
 * it lives, else to its agent.
 */
export function answerAddress(message: Message, parts: AnsweringParts): Address {
  const place = answerPlace(message, parts);
  if (place !== undefined) return place;
  const { directory } = parts;
  if (message.fromSession !== undefined && directory.get(message.fromSession) !== undefined) {
    return sessionAddress(message.fromSession);
  }
  const { kind, rest } = splitAddress(message.from);
  return kind === "agent" ? agentAddress(rest) : message.from;
}
