/**
 * Who listens to which mailbox right now. Accept reports what came; a plain listener hears it and nothing changes.
 * A consuming listener takes messages as a courier does: `delivering` is committed before the push, `delivered` after
 * it, so after a crash between the two the message is pushed again, marked as a possible duplicate. It never types.
 */
import { hostOfMailbox } from "../../core/cluster/hosts.ts";
import type { Address, Delivery, Hold, Message } from "../../core/message.ts";
import type { StoreReader, StoreWriter } from "../../ports/store.ts";
import type { BrokerMessage, ShownListener } from "../../wire/shapes/broker.ts";
import type { Push } from "../../wire/verbs/streams.ts";
import { pause } from "../base/deadline.ts";
import { offlineHold } from "../base/offline.ts";
import type { Ground } from "../presence/ground.ts";
import { brokerMessage } from "./broker-shape.ts";
import { receivable, takenAs } from "./mailboxes.ts";

const BATCH = 100;
const AFTER_FAILURE_MS = 2_000;
export const MOST_LISTENERS = 10_000;

/** The mailbox may be renamed while it listens. */
interface Hearer {
  readonly push: Push;
  mailbox: Address;
}

interface Consumer extends Hearer {
  open: boolean;
  /** Something came while all consumers were busy. */
  again: boolean;
}

/** An open listener, as its opener holds it. */
interface Heard {
  mailbox(): Address;
  close(): void;
}

export interface ListenersParts extends Pick<Ground, "context" | "states"> {
  /** The mailbox has no consumer any more: its courier may look. */
  released(mailbox: Address): void;
  /** Somebody listens, or no longer does. */
  changed(): void;
}

export class Listeners {
  readonly #parts: ListenersParts;
  readonly #hearing = new Map<Address, Set<Hearer>>();
  readonly #consuming = new Map<Address, Consumer[]>();
  /** Renames in progress: new name → old name. */
  readonly #becoming = new Map<Address, Address>();
  readonly #working = new Map<Consumer, Promise<void>>();
  #count = 0;
  #closed = false;

  constructor(parts: ListenersParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#count;
  }

  /** Every mailbox that somebody listens to. */
  heard(): readonly Pick<ShownListener, "mailbox" | "hearing" | "consuming">[] {
    const mailboxes = new Set([...this.#hearing.keys(), ...this.#consuming.keys()]);
    return [...mailboxes].map((mailbox) => ({
      mailbox,
      hearing: this.#hearing.get(mailbox)?.size ?? 0,
      consuming: this.#consuming.get(mailbox)?.length ?? 0,
    }));
  }

  /** Couriers leave a mailbox with a consumer alone. */
  consumes(mailbox: Address): boolean {
    return this.#consuming.has(mailbox);
  }

  isHeard(mailbox: Address): boolean {
    return this.#hearing.has(mailbox) || this.#consuming.has(mailbox);
  }

  hear(mailbox: Address, push: Push): Heard {
    const hearer: Hearer = { push, mailbox };
    this.#counted(1);
    this.#hearing.set(mailbox, (this.#hearing.get(mailbox) ?? new Set()).add(hearer));
    const close = (): void => {
      const hearers = this.#hearing.get(hearer.mailbox);
      if (hearers?.delete(hearer) !== true) return;
      this.#counted(-1);
      if (hearers.size === 0) this.#hearing.delete(hearer.mailbox);
    };
    return { mailbox: () => hearer.mailbox, close };
  }

  /** Messages that already wait are pushed first. */
  consume(mailbox: Address, push: Push): Heard {
    const consumer: Consumer = { push, mailbox, open: true, again: false };
    this.#counted(1);
    this.#consuming.set(mailbox, [...(this.#consuming.get(mailbox) ?? []), consumer]);
    this.#work(mailbox);
    return { mailbox: () => consumer.mailbox, close: () => this.#leave(consumer) };
  }

  /** Called inside the transaction: a message to the new name in the same commit is told before `renamed` is called. */
  renaming(from: Address, to: Address): void {
    this.#becoming.set(to, from);
  }

  notRenamed(to: Address): void {
    this.#becoming.delete(to);
  }

  /** The mailbox was renamed with everything in it; its listeners move along. */
  renamed(from: Address, to: Address): void {
    this.#becoming.delete(to);
    this.#parts.changed();
    const hearers = this.#hearing.get(from) ?? [];
    this.#hearing.delete(from);
    for (const hearer of hearers) {
      hearer.mailbox = to;
      this.#hearing.set(to, (this.#hearing.get(to) ?? new Set()).add(hearer));
    }
    const consumers = this.#consuming.get(from) ?? [];
    if (!this.#consuming.delete(from)) return;
    for (const consumer of consumers) consumer.mailbox = to;
    this.#consuming.set(to, [...(this.#consuming.get(to) ?? []), ...consumers]);
    this.#work(to);
  }

  /** After a start: settles pushes that were under way when the daemon died. Whether they were read is unknown. */
  async recover(): Promise<void> {
    const { store, clock, log } = this.#parts.context;
    // Nobody listens to what goes to another host, and that may be much.
    const mailboxes = store.read
      .mailboxesWithDelivering()
      .filter((mailbox) => hostOfMailbox(mailbox) === undefined);
    const left = store.read
      .deliveries({ mailboxes, states: ["delivering"] })
      .filter(({ delivery }) => delivery.transport === "receive" && delivery.attempt === undefined);
    for (let at = 0; at < left.length; at += BATCH) {
      const now = clock.now();
      await store.write((tx) => {
        for (const { message, delivery } of left.slice(at, at + BATCH)) {
          const heldBefore = offlineHold(delivery.to, now, message.shortId, tx);
          settled(tx, { message, delivery, heldBefore }, "lost", now);
        }
      });
    }
    if (left.length > 0) log.info("listener.recovered", { deliveries: left.length });
  }

  /** Called only after the commit. */
  came(message: Message, deliveries: readonly Delivery[]): void {
    if (this.#hearing.size === 0 && this.#consuming.size === 0) return;
    const shapes = new Shapes(message, this.#parts.context.store.read);
    for (const delivery of deliveries) {
      const hearers = this.#hearersOf(delivery.to);
      if (hearers !== undefined) {
        const shape = shapes.of(delivery);
        for (const { push } of hearers) this.#tell(push, shape);
      }
      if (this.#consuming.has(delivery.to)) this.#work(delivery.to);
    }
  }

  #hearersOf(mailbox: Address): Iterable<Hearer> | undefined {
    const hearers = this.#hearing.get(mailbox);
    const before = this.#becoming.get(mailbox);
    if (before === undefined) return hearers;
    return [...(hearers ?? []), ...(this.#hearing.get(before) ?? [])];
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#working.values());
  }

  #counted(more: number): void {
    this.#count += more;
    this.#parts.changed();
  }

  #leave(consumer: Consumer): void {
    if (!consumer.open) return;
    consumer.open = false;
    this.#counted(-1);
    const { mailbox } = consumer;
    const left = this.#othersOf(consumer);
    if (left.length > 0) this.#consuming.set(mailbox, left);
    else if (this.#consuming.delete(mailbox)) this.#parts.released(mailbox);
  }

  /** A slow reader holds up no other consumer: any free one takes what came. */
  #work(mailbox: Address): void {
    if (this.#closed) return;
    const consumers = this.#consuming.get(mailbox) ?? [];
    const idle = consumers.find((consumer) => !this.#working.has(consumer));
    if (idle === undefined) {
      for (const consumer of consumers) consumer.again = true;
      return;
    }
    idle.again = false;
    const working = this.#drain(idle).then(() => {
      this.#working.delete(idle);
      // Rotate: the next turn goes to another consumer.
      if (idle.open) this.#consuming.set(idle.mailbox, [...this.#othersOf(idle), idle]);
      if (idle.again) this.#work(idle.mailbox);
    });
    this.#working.set(idle, working);
  }

  #othersOf(consumer: Consumer): Consumer[] {
    return (this.#consuming.get(consumer.mailbox) ?? []).filter((one) => one !== consumer);
  }

  async #drain(consumer: Consumer): Promise<void> {
    const { context } = this.#parts;
    try {
      while (consumer.open && !this.#closed) {
        const begun = await this.#begin(consumer.mailbox);
        if (begun.length === 0) return;
        await this.#hand(consumer, begun);
      }
    } catch (cause) {
      // A disk error may be temporary.
      context.log.error("listener.failed", { mailbox: consumer.mailbox, cause: String(cause) });
      context.clock.after(AFTER_FAILURE_MS, () => this.#work(consumer.mailbox));
    }
  }

  async #begin(mailbox: Address): Promise<readonly Begun[]> {
    const { context, states } = this.#parts;
    const begun = await context.store.write((tx) =>
      receivable(tx, [mailbox], BATCH).map(({ message, delivery }) => {
        const transport = "receive";
        const receipt = { at: context.clock.now(), state: "delivering", transport } as const;
        const patch = { transport, attempts: delivery.attempts + 1, hold: null } as const;
        return {
          message,
          delivery: tx.moveDelivery(delivery.id, receipt, patch),
          heldBefore: delivery.hold,
        };
      }),
    );
    states.changed(begun.map(({ message }) => message.id));
    return begun;
  }

  async #hand(consumer: Consumer, begun: readonly Begun[]): Promise<void> {
    const { context, states } = this.#parts;
    const { read } = context.store;
    const outcomes = await Promise.all(
      begun.map(({ message, delivery }): PushOutcome | Promise<PushOutcome> =>
        consumer.open ? this.#pushed(consumer.push, brokerMessage(message, delivery, read)) : "unsent",
      ),
    );
    if (outcomes.some((outcome) => outcome !== "written")) this.#leave(consumer);
    const leftBehind = await this.#settle(begun, outcomes);
    states.changed(begun.map(({ message }) => message.id));
    // When the others heard that this consumer left, these deliveries were not queued again yet.
    for (const again of new Set(leftBehind)) {
      if (this.#consuming.has(again)) this.#work(again);
      else this.#parts.released(again);
    }
  }

  /** To a plain listener: nothing depends on whether it comes. */
  #tell(push: Push, message: BrokerMessage): void {
    try {
      const outcome = push(message);
      if (typeof outcome !== "string") outcome.catch((cause) => this.#pushFailed(message, cause));
    } catch (cause) {
      this.#pushFailed(message, cause);
    }
  }

  /** A push that throws counts as `gone`. */
  async #pushed(push: Push, message: BrokerMessage): Promise<"written" | "gone"> {
    try {
      return await push(message);
    } catch (cause) {
      this.#pushFailed(message, cause);
      return "gone";
    }
  }

  #pushFailed({ id }: BrokerMessage, cause: unknown): void {
    this.#parts.context.log.warn("listener.push_failed", { message: id, cause: String(cause) });
  }

  /** A push cannot be undone, so recording it is retried until it works. Returns the mailboxes with requeued mail. */
  async #settle(begun: readonly Begun[], outcomes: readonly PushOutcome[]): Promise<readonly Address[]> {
    const { store, clock, log } = this.#parts.context;
    for (;;) {
      try {
        return await store.write((tx) =>
          begun
            .map((one, index) => settled(tx, one, outcomes[index] ?? "gone", clock.now()))
            .filter(({ state }) => state === "queued")
            // The agent may have been renamed by now.
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

/** Copies of one message with the same content are one object, so it is serialised once. */
class Shapes {
  readonly #message: Message;
  readonly #read: StoreReader;
  /** Most messages have one shape, and most others the same as the copy before. */
  #kind: string | undefined;
  #last: BrokerMessage | undefined;
  #others: Map<string, BrokerMessage> | undefined;

  constructor(message: Message, read: StoreReader) {
    this.#message = message;
    this.#read = read;
  }

  of(delivery: Delivery): BrokerMessage {
    const kind = shapeOf(delivery);
    if (this.#last !== undefined && this.#kind === kind) return this.#last;
    if (this.#last !== undefined && this.#kind !== undefined) {
      this.#others ??= new Map();
      this.#others.set(this.#kind, this.#last);
    }
    this.#kind = kind;
    this.#last = this.#others?.get(kind) ?? brokerMessage(this.#message, delivery, this.#read);
    return this.#last;
  }
}

/** Deliveries of one message with the same shape are shown alike. */
function shapeOf({ to, handledBy }: Delivery): string {
  const forAgent = to.startsWith("agent/") ? "agent" : "session";
  return handledBy === undefined ? forAgent : `${forAgent} ${handledBy.join(" ")}`;
}

/** A delivery marked `delivering`, with the hold it had before. */
interface Begun {
  readonly message: Message;
  readonly delivery: Delivery;
  readonly heldBefore: Hold | undefined;
}

/** `unsent`: the listener left before the push, so it cannot have seen it. `lost`: the daemon died before recording. */
type PushOutcome = "written" | "gone" | "unsent" | "lost";

function settled(
  tx: StoreWriter,
  { delivery, heldBefore }: Begun,
  outcome: PushOutcome,
  at: number,
): Delivery {
  const { id, atMostOnce } = delivery;
  const now = tx.findDelivery(id) ?? delivery;
  // The reader may have acknowledged it meanwhile.
  if (now.state !== "delivering") return now;
  if (outcome === "written") {
    const taken = takenAs(delivery);
    const proof = { evidence: "accepted" } as const;
    return tx.moveDelivery(id, { at, transport: "receive", ...proof, ...taken }, proof);
  }
  const hold = heldBefore ?? null;
  if (outcome === "unsent") {
    const note = "its listener left before it was pushed";
    return tx.moveDelivery(id, { at, state: "queued", note }, { hold, transport: null });
  }
  const why = outcome === "lost" ? "after a restart" : "its listener left";
  const note = `${why}: it may have been seen`;
  if (atMostOnce) return tx.moveDelivery(id, { at, state: "unconfirmed", transport: "receive", note });
  return tx.moveDelivery(id, { at, state: "queued", note }, { possibleDuplicate: true, hold });
}
