import { describe, expect, it } from "vitest";
import { LADDER, PRIORITIES, parsePriority } from "./priority.ts";

describe("the ladder", () => {
  it("drains interrupt, normal, idle-first, idle", () => {
    expect(PRIORITIES).toEqual(["interrupt", "normal", "idle-first", "idle"]);
    expect(PRIORITIES.toSorted((a, b) => LADDER[a].rank - LADDER[b].rank)).toEqual(PRIORITIES);
    expect(new Set(PRIORITIES)).toEqual(new Set(Object.keys(LADDER)));
  });

  it("turns only idle-first around", () => {
    expect(PRIORITIES.filter((priority) => LADDER[priority].order === "last-in-first-out")).toEqual([
      "idle-first",
    ]);
  });

  it("lets only interrupts through a pause, a dialog or doubt", () => {
    expect(PRIORITIES.filter((priority) => LADDER[priority].whilePaused === "opens")).toEqual(["interrupt"]);
    expect(PRIORITIES.filter((priority) => LADDER[priority].whileBlocked === "dismisses")).toEqual([
      "interrupt",
    ]);
    expect(PRIORITIES.filter((priority) => LADDER[priority].whileUnsure === "is-offered")).toEqual([
      "interrupt",
    ]);
  });
});

describe("parsePriority", () => {
  it.each([
    ["interrupt", "interrupt"],
    ["urgent", "interrupt"],
    ["normal", "normal"],
    ["important", "normal"],
    ["idle-first", "idle-first"],
    ["idle", "idle"],
    ["sequential", "idle"],
    [" Urgent ", "interrupt"],
  ])("reads %j as %s", (text, priority) => {
    expect(parsePriority(text)).toBe(priority);
  });

  it.each(["", "high", "1", "idle_first", "constructor", "__proto__", "toString"])(
    "does not know %j",
    (text) => {
      expect(parsePriority(text)).toBeUndefined();
    },
  );
});
