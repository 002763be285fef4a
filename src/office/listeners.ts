/**
 * Who listens to which mailbox right now. Accept tells it what came; a plain listener hears it and nothing changes.
 * One that consumes is a taker like a courier: `delivering` is committed before the push, `delivered` after it, so
 * a crash between the two pushes again, marked. It never types.
 */
import type { Address, Delivery, Message } from "../core/message.ts";
import type { Item, StoreWriter } from "../ports/store.ts";
import type { BrokerMessage } from "../wire/shapes.ts";
import { brokerMessage } from "./broker-shape.ts";
import type { OfficeContext } from "./context.ts";
import type { StateWatch } from "./state-watch.ts";

const AT_ONCE = 100;
const AFTER_FAILURE_MS = 2_000;
export const MOST_LISTENERS = 10_000;

export type Push = (message: BrokerMessage) => "gone" | Promise<"written" | "gone">;

interface Consumer {
  readonly push: Push;
  open: boolean;
}

export interface ListenersParts {
  readonly context: OfficeContext;
  readonly states: StateWatch;
  /** Nobody consumes it any more: its courier may look. */
  released(mailbox: Address): void;
}

export class Listeners {
  readonly #parts: ListenersParts;
  readonly #hearing = new Map<Address, Set<Push>>();
  readonly #consuming = new Map<Address, Consumer[]>();
  readonly #working = new Map<Address, Promise<void>>();
  /** Came while its mailbox was being emptied. */
  readonly #again = new Set<Address>();
  #closed = false;

  constructor(parts: ListenersParts) {
    this.#parts = parts;
  }

  get count(): number {
    const of = (all: Iterable<{ readonly size: number } | { readonly length: number }>) =>
      [...all].reduce((sum, one) => sum + ("size" in one ? one.size : one.length), 0);
    return of(this.#hearing.values()) + of(this.#consuming.values());
  }

  /** A courier leaves such a mailbox alone. */
  consumes(mailbox: Address): boolean {
    return this.#consuming.has(mailbox);
  }

  hear(mailbox: Address, push: Push): () => void {
    const pushes = this.#hearing.get(mailbox) ?? new Set();
    this.#hearing.set(mailbox, pushes.add(push));
    return () => {
      pushes.delete(push);
      if (pushes.size === 0 && this.#hearing.get(mailbox) === pushes) this.#hearing.delete(mailbox);
    };
  }

  /** What waits already comes first. */
  consume(mailbox: Address, push: Push): () => void {
    const consumer: Consumer = { push, open: true };
    this.#consuming.set(mailbox, [...(this.#consuming.get(mailbox) ?? []), consumer]);
    this.#work(mailbox);
    return () => this.#leave(mailbox, consumer);
  }

  /** Committed, and not before. */
  came(message: Message, deliveries: readonly Delivery[]): void {
    if (this.#hearing.size === 0 && this.#consuming.size === 0) return;
    // Copies that read the same are one object: whoever writes them out does so once.
    const shapes = new Map<string, BrokerMessage>();
    for (const delivery of deliveries) {
      const pushes = this.#hearing.get(delivery.to);
      if (pushes !== undefined) {
        const kind = `${delivery.to.startsWith("agent/")} ${JSON.stringify(delivery.handledBy ?? null)}`;
        const shape = shapes.get(kind) ?? brokerMessage(message, delivery, this.#parts.context.store.read);
        shapes.set(kind, shape);
        for (const push of [...pushes]) void push(shape);
      }
      if (this.#consuming.has(delivery.to)) this.#work(delivery.to);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#working.values());
  }

  #leave(mailbox: Address, consumer: Consumer): void {
    consumer.open = false;
    const left = (this.#consuming.get(mailbox) ?? []).filter((one) => one !== consumer);
    if (left.length > 0) this.#consuming.set(mailbox, left);
    else if (this.#consuming.delete(mailbox)) this.#parts.released(mailbox);
  }

  #work(mailbox: Address): void {
    if (this.#closed) return;
    if (this.#working.has(mailbox)) {
      this.#again.add(mailbox);
      return;
    }
    const working = this.#drain(mailbox).then(() => {
      this.#working.delete(mailbox);
      if (this.#again.delete(mailbox)) this.#work(mailbox);
    });
    this.#working.set(mailbox, working);
  }

  async #drain(mailbox: Address): Promise<void> {
    const { context } = this.#parts;
    try {
      for (;;) {
        const consumer = this.#consuming.get(mailbox)?.[0];
        if (consumer === undefined || this.#closed) return;
        const items = await this.#begin(mailbox);
        if (items.length === 0) return;
        await this.#hand(mailbox, consumer, items);
      }
    } catch (cause) {
      // A disk that refuses now may take it in a moment.
      context.log.error("listener.failed", { mailbox, cause: String(cause) });
      context.clock.after(AFTER_FAILURE_MS, () => this.#work(mailbox));
    }
  }

  async #begin(mailbox: Address): Promise<readonly Item[]> {
    const { store, clock } = this.#parts.context;
    return store.write((tx) =>
      tx
        .deliveries({ mailboxes: [mailbox], states: ["queued"], limit: AT_ONCE })
        .map(({ message, delivery }) => {
          tx.appendReceipt(delivery.id, { at: clock.now(), state: "delivering", transport: "receive" });
          const begun = tx.updateDelivery(delivery.id, {
            state: "delivering",
            transport: "receive",
            attempts: delivery.attempts + 1,
            hold: null,
          });
          return { message, delivery: begun };
        }),
    );
  }

  async #hand(mailbox: Address, consumer: Consumer, items: readonly Item[]): Promise<void> {
    const { context, states } = this.#parts;
    const { read } = context.store;
    const outcomes = await Promise.all(
      items.map(({ message, delivery }) =>
        consumer.open ? consumer.push(brokerMessage(message, delivery, read)) : ("gone" as const),
      ),
    );
    if (outcomes.includes("gone")) this.#leave(mailbox, consumer);
    await context.store.write((tx) => {
      for (const [index, { delivery }] of items.entries())
        settle(tx, delivery, outcomes[index] ?? "gone", context.clock.now());
    });
    states.changed(items.map(({ message }) => message.id));
  }
}

function settle(tx: StoreWriter, { id }: Delivery, outcome: "written" | "gone", at: number): void {
  if (tx.findDelivery(id)?.state !== "delivering") return;
  if (outcome === "written") {
    tx.updateDelivery(id, { state: "delivered", evidence: "accepted" });
    tx.appendReceipt(id, { at, state: "delivered", transport: "receive", evidence: "accepted" });
    return;
  }
  tx.updateDelivery(id, { state: "queued", possibleDuplicate: true });
  tx.appendReceipt(id, { at, state: "queued", note: "its listener left: it may have been seen" });
}
