/** Whether more comes in a short time than anybody can follow. Pure: the caller supplies the time. */

export interface FloodLimit {
  readonly most: number;
  readonly withinMs: number;
}

export class FloodGauge {
  readonly #limit: FloodLimit;
  #since = Number.NEGATIVE_INFINITY;
  #sum = 0;

  constructor(limit: FloodLimit) {
    this.#limit = limit;
  }

  isOver(amount: number, nowMonotonic: number): boolean {
    if (nowMonotonic >= this.#since + this.#limit.withinMs) {
      this.#since = nowMonotonic;
      this.#sum = 0;
    }
    this.#sum += amount;
    return this.#sum > this.#limit.most;
  }
}
