/** Runs work one at a time, in order of request: typing into a terminal, or recording which session a program is. */
export class OneAtATime {
  #tail: Promise<void> = Promise.resolve();
  #requests = 0;
  #finished = 0;

  /** Names this moment for `isFirstSince`; undefined while work runs or waits. */
  get free(): number | undefined {
    return this.#requests === this.#finished ? this.#requests : undefined;
  }

  /** For the work that runs: whether no other has run since that moment. */
  isFirstSince(free: number | undefined): boolean {
    return free !== undefined && free === this.#finished;
  }

  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#requests += 1;
    const before = this.#tail;
    let release = (): void => {};
    this.#tail = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    try {
      return await work();
    } finally {
      this.#finished += 1;
      release();
    }
  }
}
