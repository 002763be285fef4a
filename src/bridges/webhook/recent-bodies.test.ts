import { describe, expect, it } from "vitest";
import type { OutsideInbox } from "../../ports/bridge.ts";
import { RecentBodies, SAME_EVENT_MS } from "./recent-bodies.ts";

const inboxWith = (recent?: string | null) =>
  ({ kept: (key: string) => (key === "recent" ? (recent ?? undefined) : undefined) }) as OutsideInbox;

describe("a body that comes again", () => {
  it("is the same event within ten minutes, and another one after that", () => {
    const bodies = new RecentBodies(inboxWith());
    const first = bodies.idOf("a", 1_000).id;
    expect(bodies.idOf("a", 1_000 + SAME_EVENT_MS - 1).id).toBe(first);
    expect(bodies.idOf("b", 1_000).id).not.toBe(first);
    expect(bodies.idOf("a", 1_000 + SAME_EVENT_MS).id).not.toBe(first);
  });

  it("is known after a restart", () => {
    const { id, keep } = new RecentBodies(inboxWith()).idOf("a", 1_000);
    expect(new RecentBodies(inboxWith(keep.recent)).idOf("a", 2_000).id).toBe(id);
  });

  it("is one of so many that are remembered, and what was kept need not be readable", () => {
    const bodies = new RecentBodies(inboxWith('[1,["x"],["a",5]'));
    for (let index = 0; index < 300; index += 1) bodies.idOf(`body ${index}`, index);
    const { keep } = bodies.idOf("last", 300);
    expect(JSON.parse(keep.recent ?? "")).toHaveLength(100);
    for (const kept of ["", "{}", "null", '[1,["x"],["a",5]]'])
      new RecentBodies(inboxWith(kept)).idOf("a", 6);
  });
});
