import { describe, expect, it } from "vitest";
import { attentionFrom, countedByKind, countsInWords } from "./attention.ts";
import { loopReason, STANDARD_LOOP_LIMITS } from "./routing/loop-breaker.ts";

describe("what wants the person", () => {
  it("comes by kind, whoever waits longest first", () => {
    const asked = { text: "Bash command", key: "k" };
    const all = attentionFrom({
      asking: [
        { id: "b.1", agent: "b", session: "b", since: 9, asked: { ...asked, kind: "permission" } },
        { id: "c.1", agent: "c", session: "c", since: 3, asked: { ...asked, kind: "question" } },
        { id: "a.1", agent: "a", session: "a", since: 5, asked: { ...asked, kind: "permission" } },
      ],
      finished: [
        { id: "d.turn.8", agent: "d", session: "d", since: 8, said: "All tests pass." },
        { id: "e.turn.7", agent: "e", session: "e", since: 7 },
      ],
      unconfirmed: [{ id: "m1.1", shortId: "abc123", agent: "a", since: 1 }],
      overBudget: [{ agent: "n", session: "n", since: 6, messages: 2, release: "its budget is spent" }],
      deadLetters: [
        { shortId: "dead11", from: "person/dev", to: "slack/x", reason: "nobody subscribes", since: 2 },
        {
          shortId: "loop11",
          from: "agent/a",
          to: "agent/b",
          reason: loopReason("pair", STANDARD_LOOP_LIMITS),
          since: 4,
        },
      ],
    });
    expect(all.map(({ id, kind, agent }) => [id, kind, agent])).toEqual([
      ["a.1", "permission", "a"],
      ["b.1", "permission", "b"],
      ["c.1", "question", "c"],
      ["e.turn.7", "turn-end", "e"],
      ["d.turn.8", "turn-end", "d"],
      ["m1.1", "unconfirmed", "a"],
      ["loop11", "loop", "a"],
      ["n.budget", "budget", "n"],
      ["dead11", "dead-letter", null],
    ]);
    expect(countsInWords(countedByKind(all))).toBe(
      "2 permissions, 1 question, 2 finished turns, 1 unconfirmed message, 1 stopped loop, 1 spent budget, 1 dead letter",
    );
    expect(countsInWords({})).toBe("");
  });
});
