/**
 * What never came, on both sides. One host asks, or sends a letter after one that the other does not know, and is told
 * what is missing there; so all of which it has heard nothing goes again, in its order. Dispatch owns both.
 *
 *   a ── two, after one ──▶ b    knows no "one", and takes nothing
 *   a ◀──── missing one ─── b
 *   a ───── one, two ─────▶ b
 *
 * Nothing that was heard of need be named: whoever has taken a letter knew the one before.
 */
import type { HostName } from "../../../core/cluster/hosts.ts";
import type { DeliveryId, Instant, MessageId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { SentLetter } from "../../../ports/cluster-store.ts";
import type { StoreWriter } from "../../../ports/store.ts";
import type { Missing } from "../../../wire/cluster/parcels.ts";
import { askBackAgain } from "../withdrawing.ts";
import { markedTwice } from "./twice.ts";

/** More are not answered at once: whoever asks for so many asks again. */
const MOST_MISSING = 1_000;
/** A host that heard of nothing although all went again so often is asked before anything goes once more. */
const MOST_GOING_BACK = 5;

/** What the other host is to be told. */
export class OwedMissing {
  readonly #owed = new Map<DeliveryId, Missing>();

  owe(delivery: DeliveryId, attempt: number | undefined): void {
    if (this.#owed.size >= MOST_MISSING) return;
    const latest = Math.max(attempt ?? 0, this.#owed.get(delivery)?.attempt ?? 0);
    this.#owed.set(delivery, {
      ...{ kind: "missing", delivery },
      ...present({ attempt: latest === 0 ? undefined : latest }),
    });
  }

  list(): readonly Missing[] {
    return [...this.#owed.values()];
  }

  said(missing: readonly Missing[]): void {
    for (const one of missing) if (this.#owed.get(one.delivery) === one) this.#owed.delete(one.delivery);
  }
}

/** How often all of which nothing was heard went again: what was on its way meanwhile is part of that. */
export class GoingBack {
  #round = 0;
  #heardInRound = 0;

  get round(): number {
    return this.#round;
  }

  /** The other host has said something of a letter. */
  heard(): void {
    this.#heardInRound = this.#round;
  }

  /** Of what the other host says that it never got: what is to be believed. */
  believed(missing: readonly Missing[], isAsked: (delivery: DeliveryId) => boolean): readonly Missing[] {
    const isInVain = this.#round - this.#heardInRound >= MOST_GOING_BACK;
    return isInVain ? missing.filter(({ delivery }) => isAsked(delivery)) : missing;
  }

  /** The messages of those that the other host had and forgot. */
  goBack(
    tx: StoreWriter,
    host: HostName,
    missing: readonly Missing[],
    isAsked: (delivery: DeliveryId) => boolean,
    now: Instant,
  ): readonly MessageId[] {
    const lost = lostOf(tx, host, missing, isAsked);
    if (lost.length === 0) return [];
    const forgotten = lost.flatMap((letter) => forgetNews(tx, letter, now) ?? []);
    tx.unstoreUnheard(host);
    this.#round += 1;
    return forgotten;
  }
}

/** The other host never got these, or does not know them any more: all of which nothing was heard goes again. */
function lostOf(
  tx: StoreWriter,
  host: HostName,
  missing: readonly Missing[],
  isAsked: (delivery: DeliveryId) => boolean,
): readonly SentLetter[] {
  // That it was to give them back did not come there either.
  for (const { delivery } of missing) if (tx.sentLetter(delivery)?.host === host) askBackAgain(tx, delivery);
  return missing.flatMap(({ delivery, attempt }) => {
    const letter = tx.sentLetter(delivery);
    if (letter?.host !== host || letter.isOver || letter.storedAt === undefined) return [];
    // What went again since then is already on its way.
    const isNamed = letter.heeded < 0 && letter.attempts === attempt;
    if (!isNamed && !isAsked(delivery)) return [];
    if (isNamed || tx.findDelivery(delivery)?.state === "delivering") return [letter];
    // That host had it, and does not know it any more: nothing follows, and it does not go again.
    tx.putSentLetter({ ...letter, isOver: true });
    return [];
  });
}

/**
 * That host had it, and its home was restored from an older copy: what it says from now on counts anew. It may have
 * delivered it before.
 */
function forgetNews(tx: StoreWriter, letter: SentLetter, now: Instant): MessageId | undefined {
  const delivery = tx.findDelivery(letter.delivery);
  if (letter.heeded < 0 || delivery?.state !== "delivering") return undefined;
  const forgotten = { ...letter, heeded: -1 };
  tx.putSentLetter(forgotten);
  // What is wanted back does not go again.
  if (letter.withdrawn === undefined) markedTwice(tx, forgotten, delivery, now);
  return delivery.messageId;
}
