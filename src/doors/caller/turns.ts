/**
 * Who is served when many ask at once: one request of each in turn, and no more in one turn of the event loop than lets
 * newcomers be heard soon.
 */

const REQUESTS_A_TURN = 64;

/** Serves one request, and says whether there is another that could be served now. */
export type Serve = () => "more" | "done";

export class Turns {
  /** A set remembers the order; who has been served goes to its end. */
  readonly #row = new Set<Serve>();
  #called = false;

  /** Already there, it keeps its place. */
  join(serve: Serve): void {
    this.#row.add(serve);
    this.#call();
  }

  leave(serve: Serve): void {
    this.#row.delete(serve);
  }

  #call(): void {
    if (this.#called || this.#row.size === 0) return;
    this.#called = true;
    setImmediate(this.#run);
  }

  readonly #run = (): void => {
    let left = REQUESTS_A_TURN;
    for (const serve of this.#row) {
      if (left === 0) break;
      left -= 1;
      this.#row.delete(serve);
      if (serve() === "more") this.#row.add(serve);
    }
    this.#called = false;
    this.#call();
  };
}

/** For a door that gives no turns: whoever has something to begin begins it. */
export const AT_ONCE: Pick<Turns, "join" | "leave"> = {
  join(serve) {
    while (serve() === "more");
  },
  leave() {},
};
