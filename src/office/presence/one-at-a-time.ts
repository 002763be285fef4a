/** One after the other, in order of asking: whoever types into a terminal, or writes down who a program is. */
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
