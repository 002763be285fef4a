/**
 * A card takes no answer for half a second after it has come, moved or changed: whoever was about to press something
 * else must not press this. Pure.
 */
export const INERT_MS = 500;

export interface Place {
  /** Where it is and what it says. */
  readonly at: string;
  readonly since: number;
}
export type Places = ReadonlyMap<string, Place>;

/** `seen`: where each card is now. If nothing has moved, the places are the very same. */
export function settle(before: Places, seen: ReadonlyMap<string, string>, now: number): Places {
  if (before.size === seen.size && [...seen].every(([id, at]) => before.get(id)?.at === at)) return before;
  return new Map(
    [...seen].map(([id, at]) => {
      const place = before.get(id);
      return [id, place !== undefined && place.at === at ? place : { at, since: now }];
    }),
  );
}

/** A card that nobody has seen yet is inert too. */
export function isInert(places: Places, id: string, now: number): boolean {
  const place = places.get(id);
  return place === undefined || now - place.since < INERT_MS;
}

/** When the last of them will have settled; undefined if all have. */
export function settledInMs(places: Places, now: number): number | undefined {
  const newest = Math.max(0, ...[...places.values()].map(({ since }) => since));
  const left = newest + INERT_MS - now;
  return places.size === 0 || left <= 0 ? undefined : left;
}
