/**
 * What a person writes to themselves is there twice: a row that was sent and one that was received, with different
 * guids. Both are the same message. Found in the database itself, so that it is found after a restart too. Pure.
 */
import type { Cursor } from "./message-row.ts";

export interface Twin {
  readonly guid: string;
  readonly cursor: Cursor;
  readonly essence: string;
  readonly date: bigint;
}

export const TWINS_WITHIN_NS = 10_000_000_000n;

export interface Pair {
  readonly first: string;
  readonly second: string;
}

/**
 * The guids of those that belong together. `rows` are of one chat, in the order of their ids. Each row is the twin of
 * the oldest one before it that was sent if it was received, or the other way round, and has no twin yet: who writes
 * "yes" twice means it twice.
 */
export function twinsIn(rows: readonly Twin[]): readonly Pair[] {
  const pairs: Pair[] = [];
  const single: Twin[] = [];
  for (const row of rows) {
    const at = single.findIndex((other) => areTwins(other, row));
    const first = single[at];
    if (first === undefined) {
      single.push(row);
    } else {
      single.splice(at, 1);
      pairs.push({ first: first.guid, second: row.guid });
    }
  }
  return pairs;
}

function areTwins(one: Twin, other: Twin): boolean {
  const apart = one.date > other.date ? one.date - other.date : other.date - one.date;
  return one.cursor !== other.cursor && one.essence === other.essence && apart <= TWINS_WITHIN_NS;
}
