/** How many turns run at once, of all sessions together. Those for whom there was no room are woken in order. */
export class Places<Waiting extends { wake(): void }> {
  readonly #most: () => number;
  readonly #waiting = new Set<Waiting>();
  #taken = 0;

  constructor(most: () => number) {
    this.#most = most;
  }

  /** Undefined: all are taken, and it is woken when one may be free. */
  take(who: Waiting): (() => void) | undefined {
    if (this.#taken >= this.#most()) {
      this.#waiting.add(who);
      return undefined;
    }
    this.#waiting.delete(who);
    this.#taken += 1;
    return () => {
      this.#taken -= 1;
      this.offer();
    };
  }

  /** Also called when somebody who was woken did not need the place: then the next one may. */
  offer(): void {
    let free = this.#most() - this.#taken;
    for (const who of this.#waiting) {
      if (free <= 0) return;
      free -= 1;
      this.#waiting.delete(who);
      who.wake();
    }
  }
}
