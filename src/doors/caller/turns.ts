/**
 * Fairness between callers: one request of each in turn, and in one turn of the event loop only so many that newcomers
 * are served soon.
 */

/**
 * What begins in a turn and the next is written together. So whoever has hundreds of requests open is answered in parts,
 * and reads one and asks anew while the next is written; a caller with a hundred still waits for one write only.
 */
const REQUESTS_A_TURN = 64;

/** Serves one request, and says whether another could be served now. */
export type Serve = () => "more" | "done";

export class Turns {
  /** A set keeps the order; a caller that was served moves to the end. */
  readonly #row = new Set<Serve>();
  #called = false;

  /** A caller already in line keeps its place. */
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

/** For a door without turns: every caller starts at once. */
export const AT_ONCE: Pick<Turns, "join" | "leave"> = {
  join(serve) {
    while (serve() === "more");
  },
  leave() {},
};
