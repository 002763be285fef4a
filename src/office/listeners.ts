/**
 * Who listens to which mailbox right now. Accept tells it what came; a plain listener hears it and nothing changes.
 * One that consumes is a taker like a courier: `delivering` is committed before the push, `delivered` after it, so
 * a crash between the two pushes again, marked. It never types.
 */
import type { Address, Delivery, Hold, Message } from "../core/message.ts";
import type { StoreWriter } from "../ports/store.ts";
import type { BrokerMessage } from "../wire/shapes/broker.ts";
import { brokerMessage } from "./broker-shape.ts";
import type { OfficeContext } from "./context.ts";
import { pause } from "./deadline.ts";
import { receivable, takenAs } from "./mailboxes.ts";
import { offlineHold } from "./offline.ts";
import type { StateWatch } from "./state-watch.ts";

const AT_ONCE = 100;
const AFTER_FAILURE_MS = 2_000;
export const MOST_LISTENERS = 10_000;

export type Push = (message: BrokerMessage) => "gone" | Promise<"written" | "gone">;

interface Consumer {
  readonly push: Push;
  open: boolean;
  /** Something came while it had its hands full. */
  again: boolean;
}

/** Marked `delivering`, and why it waited before. */
interface Begun {
  readonly message: Message;
  readonly delivery: Delivery;
  readonly heldBefore: Hold | undefined;
}

/** `unsent`: its listener had left before, so he cannot have seen it. `lost`: we died, and with us what became of it. */
type PushOutcome = "written" | "gone" | "unsent" | "lost";

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
  readonly #working = new Map<Consumer, Promise<void>>();
  #count = 0;
  #closed = false;

  constructor(parts: ListenersParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#count;
  }

  /** A courier leaves such a mailbox alone. */
  consumes(mailbox: Address): boolean {
    return this.#consuming.has(mailbox);
  }

  hear(mailbox: Address, push: Push): () => void {
    const pushes = this.#hearing.get(mailbox) ?? new Set();
    if (!pushes.has(push)) this.#count += 1;
    this.#hearing.set(mailbox, pushes.add(push));
    return () => {
      if (pushes.delete(push)) this.#count -= 1;
      if (pushes.size === 0 && this.#hearing.get(mailbox) === pushes) this.#hearing.delete(mailbox);
    };
  }

  /** What waits already comes first. */
  consume(mailbox: Address, push: Push): () => void {
    const consumer: Consumer = { push, open: true, again: false };
    this.#count += 1;
    this.#consuming.set(mailbox, [...(this.#consuming.get(mailbox) ?? []), consumer]);
    this.#work(mailbox);
    return () => this.#leave(mailbox, consumer);
  }

  /** After a start: what was on its way to a taker when we died. Nobody can say whether he read it. */
  async recover(): Promise<void> {
    const { store, clock, log } = this.#parts.context;
    const left = store.read
      .deliveries({ states: ["delivering"] })
      .filter(({ delivery }) => delivery.transport === "receive" && delivery.attempt === undefined);
    for (let at = 0; at < left.length; at += AT_ONCE) {
      const now = clock.now();
      await store.write((tx) => {
        for (const { message, delivery } of left.slice(at, at + AT_ONCE)) {
          const heldBefore = offlineHold(delivery.to, now, message.shortId);
          settle(tx, { message, delivery, heldBefore }, "lost", now);
        }
      });
    }
    if (left.length > 0) log.info("listener.recovered", { deliveries: left.length });
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
        for (const push of pushes) void this.#pushed(push, shape);
      }
      if (this.#consuming.has(delivery.to)) this.#work(delivery.to);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#working.values());
  }

  #leave(mailbox: Address, consumer: Consumer): void {
    if (!consumer.open) return;
    consumer.open = false;
    this.#count -= 1;
    const left = this.#othersOf(mailbox, consumer);
    if (left.length > 0) this.#consuming.set(mailbox, left);
    else if (this.#consuming.delete(mailbox)) this.#parts.released(mailbox);
  }

  /** One that reads slowly holds up nobody else: whoever has his hands free takes what came. */
  #work(mailbox: Address): void {
    if (this.#closed) return;
    const consumers = this.#consuming.get(mailbox) ?? [];
    const idle = consumers.find((consumer) => !this.#working.has(consumer));
    if (idle === undefined) {
      for (const consumer of consumers) consumer.again = true;
      return;
    }
    idle.again = false;
    const working = this.#drain(mailbox, idle).then(() => {
      this.#working.delete(idle);
      // The next turn is somebody else's.
      if (idle.open) this.#consuming.set(mailbox, [...this.#othersOf(mailbox, idle), idle]);
      if (idle.again) this.#work(mailbox);
    });
    this.#working.set(idle, working);
  }

  #othersOf(mailbox: Address, consumer: Consumer): Consumer[] {
    return (this.#consuming.get(mailbox) ?? []).filter((one) => one !== consumer);
  }

  async #drain(mailbox: Address, consumer: Consumer): Promise<void> {
    const { context } = this.#parts;
    try {
      while (consumer.open && !this.#closed) {
        const begun = await this.#begin(mailbox);
        if (begun.length === 0) return;
        await this.#hand(mailbox, consumer, begun);
      }
    } catch (cause) {
      // A disk that refuses now may take it in a moment.
      context.log.error("listener.failed", { mailbox, cause: String(cause) });
      context.clock.after(AFTER_FAILURE_MS, () => this.#work(mailbox));
    }
  }

  async #begin(mailbox: Address): Promise<readonly Begun[]> {
    const { context, states } = this.#parts;
    const begun = await context.store.write((tx) =>
      receivable(tx, [mailbox], AT_ONCE).map(({ message, delivery }) => {
        const begin = { state: "delivering", transport: "receive" } as const;
        tx.appendReceipt(delivery.id, { at: context.clock.now(), ...begin });
        const attempts = delivery.attempts + 1;
        return {
          message,
          delivery: tx.updateDelivery(delivery.id, { ...begin, attempts, hold: null }),
          heldBefore: delivery.hold,
        };
      }),
    );
    states.changed(begun.map(({ message }) => message.id));
    return begun;
  }

  async #hand(mailbox: Address, consumer: Consumer, begun: readonly Begun[]): Promise<void> {
    const { context, states } = this.#parts;
    const { read } = context.store;
    const outcomes = await Promise.all(
      begun.map(({ message, delivery }): PushOutcome | Promise<PushOutcome> =>
        consumer.open ? this.#pushed(consumer.push, brokerMessage(message, delivery, read)) : "unsent",
      ),
    );
    if (outcomes.some((outcome) => outcome !== "written")) this.#leave(mailbox, consumer);
    const leftBehind = await this.#settle(begun, outcomes);
    states.changed(begun.map(({ message }) => message.id));
    // They were told that he left before this waited again.
    for (const again of new Set(leftBehind)) {
      if (this.#consuming.has(again)) this.#work(again);
      else this.#parts.released(again);
    }
  }

  /** Whatever a listener does, it is one of two things. */
  async #pushed(push: Push, message: BrokerMessage): Promise<"written" | "gone"> {
    try {
      return await push(message);
    } catch (cause) {
      this.#parts.context.log.warn("listener.push_failed", { message: message.id, cause: String(cause) });
      return "gone";
    }
  }

  /** What was pushed cannot be taken back: its record is tried until the disk takes it. Says where what waits again. */
  async #settle(begun: readonly Begun[], outcomes: readonly PushOutcome[]): Promise<readonly Address[]> {
    const { store, clock, log } = this.#parts.context;
    for (;;) {
      try {
        return await store.write((tx) =>
          begun
            .map((one, index) => settle(tx, one, outcomes[index] ?? "gone", clock.now()))
            .filter(({ state }) => state === "queued")
            // Its agent may have another name by now.
            .map(({ to }) => to),
        );
      } catch (cause) {
        if (this.#closed) throw cause;
        log.error("listener.record_failed", { cause: String(cause) });
        await pause(clock, AFTER_FAILURE_MS);
      }
    }
  }
}

function settle(
  tx: StoreWriter,
  { delivery, heldBefore }: Begun,
  outcome: PushOutcome,
  at: number,
): Delivery {
  const { id, atMostOnce } = delivery;
  const now = tx.findDelivery(id) ?? delivery;
  // Its reader may have acknowledged it meanwhile.
  if (now.state !== "delivering") return now;
  if (outcome === "written") {
    const taken = takenAs(delivery);
    tx.appendReceipt(id, { at, transport: "receive", evidence: "accepted", ...taken });
    return tx.updateDelivery(id, { state: taken.state, evidence: "accepted" });
  }
  const hold = heldBefore ?? null;
  if (outcome === "unsent") {
    tx.appendReceipt(id, { at, state: "queued", note: "its listener left before it was pushed" });
    return tx.updateDelivery(id, { state: "queued", hold, transport: null });
  }
  const why = outcome === "lost" ? "after a restart" : "its listener left";
  const note = `${why}: it may have been seen`;
  if (atMostOnce) {
    tx.appendReceipt(id, { at, state: "unconfirmed", transport: "receive", note });
    return tx.updateDelivery(id, { state: "unconfirmed" });
  }
  tx.appendReceipt(id, { at, state: "queued", note });
  return tx.updateDelivery(id, { state: "queued", possibleDuplicate: true, hold });
}
