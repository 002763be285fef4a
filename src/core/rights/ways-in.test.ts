import { describe, expect, it } from "vitest";
import { rungsFor, waysInOf } from "./ways-in.ts";

describe("the ways in of a message", () => {
  it("types what a person writes, unless they say otherwise", () => {
    expect(waysInOf("person", false, "typed")).toBe("typed-only");
    expect(waysInOf("person", true, "typed")).toBe("typed-first");
    expect(waysInOf("person", false, "any")).toBe("typed-first");
  });

  it.each(["agent", "script", "bridge", "webhook", "bellhop"] as const)(
    "takes the best open one for what comes from %s",
    (source) => expect(waysInOf(source, false, "typed")).toBe("best-first"),
  );

  it("orders the open ones by it", () => {
    const open = ["native", "paste"] as const;
    expect(rungsFor("best-first", open, true)).toEqual(["native", "paste"]);
    expect(rungsFor("typed-only", open, true)).toEqual(["paste"]);
    expect(rungsFor("typed-only", ["native"], false)).toEqual([]);
    expect(rungsFor("typed-first", open, true)).toEqual(["paste", "native"]);
    expect(rungsFor("typed-first", open, false)).toEqual(["native", "paste"]);
  });
});
