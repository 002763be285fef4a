/**
 * Who wrote to whom how often: what the daemon counted until a moment, and what was heard since. A message is counted
 * once, however its two ways overlap.
 *
 *   empty ─▶ (asked) waiting: what is heard is kept ─▶ (answered) counted: what is newer than the answer is added
 */
import type { Routed, Talk, Traffic } from "../../../src/wire/shapes/broker.ts";
import { DEAD_LETTERS, partyOf } from "./parties.ts";

/** What is heard while the daemon counts; past this, the numbers are behind until the next answer. */
const MOST_KEPT = 100_000;

/** Pairs that are told apart; messages of further ones are only counted. */
export const MOST_PAIRS = 5_000;

export type Heard = Pick<Routed, "from" | "owners" | "at">;

export class Talks {
  #until = Number.POSITIVE_INFINITY;
  #others: Traffic["others"] = { pairs: 0, messages: 0 };
  #since: number | undefined;
  #pairs = 0;
  readonly #counts = new Map<string, Map<string, number>>();
  #kept: Heard[] | undefined;

  /** The daemon was asked: from now on nothing may be missed. */
  asked(): void {
    this.#kept = [];
  }

  answered({ until, since, talks, others, unmatched }: Traffic): void {
    this.#until = until;
    this.#since = since;
    this.#others = others;
    this.#counts.clear();
    this.#pairs = 0;
    for (const { from, to, messages } of talks) this.#add(from, to, messages);
    for (const { from, messages } of unmatched) this.#add(from, DEAD_LETTERS, messages);
    for (const heard of this.#kept ?? []) this.#count(heard);
    this.#kept = undefined;
  }

  heard(heard: Heard): void {
    if (this.#kept !== undefined && this.#kept.length < MOST_KEPT) this.#kept.push(heard);
    this.#count(heard);
  }

  /** In no order. Talks within one bridge are nobody's. */
  all(): readonly Talk[] {
    return [...this.#counts].flatMap(([from, heard]) =>
      [...heard].map(([to, messages]) => ({ from, to, messages })),
    );
  }

  /** Pairs that the daemon left out. */
  get others(): Traffic["others"] {
    return this.#others;
  }

  /** From when on is counted, if that is not all of the time asked for. */
  get since(): number | undefined {
    return this.#since;
  }

  #count({ from, owners, at }: Heard): void {
    if (at < this.#until) return;
    for (const owner of owners) this.#add(from, owner, 1);
  }

  #add(sender: string, recipient: string, messages: number): void {
    const [from, to] = [partyOf(sender), partyOf(recipient)];
    const heard = this.#counts.get(from) ?? new Map<string, number>();
    const known = heard.get(to);
    if (known === undefined && this.#pairs >= MOST_PAIRS) {
      this.#others = { ...this.#others, messages: this.#others.messages + messages };
      return;
    }
    if (known === undefined) this.#pairs += 1;
    this.#counts.set(from, heard.set(to, (known ?? 0) + messages));
  }
}
