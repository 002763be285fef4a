/**
 * The bags for one host: what was stored is recorded and what goes next is chosen and marked in one transaction, then it
 * is sealed and handed to the engine. Dispatch says when, and owns it; it waits for nothing but the store and the engine.
 */
import type { AdmittedHost } from "../../../core/cluster/admission.ts";
import type { HostName } from "../../../core/cluster/hosts.ts";
import { NotStored } from "../../../core/cluster/not-stored.ts";
import type { DeliveryId, MessageId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { ClusterEngine, Sealer } from "../../../ports/cluster-engine.ts";
import type { StoreWriter } from "../../../ports/store.ts";
import type { Ground } from "../../presence/ground.ts";
import { sealed } from "../packing.ts";
import type { Telling } from "../taking/telling.ts";
import { wasAskedBack } from "../withdrawing.ts";
import { type Choice, choose, type Errands, MOST_LETTERS } from "./choosing.ts";
import type { Enquiries } from "./enquiries.ts";
import { type GoingBack, OwedMissing } from "./missing.ts";
import { refused, stored, unsure } from "./recording.ts";

export interface DeparturesParts extends Ground {
  /** This host. */
  readonly host: HostName;
  readonly to: HostName;
  readonly engine: ClusterEngine;
  readonly sealer: Sealer;
  readonly telling: Telling;
  /** The one to which it goes, as long as it is admitted. */
  admitted(): AdmittedHost | undefined;
  /** A bag is stored. */
  onStored(): void;
}

/** Chosen and marked, and perhaps on its way. */
export interface Departing extends Choice {
  /** Owed again if it does not get there. */
  readonly owed: ReturnType<Telling["take"]>;
  /** Of this host's going back. */
  readonly round: number;
}

export class Departures {
  readonly missing = new OwedMissing();
  readonly #parts: DeparturesParts;
  readonly #enquiries: Pick<Enquiries, "sent" | "notAsked">;
  readonly #goingBack: Pick<GoingBack, "round">;
  #failures = 0;
  #isFull = false;
  /** New ones in a bag. All senders share the room that there is for a host, so what was refused goes one by one at first. */
  #most = MOST_LETTERS;

  constructor(
    parts: DeparturesParts,
    enquiries: Pick<Enquiries, "sent" | "notAsked">,
    goingBack: Pick<GoingBack, "round">,
  ) {
    this.#parts = parts;
    this.#enquiries = enquiries;
    this.#goingBack = goingBack;
  }

  /** In a row, until now. */
  get failures(): number {
    return this.#failures;
  }

  /** The engine keeps no more for that host: the next bag, even an empty one, shows whether it does. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** What was stored, and what goes next, in one transaction with one sync to disk. */
  async next(before: Departing | undefined, errands: Errands | undefined): Promise<Departing | undefined> {
    const { context, telling, host, to, states } = this.#parts;
    const { store, clock } = context;
    const owed = errands?.owed ?? [];
    const way = { from: host, to, ...present({ key: this.#parts.admitted()?.key }) };
    const room = { failures: this.#failures, mostNew: this.#isFull ? 0 : this.#most };
    let chosen: Choice | undefined;
    let asked: readonly MessageId[] = [];
    let round = 0;
    try {
      chosen = await store.write((tx) => {
        if (before !== undefined) asked = this.#record(tx, before);
        round = this.#goingBack.round;
        return errands === undefined ? undefined : choose(tx, telling, way, errands, clock.now(), room);
      });
    } catch (cause) {
      telling.giveBack(to, owed);
      this.#enquiries.notAsked(errands?.enquiries ?? []);
      throw cause;
    }
    if (before !== undefined) this.#remember(before);
    const messages = [...(before?.messages ?? []), ...asked, ...(chosen?.messages ?? [])];
    if (messages.length > 0) states.changed(messages);
    if (chosen === undefined) return undefined;
    if (chosen.enquiries.length === 0) this.#enquiries.notAsked(errands?.enquiries ?? []);
    telling.giveBack(
      to,
      chosen.left.map(({ news }) => [news.delivery, "again"]),
    );
    return { ...chosen, round, owed: chosen.news.map(({ news }) => [news.delivery, "again"]) };
  }

  /** The messages of those that were asked back. */
  #record(tx: StoreWriter, { letters, withdrawals, news, round }: Departing): readonly MessageId[] {
    const { telling, context } = this.#parts;
    const now = context.clock.now();
    // Else they name one that goes again, and are not taken.
    if (round === this.#goingBack.round) stored(tx, letters, now);
    for (const one of news) telling.record(tx, one);
    return wasAskedBack(tx, withdrawals, now);
  }

  #remember({ letters, withdrawals }: Departing): void {
    const { read } = this.#parts.context.store;
    // News may have been faster than the engine's answer.
    for (const delivery of letters)
      if ((read.sentLetter(delivery)?.heeded ?? 0) < 0) this.#enquiries.sent(delivery);
    for (const delivery of withdrawals) this.#enquiries.sent(delivery);
  }

  /** Undefined: it is stored. Else whether it is may be unknown; for what those wait that are behind it. */
  async store(departing: Departing): Promise<string | undefined> {
    const { context, engine, telling, to } = this.#parts;
    const { ids, log, checkpoint } = context;
    const bag = this.#sealed(departing);
    checkpoint("cluster.marked");
    try {
      await engine.store(to, ids.message(), bag);
    } catch (cause) {
      this.#failures += 1;
      const why = wordsOf(cause);
      log.warn("cluster.not_stored", { host: to, parcels: departing.parcels.length, why });
      telling.giveBack(to, departing.owed);
      this.#enquiries.notAsked(departing.enquiries);
      return this.#notStored(departing, why, cause instanceof NotStored);
    }
    this.#wasStored(departing);
    this.missing.said(departing.missing);
    checkpoint("cluster.stored");
    this.#parts.onStored();
    return undefined;
  }

  /** A bag without letters shows that there was room for it, and has taken that itself: the rests do not begin anew. */
  #wasStored({ letters }: Departing): void {
    if (letters.length > 0 || !this.#isFull) this.#failures = 0;
    if (letters.length > 0) this.#most = Math.min(MOST_LETTERS, this.#most * 2);
    this.#isFull = false;
  }

  #sealed({ parcels, owed, enquiries }: Departing): Uint8Array {
    const { host, to, sealer, context, telling } = this.#parts;
    try {
      const admitted = this.#parts.admitted();
      if (admitted === undefined) throw new Error("the host is not admitted any more");
      return sealed({ from: host, sentAt: context.clock.now(), parcels }, admitted.key, sealer);
    } catch (cause) {
      telling.giveBack(to, owed);
      this.#enquiries.notAsked(enquiries);
      throw cause;
    }
  }

  async #notStored({ letters, messages }: Departing, why: string, isFull: boolean): Promise<string> {
    if (isFull) {
      this.#isFull = true;
      this.#most = 1;
    }
    const release = isFull
      ? `when there is room for it: ${why}`
      : `when NATS has taken what goes before it: ${why}`;
    if (letters.length > 0) {
      await this.#heldBack(letters, why, isFull ? release : undefined);
      this.#parts.states.changed(messages);
    }
    return release;
  }

  /** `release`: the engine has said no, and what never went before waits for this. */
  async #heldBack(letters: readonly DeliveryId[], why: string, release: string | undefined): Promise<void> {
    const { store, clock } = this.#parts.context;
    await store.write((tx) => {
      if (release === undefined) unsure(tx, letters, why, clock.now());
      else refused(tx, letters, { why, release }, clock.now());
    });
  }
}

export function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
