import { expect, it } from "vitest";
import { randomIds } from "./ids.ts";

it("short ids have six letters or digits, each equally often at each place, and hardly ever repeat", () => {
  const ids = Array.from({ length: 36_000 }, () => randomIds.shortId());
  expect(ids.filter((id) => !/^[a-z0-9]{6}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBeGreaterThan(35_990);
  for (let place = 0; place < 6; place += 1) {
    const counts = new Map<string, number>();
    for (const id of ids) counts.set(id.charAt(place), (counts.get(id.charAt(place)) ?? 0) + 1);
    expect(counts.size).toBe(36);
    // A thousand are expected of each; eight standard deviations away is no chance.
    expect(Math.min(...counts.values())).toBeGreaterThan(750);
    expect(Math.max(...counts.values())).toBeLessThan(1_250);
  }
});

it.each([
  [
    "ids of messages are UUIDs",
    randomIds.message,
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    3,
  ],
  ["short ids of messages have six letters or digits", randomIds.messageShortId, /^[a-z0-9]{6}$/, 2],
])("%s, and begin alike for a moment", (_, next, shape, shared) => {
  const ids = Array.from({ length: 1_000 }, next);
  expect(ids.filter((id) => !shape.test(id))).toEqual([]);
  expect(new Set(ids).size).toBeGreaterThan(990);
  const beginningOf = (id: string) => id.slice(0, shared);
  expect(new Set(ids.map(beginningOf)).size).toBeLessThan(100);
  const [first = ""] = ids;
  let later = first;
  while (beginningOf(later) === beginningOf(first)) later = next();
  expect(later).toMatch(shape);
});
