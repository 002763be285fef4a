/**
 * How often agents here and on other hosts answered one another, as it is seen here: what another host says of its
 * letters may be wrong, and so may what it says became of ours. Accept asks it for the hops of what goes to other hosts
 * and comes from them. It forgets everything at a restart: then they are counted from the beginning.
 */
import { splitAddress } from "../../core/address.ts";
import { type HostName, hostMailbox, hostOfMailbox, recipientThere } from "../../core/cluster/hosts.ts";
import { hostOfSpeaker } from "../../core/cluster/speakers.ts";
import type { Address, Instant } from "../../core/message.ts";

/** Whoever answers does so soon. What comes later, on a path, is more likely said for another reason. */
export const CROSSINGS = { most: 4_096, knownMs: 600_000 } as const;

/** Enough to notice agents that answer each other. */
const MOST_LOOKED_AT = 16;

/** A message of an agent. */
export interface Crossing {
  readonly from: Address;
  readonly to: Address;
  /** Where it is put. */
  readonly mailboxes: readonly Address[];
  readonly now: Instant;
}

export class Crossings {
  readonly #ownerOf: (address: Address) => Address;
  /** What an agent here last sent to an address there, or to a host by a path, and had no answer to. */
  readonly #went = new Remembered();
  /** What an agent here last got from a host, and has not answered there. */
  readonly #came = new Remembered();

  constructor(ownerOf: (address: Address) => Address) {
    this.#ownerOf = ownerOf;
  }

  /** It has at least so many. */
  hops(crossing: Crossing): number {
    const { from, now } = crossing;
    const host = hostOfSpeaker(from);
    const before =
      host === undefined
        ? this.#pathsOut(crossing).map((there) => this.#came.hops([this.#ownerOf(from), there], now))
        : this.#takers(crossing).flatMap((taker) =>
            [from, hostMailbox(host)].map((there) => this.#went.hops([taker, there], now)),
          );
    return Math.max(-1, ...before) + 1;
  }

  /** It is accepted, with so many hops. What is said to one answers what they said last; on a path it answers nothing. */
  passed(crossing: Crossing, hops: number): void {
    const { from, now } = crossing;
    const host = hostOfSpeaker(from);
    if (host === undefined) this.#leaves(crossing, { hops, at: now });
    else this.#arrives(host, crossing, { hops, at: now });
  }

  #leaves({ from, to, mailboxes }: Crossing, passed: Passed): void {
    for (const mailbox of hostsIn(mailboxes)) {
      const owner = this.#ownerOf(from);
      if (!isPath(to)) this.#came.forget([owner, mailbox]);
      this.#went.put([owner, isPath(to) ? mailbox : (recipientThere(mailbox, to) ?? to)], passed);
    }
  }

  #arrives(host: HostName, crossing: Crossing, passed: Passed): void {
    const { from, to } = crossing;
    for (const taker of this.#takers(crossing)) {
      if (!isPath(to)) for (const there of [from, hostMailbox(host)]) this.#went.forget([taker, there]);
      this.#came.put([taker, hostMailbox(host)], passed);
    }
  }

  #takers({ mailboxes }: Crossing): readonly Address[] {
    return [...new Set(mailboxes.slice(0, MOST_LOOKED_AT).map((mailbox) => this.#ownerOf(mailbox)))];
  }

  /** The hosts that hear it by a path. What answers somebody there is known by that. */
  #pathsOut({ to, mailboxes }: Crossing): readonly Address[] {
    return isPath(to) ? hostsIn(mailboxes) : [];
  }
}

function hostsIn(mailboxes: readonly Address[]): readonly Address[] {
  return mailboxes.filter((mailbox) => hostOfMailbox(mailbox) !== undefined).slice(0, MOST_LOOKED_AT);
}

/** Not somebody's address. */
function isPath(to: Address): boolean {
  return splitAddress(to).kind === "other" && hostOfSpeaker(to) === undefined;
}

interface Passed {
  readonly hops: number;
  readonly at: Instant;
}

type Pair = readonly [here: Address, there: Address];

/** By pair; the one that was silent for longest is forgotten first. */
class Remembered {
  readonly #passed = new Map<string, Passed>();

  hops(pair: Pair, now: Instant): number {
    const passed = this.#passed.get(pair.join("\n"));
    return passed === undefined || now - passed.at > CROSSINGS.knownMs ? -1 : passed.hops;
  }

  put(pair: Pair, passed: Passed): void {
    this.forget(pair);
    this.#passed.set(pair.join("\n"), passed);
    const [oldest] = this.#passed.keys();
    if (oldest !== undefined && this.#passed.size > CROSSINGS.most) this.#passed.delete(oldest);
  }

  forget(pair: Pair): void {
    this.#passed.delete(pair.join("\n"));
  }
}
