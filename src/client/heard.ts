/** What was heard and nobody has asked for yet, in its order; then the end, and why, told once. */
export class Heard<Item> {
  readonly #items: Item[] = [];
  #over: { readonly error?: unknown } | undefined;
  #asking: (() => void) | undefined;

  get size(): number {
    return this.#items.length;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  /** What was heard before can still be asked for. */
  finish(ending: { readonly error?: unknown }): void {
    this.#over ??= ending;
    this.#wake();
  }

  forget(): void {
    this.#items.length = 0;
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return { done: false, value: item };
      if (this.#over !== undefined) {
        const ending = this.#over;
        this.#over = {};
        if ("error" in ending) throw ending.error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        this.#asking = resolve;
      });
    }
  }

  #wake(): void {
    this.#asking?.();
    this.#asking = undefined;
  }
}
