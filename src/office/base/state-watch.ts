/** Tells those who wait on a message (`send --wait`) or follow all that a delivery changed. It keeps no state. */
import type { MessageId } from "../../core/message.ts";

export class StateWatch {
  readonly #listeners = new Map<MessageId, Set<() => void>>();
  readonly #followers = new Set<() => void>();

  changed(messageIds: readonly MessageId[]): void {
    for (const id of messageIds) for (const listener of [...(this.#listeners.get(id) ?? [])]) listener();
    for (const follower of this.#followers) follower();
  }

  /** Any change of any delivery. */
  follow(follower: () => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  watch(id: MessageId, listener: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(id, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(id);
    };
  }
}
