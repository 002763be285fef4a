import { describe, expect, it } from "vitest";
import { isShut, RING_AFTER_MS, RING_AGAIN_MS, ringLine, ringsAt } from "./doorbell.ts";
import { UNKNOWN_PROGRAM } from "./session.ts";

const doors = {
  program: "x",
  allowed: ["native", "hook", "paste", "doorbell"],
  hasInbox: true,
  hooked: true,
} as const;

describe("isShut", () => {
  it.each([
    ["best-first", {}, false],
    ["best-first", { allowed: ["doorbell"] }, true],
    ["best-first", { allowed: ["native", "doorbell"], hasInbox: false }, true],
    ["best-first", { allowed: ["native"] }, false],
    ["best-first", { allowed: ["hook"] }, false],
    ["best-first", { allowed: ["hook"], hooked: false }, true],
    ["typed-first", { allowed: ["native"] }, false],
    ["typed-only", { allowed: ["native", "hook"] }, true],
    ["typed-only", { allowed: ["paste"] }, false],
    ["best-first", { program: UNKNOWN_PROGRAM, hasInbox: false, hooked: false }, true],
    ["typed-only", { program: UNKNOWN_PROGRAM }, true],
  ] as const)("for %s with %j: %s", (ways, changed, shut) => {
    expect(isShut(ways, { ...doors, ...changed })).toBe(shut);
  });
});

describe("ringsAt", () => {
  const held = {
    hold: { reason: "unknown", since: 1_000, release: "when it can be read" },
    release: "by-rule",
  } as const;

  it("rings at once if no way in can open, otherwise after a while", () => {
    expect(ringsAt(held, [], true)).toBe(1_000);
    expect(ringsAt(held, [], false)).toBe(1_000 + RING_AFTER_MS);
  });

  it("rings again only after a day", () => {
    const receipts = [
      { at: 900 },
      { at: 5_000, transport: "doorbell" },
      { at: 6_000, transport: "paste" },
    ] as const;
    expect(ringsAt(held, receipts, true)).toBe(5_000 + RING_AGAIN_MS);
  });

  it.each(["busy", "typing", "blocked", "attached", "paused", "suspended", "offline"] as const)(
    "never rings for what is held as %s",
    (reason) => {
      expect(ringsAt({ ...held, hold: { ...held.hold, reason } }, [], true)).toBeUndefined();
    },
  );

  it("never rings for what a person holds back, or what was not looked at yet", () => {
    expect(ringsAt({ ...held, release: "withheld" }, [], true)).toBeUndefined();
    expect(ringsAt({ release: "by-rule" }, [], true)).toBeUndefined();
  });
});

it("says how to take it in a line that fits any status line, whatever the name", () => {
  expect(ringLine(1, "coder")).toBe(
    "A message waits and no way in is open. Take it: bellhop inbox coder --take",
  );
  expect(ringLine(99, "n".repeat(64)).length).toBeLessThan(160);
});
