/**
 * What another host says of letters that went there moves their deliveries here, as `core/transitions` allows. Intake
 * calls it inside a transaction. Only the host to which a letter went is heeded.
 */
import { type HostName, splitHost } from "../../../core/cluster/hosts.ts";
import { saidThere } from "../../../core/cluster/said-there.ts";
import { assertNever } from "../../../core/errors.ts";
import type { Delivery, DeliveryState, Hold, Instant, MessageId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { isFinal, mayFollow } from "../../../core/transitions.ts";
import type { SentLetter } from "../../../ports/cluster-store.ts";
import type { DeliveryPatch, StoreReader, StoreWriter } from "../../../ports/store.ts";
import type { News } from "../../../wire/cluster/parcels.ts";
import { heldFor } from "../../delivery/settlement.ts";
import { askedBack } from "../withdrawing.ts";

/** False: they are older than what was heeded before, and say nothing of how it stands now. */
export function saysEnough(read: StoreReader, { delivery, number }: News): boolean {
  const letter = read.sentLetter(delivery);
  return letter === undefined || letter.isOver || number >= letter.heeded;
}

/** Undefined: it is not for this host to say, or it was heard before. */
export function heed(tx: StoreWriter, host: HostName, news: News, now: Instant): MessageId | undefined {
  const letter = tx.sentLetter(news.delivery);
  const delivery = tx.findDelivery(news.delivery);
  if (letter?.host !== host || delivery === undefined || letter.isOver) return undefined;
  // The same number may come again with newer news: its host died before it had written down that it told.
  if (news.number < letter.heeded) return undefined;
  const { state } = moved(tx, delivery, letter, news, now);
  const isOver = isFinal(state) || isFinal(news.state) || news.isLast === true;
  const { storedAt = now } = letter;
  const isNotDelivered = NOT_DELIVERED.includes(news.state);
  // What was delivered there cannot have been refused.
  const isHeeded = state === news.state || delivery.state === "unconfirmed";
  tx.putSentLetter({
    ...(news.state === "unconfirmed" ? notAskedBack(letter) : letter),
    ...{ storedAt, heeded: news.number, heardAt: now, isOver },
    ...(isNotDelivered && delivery.state === "unconfirmed" ? { settledAt: now } : {}),
    isTaken: isTaken(letter, news),
    ...(isNotDelivered && isHeeded ? present({ why: news.why }) : {}),
  });
  if (news.why === "nobody" && state === "failed") unlessHeard(tx, delivery, host, now);
  return delivery.messageId;
}

const NOT_DELIVERED: readonly DeliveryState[] = ["expired", "cancelled", "failed"];

/** What was heard before it was sent again counts no more. */
function isTaken({ heeded, isTaken }: SentLetter, { taken, why }: News): boolean {
  return (heeded >= 0 && isTaken === true) || (taken === true && why === undefined);
}

/** It was handed over there: it cannot come back. */
function notAskedBack({ withdrawn, withdrawnAt, ...letter }: SentLetter): SentLetter {
  return letter;
}

/** What was said to a path, and is heard on none of the hosts to which it went, is a dead letter after all. */
function unlessHeard(
  tx: StoreWriter,
  { messageId, ...delivery }: Delivery,
  host: HostName,
  now: Instant,
): void {
  const message = tx.message(messageId);
  if (message === undefined || splitHost(message.to) !== undefined || tx.isUnmatched(messageId)) return;
  const all = tx.deliveriesOf(messageId);
  if (!all.every(({ id, state }) => state === "failed" && tx.sentLetter(id)?.why === "nobody")) return;
  const { timeoutMs, require, atMostOnce, anyWayIn } = delivery;
  const wishes = { atMostOnce, ...present({ timeoutMs, require, anyWayIn }) };
  tx.insertUnmatched(messageId, now, `nobody hears it on ${host}, or on any other host`, wishes);
}

function moved(
  tx: StoreWriter,
  delivery: Delivery,
  letter: SentLetter,
  news: News,
  now: Instant,
): Pick<Delivery, "state"> {
  switch (news.state) {
    case "queued":
    case "delivering":
      return waiting(tx, delivery, letter, news, now);
    case "expired":
    case "cancelled":
      if (delivery.state === "unconfirmed") return inVain(tx, delivery, letter.host, news, now);
      // Nothing that is being delivered can expire or be cancelled: it came back first.
      if (delivery.state !== "delivering") return delivery;
      tx.moveDelivery(delivery.id, { at: now, state: "queued", note: whereItWas(letter) });
      return arrived(tx, { ...delivery, state: "queued" }, letter.host, news, now);
    case "failed":
      if (delivery.state === "unconfirmed") return inVain(tx, delivery, letter.host, news, now);
      return arrived(tx, delivery, letter.host, news, now);
    case "unconfirmed":
    case "delivered":
    case "read":
    case "replied":
      return arrived(tx, delivery, letter.host, news, now);
    default:
      return assertNever(news.state);
  }
}

export function whereItWas({ host, heeded }: SentLetter): string {
  return heeded < 0 ? `it was on its way to ${host}` : `it waited on ${host}`;
}

/** The other host has it, and it is not delivered yet: here it is on its way until that host says more. */
function waiting(
  tx: StoreWriter,
  delivery: Delivery,
  { host, heeded, withdrawn }: SentLetter,
  news: News,
  now: Instant,
): Delivery {
  if (delivery.state !== "delivering") return delivery;
  if (heeded < 0) tx.appendReceipt(delivery.id, { at: now, state: "delivering", note: `${host} has it` });
  const why = news.hold === undefined ? "" : `: ${news.hold.reason}, ${saidThere(host, news.hold.release)}`;
  const release = withdrawn === undefined ? `${host} has it${why}` : askedBack(host);
  const hold = news.state === "delivering" ? null : held(delivery, news, release, now);
  return tx.updateDelivery(delivery.id, { hold, ...marks(news) });
}

function arrived(tx: StoreWriter, delivery: Delivery, host: HostName, news: News, now: Instant) {
  const { state, transport, evidence, note } = news;
  const isNew = state !== delivery.state || (evidence !== undefined && evidence !== delivery.evidence);
  if (!isNew || !mayFollow(delivery.state, state)) return delivery;
  const told = note === undefined ? `on ${host}` : `on ${host}: ${saidThere(host, note)}`;
  const receipt = { at: now, state, note: told, ...present({ transport, evidence }) };
  const patch = { hold: null, ...present({ evidence }), ...marks(news), ...owed(tx, delivery, news) };
  return tx.moveDelivery(delivery.id, receipt, patch);
}

/** At home the sender would have been told at once. What is said to a path is said to nobody in particular. */
function owed(
  read: StoreReader,
  { messageId, owes }: Delivery,
  { state, why, unmatched }: News,
): DeliveryPatch {
  const isNamed = splitHost(read.message(messageId)?.to ?? "") !== undefined;
  const isRefused = why !== undefined || unmatched === true;
  return state === "failed" && isNamed && isRefused ? { owes: { ...owes, onDelivery: true } } : {};
}

/** It was given up here before. It cannot become anything but delivered any more; its receipt says what is known now. */
function inVain(tx: StoreWriter, delivery: Delivery, host: HostName, { state, note }: News, now: Instant) {
  const why = note === undefined ? "" : `: ${saidThere(host, note)}`;
  const said = `on ${host} it was not delivered (${state})${why}`;
  tx.appendReceipt(delivery.id, { at: now, state: "unconfirmed", note: said });
  return delivery;
}

function marks({ possibleDuplicate }: News): DeliveryPatch {
  return possibleDuplicate === true ? { possibleDuplicate } : {};
}

function held(delivery: Delivery, { hold }: News, release: string, now: Instant): Hold {
  return heldFor(delivery, hold?.reason ?? "unknown", release, now);
}
