/**
 * What is known of an agent's messages: one stretch of time that ends now, in the order of time. Pure.
 *
 *   nothing ─▶ (newest page) a stretch ─▶ (older page) a longer one
 *                               └─▶ (newest page, which does not reach it) that page alone
 */
import type { ToldEntry, ToldPage } from "./told.ts";

export interface Entry extends ToldEntry {
  /** At which asking it was so: what is older may have changed since. */
  readonly asked: number;
}

export interface Timeline {
  readonly entries: readonly Entry[];
  /** From where on there may be older ones; undefined: none. */
  readonly before: number | undefined;
}

export const EMPTY: Timeline = { entries: [], before: undefined };

/** The newest page. If the stretch before does not reach it, it is forgotten: nobody may overlook what is between. */
export function withNewest(known: Timeline, page: ToldPage, asked: number): Timeline {
  const [first] = page.entries;
  // Only others wrote of late.
  if (first === undefined && page.before !== undefined && known.entries.length > 0) return known;
  const last = known.entries.at(-1);
  const isReached = first === undefined || (last !== undefined && last.number >= first.number);
  const begins = first?.number ?? 0;
  if (page.before === undefined || !isReached) return { entries: marked(page, asked), before: page.before };
  const older = known.entries.filter(({ number }) => number < begins);
  return older.length === 0
    ? { entries: marked(page, asked), before: page.before }
    : { entries: [...older, ...marked(page, asked)], before: known.before };
}

/** The page before the stretch. */
export function withOlder(known: Timeline, page: ToldPage, asked: number): Timeline {
  const begins = known.entries[0]?.number ?? Number.POSITIVE_INFINITY;
  const older = marked(page, asked).filter(({ number }) => number < begins);
  return { entries: [...older, ...known.entries], before: page.before };
}

/** A page from the middle, asked for again. What is gone meanwhile is gone here too. */
export function withRenewed(known: Timeline, page: ToldPage, until: number, asked: number): Timeline {
  const [first] = page.entries;
  if (first === undefined) return known;
  const begins = known.entries[0]?.number ?? 0;
  const renewed = marked(page, asked).filter(({ number }) => number >= begins && number <= until);
  const before = known.entries.filter(({ number }) => number < first.number);
  const after = known.entries.filter(({ number }) => number > until);
  return { ...known, entries: [...before, ...renewed, ...after] };
}

function marked({ entries }: ToldPage, asked: number): readonly Entry[] {
  return entries.map((entry) => ({ ...entry, asked }));
}

const FINAL: readonly string[] = ["replied", "expired", "cancelled", "failed"];

/** Whether one of these may look different by now. */
export function mayBeStale(entries: readonly Entry[], asked: number): boolean {
  return entries.some((entry) => entry.asked < asked && !FINAL.includes(entry.state));
}

/** A person may have the same name. */
export function isFrom(from: string, agent: string): boolean {
  return from === `agent/${agent}`;
}

/** By the last part of its address, as people call it. */
export function nameIn(address: string): string {
  const slash = address.indexOf("/");
  return slash === -1 || !/^(?:agent|person|session|bellhop)\//.test(address)
    ? address
    : address.slice(slash + 1);
}
