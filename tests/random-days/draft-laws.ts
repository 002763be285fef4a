/** The laws of a person's words on a random day: no key is typed over recent words, and none is lost. */
import { expect } from "vitest";
import type { DeskAgent } from "../desk/agent.ts";
import type { Desk } from "../desk/desk.ts";
import type { Mood } from "./office-days.ts";

const STALE_MS = 120_000;

export class DraftLaws {
  readonly #desk: Desk;
  readonly #at: DeskAgent;
  readonly #mood: Mood;
  /** Everything a person typed and neither sent nor erased, word by word. */
  readonly #owed = new Set<string>();
  readonly #typedOver: string[] = [];
  #typedAt = Number.NEGATIVE_INFINITY;
  #words = 0;

  constructor(desk: Desk, at: DeskAgent, mood: Mood) {
    this.#desk = desk;
    this.#at = at;
    this.#mood = mood;
    this.#watchKeys();
  }

  /** Law: no key is typed over a person's words that are not stale. */
  #watchKeys(): void {
    const { program } = this.#at;
    const take = program.terminal.onTyped;
    program.terminal.onTyped = (strokes) => {
      const young = this.#desk.clock.elapsed() - this.#typedAt < STALE_MS;
      const theirs = [...this.#owed].some((word) => program.draft.includes(word));
      const ours = /\[message from:|\[\d+ messages(?:\]| from:)/u.test(program.draft);
      // Recorded, not thrown: the transport would take an error of its terminal for a lost answer.
      if (this.#mood === "calm" && young && theirs && !ours) this.#typedOver.push(program.draft);
      take(strokes);
    };
  }

  check(): void {
    expect(this.#typedOver, "young drafts that keys went in over").toEqual([]);
  }

  types(): void {
    this.#words += 1;
    const word = `§${this.#words}§`;
    this.#owed.add(word);
    this.#typedAt = this.#desk.clock.elapsed();
    this.#at.program.types(word);
  }

  /** The person removed it themselves. */
  forgive(text: string): void {
    for (const word of this.#owed) if (text.includes(word)) this.#owed.delete(word);
  }

  checkEnd(): void {
    const { draft, stash } = this.#at.program;
    const kept = this.#desk.drafts().filter(({ state }) => state !== "restored");
    const places = [draft, stash ?? "", ...kept.map(({ text }) => text)];
    const lost = [...this.#owed].filter((word) => !places.some((place) => place.includes(word)));
    expect(lost, "words of a person that stand nowhere").toEqual([]);
  }
}
