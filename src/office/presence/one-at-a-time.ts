/** Runs work one at a time, in order of request: typing into a terminal, or recording which session a program is. */
export class OneAtATime {
  #tail: Promise<void> = Promise.resolve();

  async hold<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    let release = (): void => {};
    this.#tail = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    try {
      return await work();
    } finally {
      release();
    }
  }
}
