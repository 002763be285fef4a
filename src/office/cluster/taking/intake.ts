/**
 * Takes bags from the engine. Who made a bag is who its key says, and what is in it concerns only that host: its letters,
 * and what it says of letters that went there. All letters of a bag are accepted in one transaction, each once; the
 * engine keeps the bag until this has resolved. It routes nothing to a third host.
 */
import type { AdmittedHost } from "../../../core/cluster/admission.ts";
import { ageOf, type LetterAge } from "../../../core/cluster/ages.ts";
import type { HostName } from "../../../core/cluster/hosts.ts";
import { isDeliveryId } from "../../../core/cluster/letter-ids.ts";
import type { Refusal } from "../../../core/cluster/refusals.ts";
import type { DeliveryId } from "../../../core/message.ts";
import type { ArrivedBag, Sealer } from "../../../ports/cluster-engine.ts";
import type { Enquiry, Letter, Parcel } from "../../../wire/cluster/parcels.ts";
import type { Accept } from "../../accept/accept.ts";
import type { Ground } from "../../presence/ground.ts";
import { checkRequirement } from "../../sending/requirement.ts";
import { orMoved } from "../moving/departed.ts";
import { followMoved } from "../moving/following.ts";
import { moverIn, type NewHome } from "../moving/moving-in.ts";
import { opened } from "../packing.ts";
import type { Dispatch } from "../sending/dispatch.ts";
import { heed, saysEnough } from "./heeding.ts";
import { isTroubleHere, refusalBy, refusalIn, submissionOf, TakenBefore, UNREADABLE } from "./opening.ts";
import { giveAllBack, heeded, type Refused, refuse } from "./refusing.ts";
import type { Telling } from "./telling.ts";

/**
 * A bag that fails this often although the store works would keep all others from arriving, of all hosts: its letters are
 * refused, and if that does not help, what is left of it is dropped.
 */
const MOST_TRIES = 5;
const LOGGED_EVERY = 1_000;
const LOGGED_FIRST = 100;

export interface IntakeParts extends Ground {
  readonly accept: Accept;
  readonly sealer: Sealer;
  readonly telling: Telling;
  /** For agents that move here. */
  readonly home: NewHome;
  admitted(host: HostName): AdmittedHost | undefined;
  /** Names under which a host with this key was here, and which nobody has now. */
  formerNames(key: string): readonly HostName[];
  dispatchTo(host: HostName): Dispatch;
  /** A bag of this host is open. */
  onBag(host: HostName): void;
  /** A host says that these never came to it. */
  onMissing(deliveries: readonly DeliveryId[]): void;
}

/** How a letter came. */
interface Arrived extends Pick<ArrivedBag, "again"> {
  readonly age: LetterAge;
}

export class Intake {
  readonly #parts: IntakeParts;
  /** As they are admitted now: whoever is admitted anew is looked at anew. */
  readonly #recognised = new WeakSet<AdmittedHost>();
  #strangers = 0;
  #spoiled = 0;
  #refused = 0;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** How many bags were dropped since the start, because nobody admitted who made them. */
  get strangers(): number {
    return this.#strangers;
  }

  async take(arrived: ArrivedBag): Promise<void> {
    const { sealer, context } = this.#parts;
    const found = opened(arrived.bytes, (host) => this.#parts.admitted(host), sealer);
    if (found.kind === "stranger") return this.#dropStranger(found.name);
    if (found.kind === "unreadable") return this.#dropUnreadable(found.host.host, 1);
    const { host, bag } = found;
    this.#parts.onBag(host.host);
    this.#dropUnreadable(host.host, bag.unreadable);
    const age = ageOf({ engineMs: arrived.ageMs, sentAt: bag.sentAt, now: context.clock.now() });
    try {
      await this.#recognise(host);
      const letters = bag.parcels.filter(isKind("letter"));
      await this.#letters(host, letters, bag.spoiled, { again: arrived.again, age });
      await this.#said(host, bag.parcels);
    } catch (cause) {
      if (this.#isTriedAgain(cause, arrived)) throw cause;
      // What it says is true for long: it is asked for again, and so is a letter of which nothing is heard.
      context.log.error("cluster.bag_dropped", { host: host.host, cause: String(cause) });
    }
  }

  /** The next time may be better: nothing is dropped because this host is in trouble. */
  #isTriedAgain(cause: unknown, { again }: Pick<ArrivedBag, "again">): boolean {
    return again < MOST_TRIES || this.#parts.context.store.trouble() !== undefined || isTroubleHere(cause);
  }

  /** A host that got another name: what came from it before is still its own, and it asks for that. */
  async #recognise(admitted: AdmittedHost): Promise<void> {
    if (this.#recognised.has(admitted)) return;
    const { host, key } = admitted;
    const { store, log } = this.#parts.context;
    const former = this.#parts.formerNames(key);
    if (former.length > 0) {
      const renamed = await store.write((tx) => former.filter((one) => tx.renameTaken(one, host)));
      if (renamed.length > 0) log.info("cluster.host_renamed", { host, former: renamed });
      this.#parts.telling.lookAgain();
    }
    this.#recognised.add(admitted);
  }

  /** The first says enough; a flood must not fill the log. */
  #dropStranger(name: string): void {
    this.#strangers += 1;
    if (this.#strangers === 1 || this.#strangers % LOGGED_EVERY === 0)
      this.#parts.context.log.warn("cluster.stranger", { name, dropped: this.#strangers });
  }

  #dropUnreadable(host: HostName, parcels: number): void {
    if (parcels === 0) return;
    if (this.#spoiled === 0 || this.#spoiled % LOGGED_EVERY === 0)
      this.#parts.context.log.warn("cluster.unreadable", { host, parcels });
    this.#spoiled += 1;
  }

  async #letters(
    host: AdmittedHost,
    letters: readonly Letter[],
    spoiled: readonly string[],
    arrived: Arrived,
  ): Promise<void> {
    if (letters.length + spoiled.length === 0 || this.#isAfterUnknown(host.host, letters)) return;
    const { context, telling } = this.#parts;
    // Begun without a pause in between: one transaction.
    const taking = letters.map((letter) => this.#letter(host, letter, arrived));
    const outcomes = await Promise.all(taking);
    const unread = spoiled
      .filter((delivery) => isDeliveryId(delivery))
      .map((delivery) => ({ delivery, ...UNREADABLE }));
    const refused = [...outcomes.flatMap((one) => one ?? []), ...unread];
    const { store, clock } = context;
    if (refused.length > 0) await store.write((tx) => refuse(tx, host.host, refused, clock.now()));
    context.checkpoint("cluster.taken");
    this.#logRefused(host.host, letters, refused);
    for (const { delivery } of refused) telling.again(host.host, delivery);
  }

  /** A refused letter is kept nowhere here: whoever looks for it finds it in the log. */
  #logRefused(host: HostName, letters: readonly Letter[], refused: readonly Refused[]): void {
    for (const { delivery, words } of refused) {
      this.#refused += 1;
      if (this.#refused > LOGGED_FIRST && this.#refused % LOGGED_EVERY !== 0) continue;
      const message = letters.find((one) => one.delivery === delivery)?.message.shortId ?? delivery;
      this.#parts.context.log.info("cluster.refused", { host, message, because: words });
    }
  }

  /** One that was sent before these never came, and they would come before it: all go again, in their order. */
  #isAfterUnknown(host: HostName, letters: readonly Letter[]): boolean {
    const { read } = this.#parts.context.store;
    const unknown = letters.flatMap(({ after }) =>
      after !== undefined && read.takenLetter(host, after.delivery) === undefined ? [after] : [],
    );
    for (const { delivery, attempt } of unknown) this.#parts.dispatchTo(host).oweMissing(delivery, attempt);
    return unknown.length > 0;
  }

  /** Undefined: it is taken, now or before. */
  async #letter(host: AdmittedHost, letter: Letter, arrived: Arrived): Promise<Refused | undefined> {
    const { accept, context, telling } = this.#parts;
    const { delivery } = letter;
    const { read } = context.store;
    if (read.takenLetter(host.host, delivery) !== undefined) {
      telling.again(host.host, delivery);
      return undefined;
    }
    try {
      const mover = moverIn(host, letter);
      const refusal = mover.kind === "refused" ? mover.refusal : refusalIn(host, letter, arrived.age);
      if (refusal !== undefined) return { delivery, ...refusal };
      const submission = submissionOf(host, letter, arrived.age, this.#parts);
      if (submission.require !== undefined) {
        const recipient = this.#parts.directory.takerOfMailbox(submission.to);
        checkRequirement(recipient, submission.require, context.settings());
      }
      // An agent that came in time is told of it whenever it is started.
      await accept.accept(mover.kind === "agent" ? { ...submission, timeoutMs: 0 } : submission, {
        as: { id: letter.message.id, shortId: letter.message.shortId, host: host.host },
        hops: letter.message.hops,
        agoMs: arrived.age.ms + (letter.waitedMs ?? 0),
        localOnly: true,
        ...(mover.kind === "agent"
          ? { before: (tx) => this.#parts.home.moveIn(tx, host.host, mover.name, mover.luggage) }
          : {}),
        with: (tx, { id: messageId }) => {
          if (tx.takenLetter(host.host, delivery) !== undefined) throw new TakenBefore();
          const takenAt = context.clock.now();
          tx.putTakenLetter({ host: host.host, delivery, takenAt, messageId, told: 0, isOver: false });
          if (letter.possibleDuplicate === true)
            for (const { id } of tx.deliveriesOf(messageId))
              tx.updateDelivery(id, { possibleDuplicate: true });
        },
      });
      if (mover.kind === "agent") this.#parts.home.movedIn();
      return undefined;
    } catch (error) {
      if (error instanceof TakenBefore) return undefined;
      return { delivery, ...orMoved(this.#parts, letter.message.to, this.#whyNot(error, arrived)) };
    }
  }

  /** Throws if it is not the letter's fault: then the engine hands out the bag again. */
  #whyNot(error: unknown, arrived: Arrived): Refusal {
    const refusal = refusalBy(error);
    if (refusal !== undefined) return refusal;
    if (this.#isTriedAgain(error, arrived)) throw error;
    this.#parts.context.log.error("cluster.letter_failed", { cause: String(error) });
    return { why: "other", words: "it could not be taken here" };
  }

  async #said(admitted: AdmittedHost, parcels: readonly Parcel[]): Promise<void> {
    const { host } = admitted;
    const { context, states, telling } = this.#parts;
    const { store, clock, checkpoint } = context;
    const news = parcels.filter(isKind("news"));
    await followMoved(this.#parts, admitted, news);
    const wantedBack = parcels.filter(isKind("withdrawal"));
    const withdrawals = heeded(admitted, wantedBack, store.read);
    if (news.length + withdrawals.length > 0) {
      const changed = await store.write((tx) => {
        const now = clock.now();
        const told = news.flatMap((one) => heed(tx, host, one, now) ?? []);
        return [...told, ...giveAllBack(tx, host, withdrawals, now)];
      });
      checkpoint("cluster.heeded");
      for (const { delivery } of withdrawals) telling.again(host, delivery);
      if (changed.length > 0) states.changed(changed);
    }
    const unknown = wantedBack.filter((one) => !withdrawals.includes(one));
    telling.neverCame(
      host,
      unknown.map(({ delivery }) => delivery),
    );
    const dispatch = this.#parts.dispatchTo(host);
    const heard = news.filter((one) => saysEnough(store.read, one));
    dispatch.heard(heard.map(({ delivery }) => delivery));
    const missing = parcels.filter(isKind("missing"));
    this.#parts.onMissing(missing.map(({ delivery }) => delivery));
    await dispatch.sendAgain(missing);
    const late = news.filter(
      (one) => !heard.includes(one) && store.read.sentLetter(one.delivery)?.host === host,
    );
    dispatch.askAgain(late.map(({ delivery }) => delivery));
    for (const enquiry of parcels.filter(isKind("enquiry"))) await this.#answer(host, enquiry, dispatch);
  }

  async #answer(host: HostName, { deliveries, heeded = -1 }: Enquiry, dispatch: Dispatch): Promise<void> {
    const { context, telling } = this.#parts;
    const { store } = context;
    const isBehind = deliveries.some(
      (one) => (store.read.takenLetter(host, one)?.told ?? heeded + 1) <= heeded,
    );
    if (isBehind)
      await store.write((tx) => {
        for (const delivery of deliveries) telling.numberAbove(tx, host, delivery, heeded);
      });
    for (const delivery of deliveries) {
      if (store.read.takenLetter(host, delivery) !== undefined) telling.again(host, delivery);
      else dispatch.oweMissing(delivery);
    }
  }
}

function isKind<Kind extends Parcel["kind"]>(kind: Kind) {
  return (parcel: Parcel): parcel is Extract<Parcel, { readonly kind: Kind }> => parcel.kind === kind;
}
