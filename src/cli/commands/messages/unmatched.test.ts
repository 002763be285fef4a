import { describe, expect, it } from "vitest";
import { perform } from "../../../../tests/cli/command-stage.ts";
import type { ResponseOf } from "../../../wire/verbs/index.ts";

const SENT = new Date(2026, 11, 21, 13, 30).getTime();
const letter: ResponseOf<"unmatched">["messages"][number] = {
  id: "11111111-2222-4333-8444-555555555555",
  shortId: "m7k2q9",
  from: "api",
  path: "slack/team/#general",
  command: "message",
  payload: { text: "deployed" },
  body: "deployed\x1b[31m\nnow",
  status: "pending",
  timestamp: SENT,
  source: "internal",
  externalId: null,
  reason: "nobody subscribes to this path",
};
const unmatched = (words: readonly string[], messages = [letter], outcome = { rerouted: 1, left: 0 }) =>
  perform(["unmatched", ...words], {
    answers: {
      unmatched: async () => ({ messages }),
      unmatched_clear: async () => ({ cleared: messages.length }),
      unmatched_reroute: async () => outcome,
    },
  });

describe("bellhop unmatched", () => {
  it("lists dead letters, each with its reason", async () => {
    const { stdout, asked } = await unmatched(["--limit", "5"]);
    expect(stdout).toMatch(
      /^SENT +ID +FROM +PATH +TEXT\n2026-12-21 13:30 +#m7k2q9 +api +slack\/team\/#general +deployed now\n {2}nobody subscribes to this path\n$/,
    );
    expect(asked).toEqual([{ verb: "unmatched", request: { limit: 5 } }]);
    expect(JSON.parse((await unmatched(["--json"])).stdout)).toEqual([letter]);
    expect((await unmatched([], [])).stdout).toBe("There are no dead letters.\n");
    expect((await unmatched(["--json"], [])).stdout).toBe("[]\n");
  });

  it("deletes them", async () => {
    expect((await unmatched(["clear"])).stdout).toBe("deleted 1 dead letter\n");
    expect((await unmatched(["clear"], [])).stdout).toBe("deleted 0 dead letters\n");
    expect((await unmatched(["clear", "--json"])).stdout).toBe('{"cleared":1}\n');
  });

  it("sends them again, all or one", async () => {
    const all = await unmatched(["reroute"], [], { rerouted: 2, left: 1 });
    expect(all).toMatchObject({ status: 0, asked: [{ verb: "unmatched_reroute", request: {} }] });
    expect(all.stdout).toBe("2 dead letters sent again\n1 dead letter still without a recipient\n");
    const one = await unmatched(["reroute", "#m7k2q9"]);
    expect(one).toMatchObject({ status: 0, stdout: "1 dead letter sent again\n" });
    expect(one.asked[0]?.request).toEqual({ id: "m7k2q9" });
    expect((await unmatched(["reroute"], [], { rerouted: 0, left: 0 })).stdout).toBe(
      "There are no dead letters.\n",
    );
  });

  it("tells by its status that the one still has nobody, or is none", async () => {
    expect((await unmatched(["reroute", "m7k2q9"], [], { rerouted: 0, left: 1 })).status).toBe(3);
    const none = await unmatched(["reroute", "m7k2q9", "--json"], [], { rerouted: 0, left: 0 });
    expect(none.status).toBe(3);
    expect(none.stdout).toBe("");
    expect(JSON.parse(none.stderr)).toMatchObject({ error: { code: "message.unknown" } });
  });

  it.each([["--limit", "x"], ["clear", "now"], ["reroute", "a", "b"], ["cleer"]])(
    "refuses %s %s",
    async (...words) => {
      const { status, asked } = await unmatched(words);
      expect(status).toBe(2);
      expect(asked).toEqual([]);
    },
  );
});
