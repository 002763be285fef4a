/** How much waits, for `status`. */
import type { Wants } from "../../wire/shapes/attention.ts";
import type { OfficeContext } from "../base/context.ts";
import type { AttentionDesk } from "./attention.ts";

type Counted = Wants & { readonly queued: number };

export class Counting {
  readonly #context: OfficeContext;
  readonly #attention: AttentionDesk;
  #last: Counted = { queued: 0, wants: {}, mail: 0 };

  constructor(context: OfficeContext, attention: AttentionDesk) {
    this.#context = context;
    this.#attention = attention;
  }

  /** As last counted where the database cannot be read any more: `status` is what tells so. */
  count(): Counted {
    const { store } = this.#context;
    try {
      this.#last = { queued: store.read.countQueued(), ...this.#attention.wants() };
    } catch (error) {
      if (store.trouble() === undefined) throw error;
    }
    return this.#last;
  }
}
