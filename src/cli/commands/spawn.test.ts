import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../tests/cli/command-stage.ts";
import type { DeliveryState } from "../../core/message.ts";

const stageWhere = (state: DeliveryState): Stage => ({
  answers: {
    spawn: async () => ({
      sessionId: "08bc57cf",
      agent: "login",
      terminal: { kind: "pty" },
      messageId: "11111111-2222-4333-8444-555555555555",
      shortId: "m7k2q9",
    }),
    wait: async () => ({ state, reached: state === "read" }),
  },
});
const stage = stageWhere("read");

describe("bellhop spawn", () => {
  it("starts Claude Code with the prompt, or the program behind --", async () => {
    const ran = await perform(["spawn", "implement it", "--name", "login"], stage);
    expect(ran.stdout).toContain('"login" runs as session 08bc57cf');
    expect(ran.asked).toMatchObject([
      { verb: "spawn", request: { prompt: "implement it", name: "login", command: ["claude"] } },
    ]);
    const other = await perform(["spawn", "review it", "--", "codex", "--model", "o3"], stage);
    expect(other.asked[0]?.request).toMatchObject({ command: ["codex", "--model", "o3"] });
  });

  it("waits until the first turn has ended, for half an hour or as long as it is told", async () => {
    const ran = await perform(["spawn", "x", "--wait"], stage);
    expect(ran.stdout).toContain("has ended its first turn");
    expect(ran.asked[1]).toMatchObject({ verb: "wait", request: { state: "read", timeoutMs: 1_800_000 } });
    const told = await perform(["spawn", "x", "--wait", "--wait-timeout", "5s"], stage);
    expect(told.asked[1]?.request).toMatchObject({ timeoutMs: 5_000 });
  });

  it("says that it has not ended, and does not call that a success", async () => {
    const ran = await perform(["spawn", "x", "--wait"], stageWhere("delivered"));
    expect([ran.status, ran.stdout]).toEqual([1, ""]);
    expect(ran.stderr).toContain("Its first message is delivered.");
  });

  it.each<[string, readonly string[], RegExp]>([
    [
      "a word for a time",
      ["--wait", "--wait-timeout", "soon"],
      /"soon" is no length of time for --wait-timeout/,
    ],
    ["a time without a wait", ["--wait-timeout", "5s"], /--wait-timeout goes with --wait/],
  ])("refuses %s before it starts anything", async (_, options, message) => {
    const ran = await perform(["spawn", "x", ...options], stage);
    expect([ran.status, ran.asked]).toEqual([2, []]);
    expect(ran.stderr).toMatch(message);
  });
});
