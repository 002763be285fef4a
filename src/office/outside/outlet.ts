/**
 * Empties one mailbox that no program reads, a bridge's or the desk's: one message at a time, in order. Started with its
 * bridge, woken by accept. It records what became of each; what is done with a message is its taker's business.
 */
import type { Address, Delivery, Hold, Instant } from "../../core/message.ts";
import type { Item, StoreWriter } from "../../ports/store.ts";
import { isOverdue, outgoing } from "../delivery/outgoing.ts";
import { heldFor } from "../delivery/settlement.ts";
import type { Ground } from "../presence/ground.ts";
import { WakeSignal } from "../presence/wake-signal.ts";

const AFTER_FAILURE_MS = 2_000;
const LOOK_AHEAD = 20;
const FURTHER = 4;

export type OutletOutcome =
  | { readonly kind: "done"; readonly note?: string; readonly with?: (tx: StoreWriter) => void }
  /** It will never go out: what was answered. */
  | { readonly kind: "failed"; readonly note: string }
  /** It waits, and so does everything behind it. */
  | Wait;

interface Wait {
  readonly kind: "wait";
  /** When it goes on, in a person's words. */
  readonly release: string;
  readonly retryAt: Instant | "on-signal";
  /** It may have gone out nevertheless: next time it is marked. */
  readonly perhapsDone?: true;
}

export interface OutletTaker {
  readonly mailbox: Address;
  /** Of several takers of one mailbox, each item has exactly one. */
  isFor?(item: Item): boolean;
  /** Why nothing can be taken now, if that is known without trying. */
  obstacle(): Wait | undefined;
  take(item: Item, signal: AbortSignal): Promise<OutletOutcome>;
}

export class Outlet {
  readonly #ground: Ground;
  readonly #taker: OutletTaker;
  readonly #wakeSignal: WakeSignal;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(ground: Ground, taker: OutletTaker) {
    this.#ground = ground;
    this.#taker = taker;
    this.#wakeSignal = new WakeSignal(ground.context.clock);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  wake(): void {
    this.#wakeSignal.ring();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#ground.context;
    let interrupted: string | undefined = "the daemon ended while it was on its way";
    while (!this.#stop.signal.aborted) {
      let next: Instant | "on-signal";
      try {
        if (interrupted !== undefined) await this.#recover(interrupted);
        interrupted = undefined;
        next = await this.#round();
      } catch (cause) {
        log.error("outlet.round_failed", { mailbox: this.#taker.mailbox, cause: String(cause) });
        interrupted ??= "what became of it could not be written down";
        next = clock.now() + AFTER_FAILURE_MS;
      }
      if (this.#stop.signal.aborted) return;
      await this.#wakeSignal.sleep(next);
    }
  }

  /** Whether these went out is unknown, and they are marked. */
  async #recover(why: string): Promise<void> {
    const { store, clock } = this.#ground.context;
    const { mailbox } = this.#taker;
    const items = store.read
      .deliveries({ mailboxes: [mailbox], states: ["delivering"] })
      .filter((item) => this.#isOurs(item));
    if (items.length === 0) return;
    await store.write((tx) => {
      for (const { delivery } of items) {
        const at = clock.now();
        if (delivery.atMostOnce) {
          const note = `${why}, and it was to go at most once`;
          tx.moveDelivery(delivery.id, { at, state: "failed", note });
        } else {
          const note = `${why}: it goes again, marked`;
          tx.moveDelivery(delivery.id, { at, state: "queued", note }, { possibleDuplicate: true });
        }
      }
    });
    this.#tell(items);
  }

  async #round(): Promise<Instant | "on-signal"> {
    const { store, clock } = this.#ground.context;
    if (store.trouble() !== undefined) return clock.now() + AFTER_FAILURE_MS;
    const item = this.#first();
    if (item === undefined) return "on-signal";
    const obstacle = this.#taker.obstacle();
    if (obstacle !== undefined) {
      await this.#hold(item, obstacle);
      return obstacle.retryAt;
    }
    if (!(await this.#begun(item))) return clock.now();
    const { log, checkpoint } = this.#ground.context;
    checkpoint("outlet.marked");
    const outcome = await this.#taker.take(item, this.#stop.signal).catch((cause: unknown): OutletOutcome => {
      log.error("outlet.failed", { delivery: item.delivery.id, cause: String(cause) });
      const retryAt = clock.now() + AFTER_FAILURE_MS;
      return { kind: "wait", release: "when it is tried again", retryAt, perhapsDone: true };
    });
    checkpoint("outlet.taken");
    await this.#record(item, outcome);
    checkpoint("outlet.recorded");
    return outcome.kind === "wait" ? outcome.retryAt : clock.now();
  }

  /** What a person holds back stays; what is behind it, or behind what another takes, may go. */
  #first(): Item | undefined {
    const { store, clock } = this.#ground.context;
    const goes = (item: Item): boolean =>
      item.delivery.release !== "withheld" && !isOverdue(item.delivery, clock.now()) && this.#isOurs(item);
    for (let most = LOOK_AHEAD; ; most *= FURTHER) {
      const items = outgoing(store.read, [this.#taker.mailbox], most);
      const first = items.find(goes);
      if (first !== undefined || items.length < most) return first;
    }
  }

  #isOurs(item: Item): boolean {
    return this.#taker.isFor?.(item) ?? true;
  }

  async #hold({ delivery, message }: Item, { release }: Wait): Promise<void> {
    if (delivery.hold?.release === release) return;
    await this.#ground.context.store.write((tx) => {
      const now = tx.findDelivery(delivery.id);
      if (now?.state === "queued") tx.updateDelivery(delivery.id, { hold: this.#holdFor(now, release) });
    });
    this.#ground.states.changed([message.id]);
  }

  #holdFor(delivery: Delivery, release: string): Hold {
    return heldFor(delivery, "offline", release, this.#ground.context.clock.now());
  }

  async #begun({ delivery }: Item): Promise<boolean> {
    const { store, clock } = this.#ground.context;
    return store.write((tx) => {
      if (tx.findDelivery(delivery.id)?.state !== "queued") return false;
      const patch = { attempts: delivery.attempts + 1, transport: "bridge", hold: null } as const;
      tx.moveDelivery(delivery.id, { at: clock.now(), state: "delivering", transport: "bridge" }, patch);
      return true;
    });
  }

  async #record(item: Item, outcome: OutletOutcome): Promise<void> {
    const { store, clock } = this.#ground.context;
    const { id } = item.delivery;
    await store.write((tx) => {
      const now = tx.findDelivery(id);
      if (now?.state !== "delivering") return;
      const at = clock.now();
      switch (outcome.kind) {
        case "done": {
          const { note } = outcome;
          const receipt = { at, state: "delivered", transport: "bridge", evidence: "accepted" } as const;
          tx.moveDelivery(id, note === undefined ? receipt : { ...receipt, note }, { evidence: "accepted" });
          outcome.with?.(tx);
          return;
        }
        case "failed":
          tx.moveDelivery(id, { at, state: "failed", note: outcome.note });
          return;
        case "wait": {
          const hold = this.#holdFor(item.delivery, outcome.release);
          const { release, perhapsDone } = outcome;
          const note = `${perhapsDone === true ? "it may have gone out" : "nothing went out"}: ${release}`;
          const mark = perhapsDone === true ? { possibleDuplicate: true } : {};
          tx.moveDelivery(id, { at, state: "queued", note }, { hold, ...mark });
        }
      }
    });
    this.#tell([item]);
  }

  #tell(items: readonly Item[]): void {
    this.#ground.states.changed(items.map(({ message }) => message.id));
  }
}
