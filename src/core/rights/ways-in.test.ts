import { describe, expect, it } from "vitest";
import { reminderStamp, rungsFor, waysInOf } from "./ways-in.ts";

describe("the ways in of a message", () => {
  it("types what a person writes, unless they say otherwise", () => {
    expect(waysInOf({ from: "person/dev", source: "person" }, false, "typed")).toBe("typed-only");
    expect(waysInOf({ from: "person/dev", source: "person" }, true, "typed")).toBe("typed-first");
    expect(waysInOf({ from: "person/dev", source: "person" }, false, "any")).toBe("typed-first");
  });

  it.each(["agent", "script", "bridge", "webhook", "bellhop"] as const)(
    "takes the best open one for what comes from %s",
    (source) => expect(waysInOf({ from: "agent/x", source }, false, "typed")).toBe("best-first"),
  );

  it("types a reminder that a person has set, and no other notice", () => {
    const reminder = (setBy: string) => ({
      ...{ from: "bellhop/notices", source: "bellhop" as const },
      ...reminderStamp(setBy, "look"),
    });
    expect(waysInOf(reminder("person/dev"), false, "typed")).toBe("typed-only");
    expect(waysInOf(reminder("person/dev"), false, "any")).toBe("typed-first");
    expect(waysInOf(reminder("agent/coder"), false, "typed")).toBe("best-first");
    expect(waysInOf({ ...reminder("person/dev"), command: "watch" }, false, "typed")).toBe("best-first");
    expect(
      waysInOf({ from: "bellhop/notices", source: "bellhop", command: "reminder" }, false, "typed"),
    ).toBe("best-first");
  });

  it("of another host's Bellhop types only what is said to be of a person there", () => {
    const reminder = (setBy: string) => ({
      ...{ from: "bellhop/notices@laptop", source: "bellhop" as const },
      ...reminderStamp(setBy, "look"),
    });
    expect(waysInOf(reminder("person/dev@laptop"), false, "typed")).toBe("typed-only");
    for (const setBy of ["person/dev", "person/dev@phone", "agent/coder@laptop", ""])
      expect(waysInOf(reminder(setBy), false, "typed")).toBe("best-first");
  });

  it("takes no agent's word for whose words it brings", () => {
    const forged = { from: "agent/x", source: "agent" as const, ...reminderStamp("person/dev", "look") };
    expect(waysInOf(forged, false, "typed")).toBe("best-first");
  });

  it("orders the open ones by it", () => {
    const open = ["native", "paste"] as const;
    expect(rungsFor("best-first", open, true)).toEqual(["native", "paste"]);
    expect(rungsFor("typed-only", open, true)).toEqual(["paste"]);
    expect(rungsFor("typed-only", ["native"], false)).toEqual([]);
    expect(rungsFor("typed-first", open, true)).toEqual(["paste", "native"]);
    expect(rungsFor("typed-first", open, false)).toEqual(["native", "paste"]);
  });
});
