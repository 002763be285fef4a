/**
 * While no cluster is open, what waits for other hosts says why, and so does what comes meanwhile. Called by the cluster
 * room; it sends nothing.
 */
import { hostOfMailbox } from "../../core/cluster/hosts.ts";
import type { Address, MessageId } from "../../core/message.ts";
import type { Item } from "../../ports/store.ts";
import { heldFor } from "../delivery/settlement.ts";
import type { Ground } from "../presence/ground.ts";

const AT_ONCE = 200;
const REOPENED = "when the cluster is open again";

export class Holding {
  readonly #ground: Ground;
  readonly #isOpen: () => boolean;
  #release = REOPENED;
  #isBehind = false;
  #catchingUp: Promise<void> | undefined;

  constructor(ground: Ground, isOpen: () => boolean) {
    this.#ground = ground;
    this.#isOpen = isOpen;
  }

  /** All that waits says so now, and what comes from now on. */
  async await(release: string): Promise<void> {
    this.#release = release;
    await this.#hold();
  }

  /** It is closed for a moment: only what comes meanwhile says so. */
  reopens(): void {
    this.#release = REOPENED;
  }

  /** Something came for another host. Many that come at once are held together. */
  came(): void {
    this.#isBehind = true;
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
    });
  }

  async #catchUp(): Promise<void> {
    const { log } = this.#ground.context;
    try {
      while (this.#isBehind) {
        this.#isBehind = false;
        await this.#hold();
      }
    } catch (cause) {
      log.error("cluster.not_held", { cause: String(cause) });
    }
  }

  async #hold(): Promise<void> {
    const { store } = this.#ground.context;
    const mailboxes = store.read.mailboxesWithQueued().filter((one) => hostOfMailbox(one) !== undefined);
    for (const mailbox of mailboxes) await this.#holdIn(mailbox);
  }

  /** Each that has no reason yet, and the next to go; whoever waits behind them says so when its turn comes. */
  async #holdIn(mailbox: Address): Promise<void> {
    const { store } = this.#ground.context;
    const waiting = { mailboxes: [mailbox], states: ["queued"], limit: AT_ONCE } as const;
    for (const unheld of [false, true]) {
      let hasMore = !this.#isOpen();
      while (hasMore) {
        const items = store.read.deliveries({ ...waiting, unheld });
        // An open one says it itself.
        await sayWhy(this.#ground, items, () => (this.#isOpen() ? undefined : this.#release));
        hasMore = unheld && items.length === AT_ONCE && !this.#isOpen();
      }
    }
  }
}

/** Those that still wait say what they wait for; undefined: nothing is to be said. */
export async function sayWhy(
  { context, states }: Ground,
  items: readonly Item[],
  reason: () => string | undefined,
): Promise<void> {
  const { store, clock } = context;
  const changed = new Set<MessageId>();
  await store.write((tx) => {
    const release = reason();
    if (release === undefined) return;
    for (const { delivery } of items) {
      const now = tx.findDelivery(delivery.id);
      if (now?.state !== "queued" || now.hold?.release === release) continue;
      tx.updateDelivery(now.id, { hold: heldFor(now, "offline", release, clock.now()) });
      changed.add(now.messageId);
    }
  });
  if (changed.size > 0) states.changed([...changed]);
}
