/** Chances that come again with the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1. */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return Math.round(least + this.roll() * (most - least));
  }

  one<T>(all: readonly T[]): T {
    const found = all[Math.floor(this.roll() * all.length)];
    if (found === undefined) throw new Error("there is nothing to choose from");
    return found;
  }

  shuffled<T>(all: readonly T[]): readonly T[] {
    return all
      .map((one) => ({ one, at: this.roll() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ one }) => one);
  }

  /** For somebody who must not change what comes next here. */
  another(): Dice {
    return new Dice(Math.floor(this.roll() * 2 ** 32));
  }
}
