/**
 * Who wrote to whom, and how often, from what is stored. The use-cases ask it. It counts the newest deliveries, in pages
 * with room for others between them, and says from when on if that was not all. It changes nothing.
 */
import type { Address, Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Talk, Traffic } from "../../wire/shapes/broker.ts";
import { pause } from "../base/deadline.ts";
import type { Ground } from "../presence/ground.ts";

/** Deliveries that are counted without anybody else getting a turn. */
const PAGE = 5_000;
/** Deliveries that are counted for one answer. */
export const MOST_COUNTED = 100_000;
/** Pairs in one answer. */
export const MOST_TALKS = 1_000;

export class TrafficCount {
  readonly #ground: Ground;
  readonly #most: number;

  constructor(ground: Ground, most = MOST_COUNTED) {
    this.#ground = ground;
    this.#most = most;
  }

  async within(ms = Number.POSITIVE_INFINITY): Promise<Traffic> {
    const { store, clock } = this.#ground.context;
    const until = clock.now();
    const since = Math.max(0, until - ms);
    // What was accepted before now is on disk after this.
    await store.write(() => {});
    const counted = new Counted((address) => this.#ground.directory.ownerOf(address));
    let before: number | undefined;
    let oldest = until;
    for (let left = this.#most; left > 0; left -= PAGE) {
      const limit = Math.min(PAGE, left);
      const page = store.read.talked({ since, until, limit, ...present({ before }) });
      for (const { from, mailbox, messages } of page.pairs) counted.add(from, mailbox, messages);
      oldest = Math.min(oldest, page.oldest ?? oldest);
      before = page.before;
      if (before === undefined) break;
      await pause(clock, 0);
    }
    const unmatched = await this.#unmatched(since);
    return { until, ...(before === undefined ? {} : { since: oldest }), ...counted.busiest(), unmatched };
  }

  /** The newest dead letters, by who sent them. */
  async #unmatched(since: Instant): Promise<Traffic["unmatched"]> {
    const { store, clock } = this.#ground.context;
    const counts = new Map<Address, number>();
    let before: number | undefined;
    for (let left = this.#most; left > 0; left -= PAGE) {
      const limit = Math.min(PAGE, left);
      const page = store.read.unmatchedBySender({ since, limit, ...present({ before }) });
      for (const { from, messages } of page.senders) {
        const owner = this.#ground.directory.ownerOf(from);
        counts.set(owner, (counts.get(owner) ?? 0) + messages);
      }
      before = page.before;
      if (before === undefined) break;
      await pause(clock, 0);
    }
    return [...counts].map(([from, messages]) => ({ from, messages }));
  }
}

class Counted {
  readonly #ownerOf: (address: Address) => Address;
  readonly #owners = new Map<Address, Address>();
  readonly #talks = new Map<Address, Map<Address, number>>();

  constructor(ownerOf: (address: Address) => Address) {
    this.#ownerOf = ownerOf;
  }

  add(from: Address, to: Address, messages: number): void {
    const sender = this.#owner(from);
    const heard = this.#talks.get(sender) ?? new Map<Address, number>();
    const owner = this.#owner(to);
    this.#talks.set(sender, heard.set(owner, (heard.get(owner) ?? 0) + messages));
  }

  busiest(): Pick<Traffic, "talks" | "others"> {
    const talks = [...this.#talks]
      .flatMap(([from, heard]) => [...heard].map(([to, messages]): Talk => ({ from, to, messages })))
      .toSorted((a, b) => b.messages - a.messages || (nameOf(a) < nameOf(b) ? -1 : 1));
    const others = talks.slice(MOST_TALKS);
    return {
      talks: talks.slice(0, MOST_TALKS),
      others: { pairs: others.length, messages: others.reduce((sum, { messages }) => sum + messages, 0) },
    };
  }

  #owner(address: Address): Address {
    const owner = this.#owners.get(address) ?? this.#ownerOf(address);
    this.#owners.set(address, owner);
    return owner;
  }
}

function nameOf({ from, to }: Talk): string {
  return `${from} ${to}`;
}
