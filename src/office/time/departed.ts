/**
 * Who will never read a notice any more; what waits for them is dropped. Asked by the notices, which tell it who left.
 * What somebody else wrote stays: it waits for whoever goes on with the conversation.
 */
import { sessionAddress, splitAddress } from "../../core/address.ts";
import type { Address, SessionId } from "../../core/message.ts";
import { WATCH_WORDS } from "../../core/watch.ts";
import type { Item } from "../../ports/store.ts";
import type { Ground } from "../presence/ground.ts";

const NOTICES: readonly string[] = [
  "delivery-notice",
  "expiry-notice",
  "failure-notice",
  "follow-up",
  ...Object.values(WATCH_WORDS),
];

export class Departed {
  readonly #parts: Ground;
  /** Of this run; their record says so a moment later. */
  readonly #left = new Set<SessionId>();
  /** Of those, the ones for whom something may still wait. */
  readonly #leaving = new Set<SessionId>();

  constructor(parts: Ground) {
    this.#parts = parts;
  }

  left(id: SessionId): void {
    this.#left.add(id);
    this.#leaving.add(id);
  }

  /** Not seen is not ended: a terminal that gives no answer may show it again. */
  has(id: SessionId): boolean {
    const { directory, context } = this.#parts;
    if (directory.takerOfMailbox(sessionAddress(id)) !== undefined) return false;
    const session = context.store.read.session(id);
    return this.#left.has(id) || session === undefined || session.exitedAt !== undefined;
  }

  get areLeaving(): boolean {
    return this.#leaving.size > 0;
  }

  /** Until it could be written: then they are forgotten. */
  async dropForLeaving(): Promise<void> {
    const leaving = [...this.#leaving];
    if (leaving.length > 0) await this.#drop(this.#unread(leaving.map(sessionAddress)));
    for (const id of leaving) this.#leaving.delete(id);
  }

  /** After those were buried who ended while nobody looked. */
  async dropForAll(): Promise<void> {
    await this.#drop(this.#unread(this.#parts.context.store.read.mailboxesWithQueued()));
  }

  #unread(mailboxes: readonly Address[]): readonly Item[] {
    const departed = mailboxes.filter((mailbox) => {
      const { kind, rest } = splitAddress(mailbox);
      return kind === "session" && this.has(rest);
    });
    return this.#parts.context.store.read
      .deliveries({ mailboxes: departed, states: ["queued"], source: "bellhop" })
      .filter(({ message }) => NOTICES.includes(message.command ?? ""));
  }

  async #drop(items: readonly Item[]): Promise<void> {
    const { context, states } = this.#parts;
    if (items.length === 0) return;
    await context.store.write((tx) => {
      for (const { delivery } of items) {
        if (tx.findDelivery(delivery.id)?.state !== "queued") continue;
        const at = context.clock.now();
        const note = "the session that was to be told has ended";
        tx.moveDelivery(delivery.id, { at, state: "cancelled", note }, { hold: null });
      }
    });
    states.changed(items.map(({ message }) => message.id));
  }
}
