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

it("ids of messages are UUIDs that begin with the moment, in order, and never repeat", () => {
  const before = Date.now();
  const ids = Array.from({ length: 10_000 }, () => randomIds.message());
  const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(ids.filter((id) => !shape.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  const moments = ids.map((id) => Number.parseInt(id.replace("-", "").slice(0, 12), 16));
  expect(moments).toEqual(moments.toSorted((a, b) => a - b));
  expect(moments[0]).toBeGreaterThanOrEqual(before);
  expect(moments.at(-1)).toBeLessThanOrEqual(Date.now());
});

it("short ids of messages have six letters or digits, and begin alike for a moment", () => {
  const ids = Array.from({ length: 1_000 }, () => randomIds.messageShortId());
  expect(ids.filter((id) => !/^[a-z0-9]{6}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBeGreaterThan(990);
  const [first = ""] = ids;
  expect(new Set(ids.map((id) => id.slice(0, 2))).size).toBeLessThan(100);
  let next = first;
  while (next.startsWith(first.slice(0, 2))) next = randomIds.messageShortId();
  expect(next).toMatch(/^[a-z0-9]{6}$/);
});
