/**
 * What wants the person, as the board shows it: with the possible answers and where they were told of it, which takes a
 * look at a terminal. What is new is shown at once, and with its answers a moment later. Only the board asks it.
 */
import type { Attention } from "../../core/attention.ts";
import { present } from "../../core/present.ts";
import type { ShownAttention } from "../../wire/shapes/attention.ts";
import type { AttentionDesk } from "./attention.ts";

export interface BoardAttentionParts {
  readonly attention: AttentionDesk;
  /** With what it can be answered, and where the person was told of it. */
  shown(one: Attention): Promise<ShownAttention>;
}

type More = Pick<ShownAttention, "answers" | "toldOn">;

export class BoardAttention {
  readonly #parts: BoardAttentionParts;
  readonly #learnt: () => void;
  #known = new Map<string, More>();
  #state: "resting" | "learning" = "resting";

  /** `learnt`: the list may be a different one now. */
  constructor(parts: BoardAttentionParts, learnt: () => void) {
    this.#parts = parts;
    this.#learnt = learnt;
  }

  list(): readonly ShownAttention[] {
    const all = this.#parts.attention.list();
    if (this.#state === "resting" && all.some(({ id }) => !this.#known.has(id)))
      void this.learn().then(() => this.#learnt());
    return all.map((one) => ({ ...one, ...this.#known.get(one.id) }));
  }

  /** Asks again about all of them. */
  async learn(): Promise<void> {
    this.#state = "learning";
    try {
      const all = this.#parts.attention.list();
      this.#known = new Map(
        await Promise.all(all.map(async (one) => [one.id, await this.#moreAbout(one)] as const)),
      );
    } catch {
      // The database cannot be read: the board's health says so.
    }
    this.#state = "resting";
  }

  async #moreAbout(one: Attention): Promise<More> {
    try {
      const { answers, toldOn } = await this.#parts.shown(one);
      return present({ answers, toldOn });
    } catch {
      // Until the next look nobody is offered an answer.
      return {};
    }
  }
}
