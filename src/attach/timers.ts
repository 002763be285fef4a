/** Timers by name: setting one again replaces it, and all can be stopped together. */
export class Timers {
  readonly #set = new Map<string, NodeJS.Timeout>();
  #isOver = false;

  after(name: string, ms: number, done: () => void): void {
    if (this.#isOver) return;
    clearTimeout(this.#set.get(name));
    const timer = setTimeout(() => {
      this.#set.delete(name);
      done();
    }, ms);
    this.#set.set(name, timer);
  }

  has(name: string): boolean {
    return this.#set.has(name);
  }

  end(): void {
    this.#isOver = true;
    for (const timer of this.#set.values()) clearTimeout(timer);
    this.#set.clear();
  }
}
