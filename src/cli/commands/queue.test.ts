import { describe, expect, it } from "vitest";
import { perform } from "../../../tests/cli/command-stage.ts";
import type { QueuedDelivery } from "../../wire/shapes/messages.ts";

const NOW = 1_794_713_898_927;

const waiting: QueuedDelivery = {
  id: "d1",
  messageId: "11111111-2222-4333-8444-555555555555",
  shortId: "m7k2q9",
  to: "agent/frontend",
  from: "agent/reviewer",
  priority: "idle-first",
  state: "queued",
  hold: {
    reason: "typing",
    since: NOW,
    release: "when the text in its composer is sent, removed, or unchanged for 120 s",
  },
  queuedAt: NOW - 61_000,
  preview: "The login test fails on main since the last merge, please have a look at it.",
};

const queue = (deliveries: readonly QueuedDelivery[], columns = 0) =>
  perform(["queue"], { now: NOW, columns, answers: { queue: async () => ({ deliveries, drafts: [] }) } });

describe("bellhop queue", () => {
  it("says under each message why it waits", async () => {
    expect((await queue([waiting, { ...waiting, shortId: "a1b2c3" }])).stdout.split("\n")).toEqual([
      expect.stringMatching(/^ID +TO +FROM +PRIORITY +STATE +SINCE +TEXT$/),
      expect.stringMatching(/^#m7k2q9 .* 1m 1s +The login test fails/),
      "  held: typing — when the text in its composer is sent, removed, or unchanged for 120 s",
      expect.stringMatching(/^#a1b2c3 /),
      expect.stringMatching(/^ {2}held: typing/),
      "",
    ]);
  });

  it("says when a message expires, where one does", async () => {
    const { hold: _, ...quiet } = waiting;
    const { stdout } = await queue([{ ...waiting, timeoutAt: NOW + 299_500 }, quiet]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/ SINCE +EXPIRES +TEXT$/);
    expect(lines[1]).toMatch(/ 1m 1s +in 5m +The login/);
    expect(lines[3]).toMatch(/ 1m 1s {2,}The login/);
    expect(lines).toHaveLength(4);
    expect((await queue([{ ...waiting, timeoutAt: NOW - 1 }])).stdout).toMatch(/ 1m 1s +now +The login/);
  });

  it("fits a terminal of 100 columns", async () => {
    const { stdout } = await queue([{ ...waiting, timeoutAt: NOW + 5_400_000 }], 100);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(stdout).toContain("The login");
  });
});
