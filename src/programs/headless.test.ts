import { describe, expect, it } from "vitest";
import { HEADLESS_PROGRAMS } from "./index.ts";

const QUESTION = { runner: "", prompt: "Is it worth a turn?", timeoutMs: 1_000 };

describe.each(HEADLESS_PROGRAMS)("a question to a small model through $name", ({ headless }) => {
  it("names the model that was asked for, and none if its own will do", () => {
    const wordsWith = (model: string) => headless.question({ ...QUESTION, model }, "").words.join(" ");
    expect(wordsWith("tiny")).toMatch(/--model[ =]tiny/u);
    expect(wordsWith("default")).not.toContain("--model");
  });
});

type Reported = { readonly conversation?: unknown; readonly tokens?: unknown; readonly usd?: unknown };

/** What each prints at the end of a turn, with what it reports of it. */
const TURNS: Readonly<Record<string, (reported: Reported) => readonly object[]>> = {
  claude: ({ conversation, tokens, usd }) => [
    {
      type: "result",
      session_id: conversation,
      total_cost_usd: usd,
      usage: { input_tokens: tokens, cache_read_input_tokens: tokens, output_tokens: tokens },
      result: "Done.",
    },
  ],
  codex: ({ conversation, tokens }) => [
    { type: "thread.started", thread_id: conversation },
    { type: "item.completed", item: { type: "agent_message", text: "Done." } },
    { type: "turn.completed", usage: { input_tokens: tokens, output_tokens: tokens } },
  ],
  opencode: ({ conversation, tokens, usd }) => [
    { type: "step_start", sessionID: conversation },
    { type: "text", sessionID: conversation, part: { text: "Done." } },
    {
      type: "step_finish",
      sessionID: conversation,
      part: { reason: "stop", cost: usd, tokens: { input: tokens, output: tokens, cache: { read: tokens } } },
    },
  ],
  gemini: ({ conversation, tokens }) => [
    { type: "init", session_id: conversation },
    { type: "message", role: "assistant", content: "Done." },
    { type: "result", status: "success", stats: { input_tokens: tokens, output_tokens: tokens } },
  ],
};

describe.each(HEADLESS_PROGRAMS)("what $name reports of a turn", ({ name, headless }) => {
  const read = (...reports: readonly Reported[]) => {
    const reader = headless.reader();
    for (const line of reports.flatMap((one) => TURNS[name]?.(one) ?? []))
      reader.line(JSON.stringify(line).replaceAll('"1e999"', "1e999"));
    return reader.ended();
  };

  it("counts if it can be counted", () => {
    expect(read({ conversation: "c-1", tokens: 7, usd: 0.5 })).toMatchObject({
      answer: "Done.",
      conversation: "c-1",
      tokensOut: 7,
    });
  });

  it.each([1e300, 1e308, "1e999", -1, 0.5, Number.MAX_SAFE_INTEGER + 1, "7", null])(
    "is not counted if it is no number of tokens: %s",
    (tokens) => {
      expect(read({ tokens })).toEqual({ answer: "Done." });
    },
  );

  it.each([1e300, "1e999", -1, 1_000_001, "7", null])("is not counted if it is no price: %s", (usd) => {
    expect(read({ usd })).toEqual({ answer: "Done." });
  });

  it("is not counted if it is too much in total", () => {
    const tokens = Number.MAX_SAFE_INTEGER;
    const ended = read({ tokens, usd: 900_000 }, { tokens, usd: 900_000 });
    for (const amount of [ended.tokensIn ?? 0, ended.tokensOut ?? 0])
      expect(Number.isSafeInteger(amount)).toBe(true);
    expect(ended.usd ?? 0).toBeLessThanOrEqual(1_000_000);
  });

  it.each(["--dangerously-skip-permissions", "-", "a\0b", "a b", "../a", "", "x".repeat(200_000), 7])(
    "is no conversation to go on with: %j",
    (conversation) => {
      expect(read({ conversation })).toEqual({ answer: "Done." });
    },
  );
});
