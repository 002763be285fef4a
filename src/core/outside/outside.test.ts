import { describe, expect, it } from "vitest";
import { sameText } from "./echo.ts";
import { FLOOD_LIMITS, type FloodState, floodStep } from "./flood.ts";
import { bridgeOf, isOutlet, speakerIn } from "./places.ts";

describe("a place outside", () => {
  it.each([
    ["telegram/12", "telegram"],
    ["slack/T1/#general", "slack"],
    ["email/me@example.org/you@example.org", "email"],
    ["telegram", undefined],
    ["slack/T1/*", undefined],
    ["slack/**", undefined],
    ["agent/telegram", undefined],
    ["toString/x", undefined],
  ])("%s belongs to %s", (path, bridge) => {
    expect(bridgeOf(path)).toBe(bridge);
  });

  it("is no outlet: those are the mailboxes of bridges and of the desk", () => {
    expect(["bridge/telegram", "desk/answers", "agent/x", "telegram/12"].map(isOutlet)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it.each([
    ["telegram/-100", "42", "telegram/42"],
    ["slack/T1/#general", "U7", "slack/T1/@U7"],
    ["slack/T1/#general", "a/b\u0000", "slack/T1/@ab"],
    ["telegram/-100", "", "telegram/unknown"],
    ["imessage/+1555", "+1555", "imessage/+1555"],
  ])("%s, where %s speaks as %s", (path, from, speaker) => {
    expect(speakerIn(path, from)).toBe(speaker);
  });
});

describe("an echo", () => {
  it("is the same text whatever the platform did to white space and invisible characters", () => {
    expect(sameText("✓\uFE0F Delivered  to\n[api]\u200B ")).toBe(sameText("✓ Delivered to [api]"));
    expect(sameText("Delivered")).not.toBe(sameText("delivered"));
  });
});

describe("a flood", () => {
  it("stops after so many in a minute from one speaker, and no other", () => {
    let state: FloodState = new Map();
    const verdicts: string[] = [];
    for (let index = 0; index <= FLOOD_LIMITS.arrivals + 1; index += 1) {
      const [next, verdict] = floodStep(state, "telegram/1", 1_000 + index);
      state = next;
      verdicts.push(verdict);
    }
    expect(verdicts.slice(-3)).toEqual(["pass", "begins", "stop"]);
    expect(floodStep(state, "telegram/2", 2_000)[1]).toBe("pass");
    expect(floodStep(state, "telegram/1", 1_000 + FLOOD_LIMITS.windowMs)[1]).toBe("pass");
  });

  it("begins once, however long it lasts, and again after a quiet minute", () => {
    let state: FloodState = new Map();
    const beginnings: number[] = [];
    const hear = (at: number) => {
      const [next, verdict] = floodStep(state, "telegram/1", at);
      state = next;
      if (verdict === "begins") beginnings.push(at);
    };
    for (let at = 0; at < 300_000; at += 100) hear(at);
    for (let at = 400_000; at < 420_000; at += 100) hear(at);
    expect(beginnings).toEqual([6_000, 406_000]);
  });

  it("remembers so many speakers and no more", () => {
    let state: FloodState = new Map();
    for (let index = 0; index < FLOOD_LIMITS.speakers + 10; index += 1)
      state = floodStep(state, `telegram/${index}`, index)[0];
    expect(state.size).toBe(FLOOD_LIMITS.speakers);
  });
});
