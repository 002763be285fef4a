/** Subscriptions to changes of a pane. A listener that throws is a bug of its caller and does not affect the others. */
export class PaneChanges {
  readonly #listeners = new Map<string, Set<() => void>>();

  subscribe(pane: string, listener: () => void): () => void {
    // Wrapped, so that subscribing the same function twice makes two subscriptions.
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
