import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../tests/cli/command-stage.ts";

const stage: Stage = {
  answers: {
    spawn: async () => ({
      sessionId: "08bc57cf",
      agent: "login",
      terminal: { kind: "pty" },
      messageId: "11111111-2222-4333-8444-555555555555",
      shortId: "m7k2q9",
    }),
  },
};

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

  it.each<[string, readonly string[], RegExp]>([
    [
      "a word for a time",
      ["--wait", "--wait-timeout", "soon"],
      /"soon" is no length of time for --wait-timeout/,
    ],
    ["a time without a wait", ["--wait-timeout", "5s"], /--wait-timeout belongs to --wait/],
  ])("refuses %s before it starts anything", async (_, options, message) => {
    const ran = await perform(["spawn", "x", ...options], stage);
    expect([ran.status, ran.asked]).toEqual([2, []]);
    expect(ran.stderr).toMatch(message);
  });
});
