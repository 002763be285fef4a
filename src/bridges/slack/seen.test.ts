import { describe, expect, it } from "vitest";
import type { OutsideInbox } from "../../ports/bridge.ts";
import { isLater, Seen } from "./seen.ts";

const inboxWith = (seen?: string | null) => ({ kept: () => seen ?? undefined }) as unknown as OutsideInbox;

describe("the newest message of each conversation", () => {
  it("is never an older one, and is known after a restart", () => {
    const seen = new Seen(inboxWith());
    seen.after("C1", "5.000002");
    const kept = seen.after("C1", "5.000001");
    expect(new Seen(inboxWith(kept.seen)).conversations).toEqual([["C1", "5.000002"]]);
  });

  it("stays where something is missing after it, until that was read", () => {
    const seen = new Seen(inboxWith('[["C1","1.1"],["C2","1.1"]]'));
    seen.missing();
    seen.after("C1", "5.1");
    seen.foundExcept(new Set(["C1"]));
    seen.after("C1", "6.1");
    seen.after("C2", "6.1");
    expect(Object.fromEntries(seen.conversations)).toEqual({ C1: "1.1", C2: "6.1" });
    seen.foundExcept(new Set());
    seen.after("C1", "2.1");
    expect(Object.fromEntries(seen.conversations)).toEqual({ C1: "2.1", C2: "6.1" });
  });

  it("is kept of the fifty last active ones", () => {
    const seen = new Seen(inboxWith());
    for (let index = 0; index < 60; index += 1) seen.after(`C${index}`, "1.1");
    expect(seen.conversations).toHaveLength(50);
    expect(seen.conversations.at(-1)).toEqual(["C59", "1.1"]);
  });

  it("is nothing if what was kept cannot be read", () => {
    for (const kept of ["", "{}", "null", '[["C1"],[1,2],["x","1.1"]]'])
      expect(new Seen(inboxWith(kept)).conversations).toEqual([]);
  });

  it.each([
    ["2.0", "1.9", true],
    ["1700000000.000002", "1700000000.000001", true],
    ["1700000000.000001", "1700000000.000001", false],
    ["10.1", "9.9", true],
    ["9.9", "10.1", false],
  ])("%s is later than %s: %s", (one, other, expected) => {
    expect(isLater(one, other)).toBe(expected);
  });
});
