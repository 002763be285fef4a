/**
 * Sessions that will never read a notice again; notices that wait for them are dropped. The notices ask it and tell it
 * who left. What others wrote stays: it waits for a session that continues the conversation.
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
  "reminder-refused",
  "follow-up",
  ...Object.values(WATCH_WORDS),
];

export class Departed {
  readonly #parts: Ground;
  /** During this run; their records follow a moment later. */
  readonly #left = new Set<SessionId>();
  /** Of those, the ones for which something may still wait. */
  readonly #leaving = new Set<SessionId>();

  constructor(parts: Ground) {
    this.#parts = parts;
  }

  left(id: SessionId): void {
    this.#left.add(id);
    this.#leaving.add(id);
  }

  /** Not seen does not mean ended: a terminal that does not answer may show it again. */
  has(id: SessionId): boolean {
    const { directory, context } = this.#parts;
    if (directory.takerOfMailbox(sessionAddress(id)) !== undefined) return false;
    const session = context.store.read.session(id);
    return this.#left.has(id) || session === undefined || session.exitedAt !== undefined;
  }

  get areLeaving(): boolean {
    return this.#leaving.size > 0;
  }

  /** Retried until it is written; then they are dropped from the list. */
  async dropForLeaving(): Promise<void> {
    const leaving = [...this.#leaving];
    if (leaving.length > 0) await this.#drop(this.#unread(leaving.map(sessionAddress)));
    for (const id of leaving) this.#leaving.delete(id);
  }

  /** Call after the sessions that ended while the daemon was down are recorded. */
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
