import { describe, expect, it } from "vitest";
import { type AwayMode, type PresenceFacts, presenceFrom } from "./presence.ts";

const at = (mode: AwayMode, facts: PresenceFacts) => presenceFrom(mode, facts).is;

describe("whether the person is away", () => {
  it.each<[AwayMode, PresenceFacts, ReturnType<typeof at>]>([
    ["on", { watching: 1, idleMs: 0 }, "away"],
    ["off", { isLocked: true, watching: 0 }, "present"],
    ["auto", { isLocked: true, idleMs: 0, watching: 1, watcherIdleMs: 0 }, "away"],
    ["auto", { watching: 0, idleMs: 0 }, "away"],
    ["auto", { watching: 1, watcherIdleMs: 121_000 }, "away"],
    ["auto", { watching: 1, watcherIdleMs: 120_000 }, "present"],
    ["auto", { watching: 1, watcherIdleMs: 500_000, idleMs: 5_000 }, "present"],
    ["auto", { watching: 1, watcherIdleMs: 500_000, idleMs: 500_000, isLocked: false }, "away"],
    ["auto", { idleMs: 500_000 }, "away"],
    ["auto", { watching: 1 }, "unknown"],
    ["auto", { isLocked: false }, "unknown"],
    ["auto", {}, "unknown"],
  ])("%s, %j: %s", (mode, facts, is) => expect(at(mode, facts)).toBe(is));
});
