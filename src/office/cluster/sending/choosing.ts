/**
 * What goes into the next bag for a host: first what may not have arrived, else what waits, and what that host is owed.
 * Called by dispatch inside its transaction, in which what is chosen is marked; the engine gets nothing unmarked.
 */
import { LETTERS_KNOWN_MS } from "../../../core/cluster/ages.ts";
import { type HostName, hostMailbox } from "../../../core/cluster/hosts.ts";
import type { DeliveryId, DeliveryState, Instant, MessageId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { SentFilter, SentLetter } from "../../../ports/cluster-store.ts";
import type { Item, StoreReader, StoreWriter } from "../../../ports/store.ts";
import {
  BAG_LIMITS,
  type Enquiry,
  type Letter,
  type Missing,
  type Parcel,
} from "../../../wire/cluster/parcels.ts";
import { fits, Packing } from "../packing.ts";
import type { Telling, ToldNews } from "../taking/telling.ts";
import { askBackAgain } from "../withdrawing.ts";
import { departing, letterOf, type Way } from "./letters.ts";
import { dueAfter } from "./overstaying.ts";
import { markedTwice } from "./twice.ts";

/** More wait for the next bag: they may go by another order then. */
export const MOST_LETTERS = 100;
const MOST_WITHDRAWALS = 100;
const PAGE = 100;
const MOST_HALVINGS = 10;

export const TOO_LARGE = `it is too large to travel: more than ${BAG_LIMITS.bytes / 1024} KiB with all that belongs to it`;

/** What is to be said to that host besides letters. */
export interface Errands {
  /** Letters of that host of which it is to be told. */
  readonly owed: ReturnType<Telling["take"]>;
  /** Letters for which it asked, or which it named, and which never came. */
  readonly missing: readonly Missing[];
  /** Letters of which nothing was heard. */
  readonly enquiries: readonly DeliveryId[];
}

export interface Choice {
  readonly parcels: readonly Parcel[];
  readonly letters: readonly DeliveryId[];
  readonly withdrawals: readonly DeliveryId[];
  readonly missing: readonly Missing[];
  /** All for which it was to be asked, or none. */
  readonly enquiries: readonly DeliveryId[];
  readonly news: readonly ToldNews[];
  /** News for which there was no room. */
  readonly left: readonly ToldNews[];
  /** Of these a delivery changed. */
  readonly messages: readonly MessageId[];
}

export function hasLetters(read: StoreReader, to: HostName): boolean {
  return (
    read.countQueued([hostMailbox(to)]) > 0 ||
    read.sentLetters({ host: to, unstored: true, limit: 1 }).length > 0 ||
    read.lettersToAskBack(to, 1).length > 0
  );
}

/** What is known of the engine. */
export interface Room {
  /** After each of them in a row the bag is smaller: the engine may take less than it should. */
  readonly failures: number;
  /** No more new ones are marked: none while it keeps no more for this host, and few after that. */
  readonly mostNew: number;
}

export function choose(
  tx: StoreWriter,
  telling: Telling,
  way: Way,
  errands: Errands,
  now: Instant,
  room: Room,
): Choice {
  const packing = new Packing(2 ** Math.min(room.failures, MOST_HALVINGS));
  // Whoever has said nothing may not have heard that it is to give them back.
  for (const delivery of errands.enquiries) askBackAgain(tx, delivery);
  const withdrawals = toAskBack(tx, way.to, now).flatMap(({ delivery, withdrawn = "" }) =>
    packing.add({ kind: "withdrawal", delivery, because: withdrawn.slice(0, 200) }) ? [delivery] : [],
  );
  const { letters, messages } = chooseLetters(tx, packing, way, room, now);
  const missing = errands.missing.filter((one) => packing.add(one));
  const asks = errands.enquiries.length > 0 && packing.add(enquiryFor(tx, errands.enquiries));
  const enquiries = asks ? errands.enquiries : [];
  const owed = telling.news(tx, way.to, errands.owed);
  const news = owed.filter((one) => packing.add(one.news));
  const left = owed.filter((one) => !news.includes(one));
  return { parcels: packing.parcels, letters, withdrawals, missing, enquiries, news, left, messages };
}

function enquiryFor(read: StoreReader, deliveries: readonly DeliveryId[]): Enquiry {
  const heeded = Math.max(...deliveries.map((delivery) => read.sentLetter(delivery)?.heeded ?? -1));
  return { kind: "enquiry", deliveries: [...deliveries], ...(heeded < 0 ? {} : { heeded }) };
}

/** What was given up is still to be asked back, if nobody could be asked before. */
const MAY_COME_BACK: readonly (DeliveryState | undefined)[] = ["delivering", "unconfirmed"];

/** What was settled meanwhile need not be asked for, and is never looked at again. */
function toAskBack(tx: StoreWriter, host: HostName, now: Instant): readonly SentLetter[] {
  for (;;) {
    const page = tx.lettersToAskBack(host, MOST_WITHDRAWALS);
    const settled = page.filter(({ delivery }) => !MAY_COME_BACK.includes(tx.findDelivery(delivery)?.state));
    for (const letter of settled) tx.putSentLetter({ ...letter, askedBackAt: now });
    if (settled.length === 0 || page.length < MOST_WITHDRAWALS)
      return page.filter((letter) => !settled.includes(letter));
  }
}

/** All of them, and no more than one page further than they are looked at. */
function* pages(read: StoreReader, filter: Omit<SentFilter, "after" | "limit">): Generator<SentLetter> {
  for (let after: DeliveryId | undefined; ; ) {
    const page = read.sentLetters({ ...filter, ...present({ after }), limit: PAGE });
    yield* page;
    after = page.at(-1)?.delivery;
    if (page.length < PAGE) return;
  }
}

type Chosen = Pick<Choice, "letters" | "messages">;

function chooseLetters(tx: StoreWriter, packing: Packing, way: Way, { mostNew }: Room, now: Instant): Chosen {
  const again = goingAgain(tx, way, now);
  const fresh = again.letters.length > 0 || mostNew === 0 ? [] : departing(tx, way.to, now, mostNew);
  const { letters, messages } =
    again.letters.length > 0
      ? packAgain(tx, packing, way, again.letters, now)
      : packNew(tx, packing, way, fresh, now);
  return { letters, messages: [...messages, ...again.marked] };
}

/** Marked, and perhaps on its way. */
type Unstored = Item & { readonly letter: SentLetter };

/** No more than fit into a bag: each is read with all its text. An attempt that was withdrawn does not go again. */
function goingAgain(tx: StoreWriter, way: Way, now: Instant) {
  const letters: Unstored[] = [];
  const marked: MessageId[] = [];
  for (const letter of pages(tx, { host: way.to, unstored: true, notWithdrawn: true })) {
    const delivery = tx.findDelivery(letter.delivery);
    if (delivery?.state === "delivering") {
      const message = tx.message(delivery.messageId);
      if (message === undefined) continue;
      if (isPerhapsForgotten(letter, way, now)) marked.push(message.id);
      const going = onceMore(tx, { letter, delivery, message }, way, now);
      if (going !== undefined) letters.push(going);
      if (letters.length === MOST_LETTERS) break;
      // Somebody took it by hand, or it was heard of: there is nothing to send.
    } else if (delivery !== undefined) tx.putSentLetter({ ...letter, storedAt: now });
  }
  return { letters, marked };
}

/** Its host would no longer know that it took it, or was set up anew since, with another key. */
function isPerhapsForgotten({ sentAt, sealedFor }: SentLetter, { key }: Way, now: Instant): boolean {
  return now - sentAt >= LETTERS_KNOWN_MS || (sealedFor !== undefined && sealedFor !== key);
}

/** Undefined: it may not go again. */
function onceMore(
  tx: StoreWriter,
  { letter, delivery, message }: Unstored,
  way: Way,
  now: Instant,
): Unstored | undefined {
  if (delivery.possibleDuplicate || !isPerhapsForgotten(letter, way, now))
    return { letter, delivery, message };
  const marked = markedTwice(tx, letter, delivery, now);
  return marked === undefined ? undefined : { letter, delivery: marked, message };
}

/** Whoever does not know that one takes nothing that is sent after it. */
function afterWhich(read: StoreReader, host: HostName, before?: DeliveryId): Pick<Letter, "after"> {
  const last = read.lastUnheard(host, before);
  return last === undefined ? {} : { after: { delivery: last.delivery, attempt: last.attempts } };
}

/** In the order in which they went first. */
function packAgain(
  tx: StoreWriter,
  packing: Packing,
  way: Way,
  again: readonly Unstored[],
  now: Instant,
): Chosen {
  const letters: DeliveryId[] = [];
  const after = afterWhich(tx, way.to, again[0]?.delivery.id);
  for (const { letter, ...item } of again) {
    const isFirst = letters.length === 0;
    if (!packing.add({ ...letterOf(tx, item, way, now), ...(isFirst ? after : {}) })) break;
    tx.putSentLetter({ ...letter, ...present({ sealedFor: way.key }), attempts: letter.attempts + 1 });
    letters.push(letter.delivery);
  }
  return { letters, messages: [] };
}

function packNew(tx: StoreWriter, packing: Packing, way: Way, items: readonly Item[], now: Instant): Chosen {
  const letters: DeliveryId[] = [];
  const messages: MessageId[] = [];
  const after = afterWhich(tx, way.to);
  for (const item of items) {
    const { id, attempts } = item.delivery;
    const letter = { ...letterOf(tx, item, way, now), ...(letters.length === 0 ? after : {}) };
    if (fits(letter)) {
      if (!packing.add(letter)) break;
      const patch = { attempts: attempts + 1, transport: "host", hold: null } as const;
      tx.moveDelivery(id, { at: now, state: "delivering", transport: "host" }, patch);
      tx.putSentLetter({
        delivery: id,
        host: way.to,
        sentAt: now,
        attempts: 1,
        ...present({ sealedFor: way.key }),
        heeded: -1,
        isOver: false,
        ...dueAfter(item.delivery.timeoutAt),
      });
      letters.push(id);
    } else tx.moveDelivery(id, { at: now, state: "failed", note: TOO_LARGE }, { hold: null });
    messages.push(item.message.id);
  }
  return { letters, messages };
}
