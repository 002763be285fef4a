import { describe, expect, it } from "vitest";
import { perform } from "../../../../tests/cli/command-stage.ts";
import type { ShowResponse } from "../../../wire/shapes/messages.ts";

const shown: ShowResponse = {
  message: {
    id: "11111111-2222-4333-8444-555555555555",
    shortId: "m7k2q9",
    from: "person/dev",
    to: "agent/coder",
    body: "hello",
    priority: "normal",
    source: "person",
    createdAt: 0,
    file: "/home/dev/.bellhop/messages/coder/x.md",
  },
  deliveries: [
    {
      id: "d-1",
      to: "agent/coder",
      state: "read",
      attempts: 1,
      queuedAt: 0,
      receipts: [
        { at: 0, state: "queued" },
        { at: 0, state: "delivered", evidence: "submitted" },
        { at: 0, state: "read", note: "the agent has ended its turn" },
        { at: 0, state: "delivered", evidence: "screen", note: "late evidence" },
      ],
    },
  ],
};

describe("bellhop show", () => {
  it("sets what happened apart from why", async () => {
    const { stdout } = await perform(["show", "m7k2q9"], { answers: { show: async () => shown } });
    const lines = stdout.trimEnd().split("\n").slice(-4);
    expect(lines.map((line) => line.replace(/^ +\S+ +/u, ""))).toEqual([
      "queued",
      "delivered (submitted)",
      "read — the agent has ended its turn",
      "delivered (screen) — late evidence",
    ]);
  });
});
