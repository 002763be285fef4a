/**
 * What the bridge must remember to answer well: subjects and threads of the last letters,
 * and the key of its Message-IDs. Bounded, and kept with the cursor.
 */
import type { Kept } from "../../ports/bridge.ts";

export interface RememberedLetter {
  readonly id: string;
  readonly thread: string;
  readonly subject: string;
  /** What it answered, the oldest first. */
  readonly references: readonly string[];
  /** Of the address that it was written to. */
  readonly tag?: string;
}

export const REMEMBERED = { letters: 200, references: 10 } as const;

export class Correspondence {
  /** By slot: the oldest is overwritten. */
  readonly #letters: RememberedLetter[] = [];
  #next = 0;

  constructor(kept: (key: string) => string | undefined) {
    for (let slot = 0; slot < REMEMBERED.letters; slot += 1) {
      const letter = read(kept(`letter.${slot}`), isRememberedLetter);
      if (letter === undefined) break;
      this.#letters.push(letter);
    }
    const next = Number(kept("letter.next") ?? this.#letters.length);
    this.#next = Number.isInteger(next) && next >= 0 && next <= this.#letters.length ? next : 0;
  }

  /** What must be written so that it is still known after a restart. */
  remember(letter: RememberedLetter): Kept {
    const slot = this.#next % REMEMBERED.letters;
    const short = { ...letter, references: letter.references.slice(-REMEMBERED.references) };
    this.#letters[slot] = short;
    this.#next = slot + 1;
    return { [`letter.${slot}`]: JSON.stringify(short), "letter.next": String(this.#next) };
  }

  /** The letter itself, or else the newest of its thread. */
  find(id: string | undefined, thread: string | undefined): RememberedLetter | undefined {
    const newestFirst = [
      ...this.#letters.slice(0, this.#next).reverse(),
      ...this.#letters.slice(this.#next).reverse(),
    ];
    return (
      newestFirst.find((letter) => letter.id === id) ??
      newestFirst.find((letter) => thread !== undefined && letter.thread === thread)
    );
  }
}

function read<Value>(text: string | undefined, is: (value: unknown) => value is Value): Value | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return is(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRememberedLetter(value: unknown): value is RememberedLetter {
  if (typeof value !== "object" || value === null) return false;
  const {
    id,
    thread,
    subject,
    references,
    tag = "",
  } = value as Partial<Record<keyof RememberedLetter, unknown>>;
  return [id, thread, subject, tag].every((text) => typeof text === "string") && areTexts(references);
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
