/** Who wants to hear of which pane. A listener that throws is the caller's bug and stops nobody else. */
export class PaneChanges {
  readonly #listeners = new Map<string, Set<() => void>>();

  subscribe(pane: string, listener: () => void): () => void {
    // A wrapper, so that the same function subscribed twice is two subscriptions.
    const entry = () => listener();
    const listeners = this.#listeners.get(pane) ?? new Set();
    this.#listeners.set(pane, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#listeners.get(pane) === listeners) this.#listeners.delete(pane);
    };
  }

  tell(pane: string): void {
    for (const listener of [...(this.#listeners.get(pane) ?? [])]) listener();
  }

  tellAll(): void {
    for (const pane of [...this.#listeners.keys()]) this.tell(pane);
  }
}
