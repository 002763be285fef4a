/**
 * Somebody cancels what is on its way to another host: this host asks for it back, the other one gives it back if nobody
 * has begun to deliver it, and its news say what became of it. Both sides are here, each inside a transaction.
 */
import { type HostName, hostOfMailbox } from "../../core/cluster/hosts.ts";
import { isMove } from "../../core/cluster/moving.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, Delivery, DeliveryId, Instant, MessageId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { inQuotes } from "../../core/text/strangers-words.ts";
import type { SentLetter } from "../../ports/cluster-store.ts";
import type { StoreReader, StoreWriter } from "../../ports/store.ts";
import { heldFor } from "../delivery/settlement.ts";

/** Whoever cancels twice within a moment has not waited for an answer. */
const A_MOMENT_MS = 10_000;
/** What was asked back because its time was over is not waited for any longer. */
const ANSWERS_WITHIN_MS = 600_000;

/** Of what another host says in its own words. */
const LONGEST_SAID = 200;

/** It may be on another host: nobody here can say that it is not delivered. */
export function isAway({ state, to }: Delivery): boolean {
  return state === "delivering" && hostOfMailbox(to) !== undefined;
}

/** It is away, or was given up without a person. */
export function mayComeBack(read: StoreReader, delivery: Delivery): boolean {
  return isAway(delivery) || isGivenUp(read, delivery);
}

function isGivenUp(read: StoreReader, { id, state, to }: Delivery): boolean {
  if (state !== "unconfirmed" || hostOfMailbox(to) === undefined) return false;
  const letter = read.sentLetter(id);
  return letter?.withdrawn !== undefined && letter.settledAt === undefined;
}

/** What a person reads meanwhile. */
export function askedBack(host: HostName, obstacle?: string): string {
  if (obstacle !== undefined) return `${host} is asked to give it back ${obstacle}`;
  return `${host} was asked to give it back, and says what became of it`;
}

/** A person knows that it was given up. */
function settle(tx: StoreWriter, delivery: Delivery, now: Instant): Delivery {
  const letter = tx.sentLetter(delivery.id);
  if (letter !== undefined) tx.putSentLetter({ ...letter, settledAt: now });
  return delivery;
}

/**
 * `isExpelled`: that host is not heard any more. Whether it has it nobody will say, and it is given up; so is what that
 * host was asked for before, in vain.
 */
export function askBack(
  tx: StoreWriter,
  id: DeliveryId,
  because: string,
  {
    now,
    isExpelled,
    obstacle,
  }: {
    readonly now: Instant;
    isExpelled(host: HostName): boolean;
    /** Why nobody can be asked now. */
    obstacle?(host: HostName): string | undefined;
  },
): Delivery {
  const delivery = tx.findDelivery(id);
  const letter = tx.sentLetter(id);
  if (delivery !== undefined && isGivenUp(tx, delivery)) return settle(tx, delivery, now);
  if (delivery === undefined || letter === undefined || !isAway(delivery) || letter.isOver)
    throw new BellhopError("delivery.not_queued", {
      message: `"${id}" is no longer on its way: it is ${delivery?.state ?? "gone"}.`,
      next: `See what became of it with "bellhop show ${id}".`,
    });
  const { withdrawnAt = now, withdrawn, askedBackAt, ...plain } = letter;
  if (isExpelled(letter.host) || now - withdrawnAt >= A_MOMENT_MS)
    return settle(tx, giveUp(tx, delivery, letter, because, now), now);
  const dueAt = letter.dueAt === undefined ? {} : { dueAt: now + ANSWERS_WITHIN_MS };
  // It may have been asked back before, and been handed over all the same.
  const asked = withdrawn === undefined ? {} : present({ askedBackAt });
  tx.putSentLetter({ ...plain, ...asked, withdrawn: because, withdrawnAt, ...dueAt });
  const reason = delivery.hold?.reason ?? "unknown";
  return tx.updateDelivery(id, {
    hold: heldFor(delivery, reason, askedBack(letter.host, obstacle?.(letter.host)), now),
  });
}

/** All that is away from these mailboxes, and what was given up without a person. */
export function askAllBack(
  tx: StoreWriter,
  mailboxes: readonly Address[],
  ask: (id: DeliveryId) => Delivery,
): readonly Delivery[] {
  return tx
    .deliveries({ mailboxes, states: ["delivering", "unconfirmed"] })
    .filter(({ delivery }) => mayComeBack(tx, delivery) && tx.sentLetter(delivery.id)?.isOver === false)
    .map(({ delivery }) => ask(delivery.id));
}

/** That it is wanted back may not have come there: it is said again. */
export function askBackAgain(tx: StoreWriter, delivery: DeliveryId): void {
  const { askedBackAt, ...letter } = tx.sentLetter(delivery) ?? {};
  if (askedBackAt !== undefined) tx.putSentLetter(letter as SentLetter);
}

/** The engine has it that these are wanted back. The messages that say so now. */
export function wasAskedBack(
  tx: StoreWriter,
  letters: readonly DeliveryId[],
  now: Instant,
): readonly MessageId[] {
  return letters.flatMap((id) => {
    const letter = tx.sentLetter(id);
    // Whether the engine has the letter itself is not asked any more: it does not go again, and its host is asked for it.
    if (letter?.withdrawn !== undefined)
      tx.putSentLetter({ ...letter, askedBackAt: now, storedAt: letter.storedAt ?? now });
    const delivery = tx.findDelivery(id);
    const host = delivery === undefined ? undefined : hostOfMailbox(delivery.to);
    if (delivery?.state !== "delivering" || host === undefined) return [];
    if (delivery.hold === undefined || delivery.hold.release === askedBack(host)) return [];
    tx.updateDelivery(id, { hold: heldFor(delivery, delivery.hold.reason, askedBack(host), now) });
    return [delivery.messageId];
  });
}

/** Nobody waits any more for what that host says. If it says something after all, that counts. */
export function giveUp(
  tx: StoreWriter,
  { id }: Delivery,
  letter: SentLetter,
  because: string,
  now: Instant,
): Delivery {
  const { dueAt, ...undue } = letter;
  const { withdrawn = because, withdrawnAt = now } = letter;
  tx.putSentLetter({ ...undue, withdrawn, withdrawnAt });
  const note = `given up ${because}: ${letter.host} may have it`;
  return tx.moveDelivery(id, { at: now, state: "unconfirmed", note }, { hold: null });
}

/** Of what is asked back and is not known here. */
export const NEVER_CAME = {
  why: "withdrawn",
  refusal: "withdrawn before it came",
  told: 0,
  isOver: false,
} as const;

/** The message of which something was cancelled; undefined: nothing was, and its host is to be told how it stands. */
export function giveBack(
  tx: StoreWriter,
  host: HostName,
  { delivery, because }: { readonly delivery: DeliveryId; readonly because: string },
  now: Instant,
): MessageId | undefined {
  const letter = tx.takenLetter(host, delivery);
  if (letter === undefined) tx.putTakenLetter({ ...NEVER_CAME, host, delivery, takenAt: now });
  if (letter?.messageId === undefined) return undefined;
  const message = tx.message(letter.messageId);
  // Its agent lives here already.
  if (message !== undefined && isMove(host, message)) return undefined;
  const waiting = tx.deliveriesOf(letter.messageId).filter(({ state }) => state === "queued");
  const note = `withdrawn on ${host}: ${inQuotes(because, LONGEST_SAID)}`;
  for (const { id } of waiting) tx.moveDelivery(id, { at: now, state: "cancelled", note }, { hold: null });
  return waiting.length === 0 ? undefined : letter.messageId;
}
