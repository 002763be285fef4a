import { describe, expect, it } from "vitest";
import type { TurnOrder } from "../../ports/runner.ts";
import { claudeHeadless, plainPrompt } from "./headless.ts";

const ORDER: TurnOrder = {
  turnId: "t1",
  runner: "claude",
  command: [],
  sessionId: "08bc57cf",
  agent: "coder",
  folder: "/work",
  prompt: "Please look.",
  tools: [],
  deadlineMs: 1_000,
};

// As release 2.1.325 printed them, without what nobody reads.
const SESSION = "6cce22fe-862e-4280-a0ec-b72ee3e435eb";
const said = (content: object) =>
  JSON.stringify({
    type: "assistant",
    message: { role: "assistant", model: "claude-opus-5-5", content: [content], stop_reason: null },
    parent_tool_use_id: null,
    session_id: SESSION,
  });
const INIT = JSON.stringify({ type: "system", subtype: "init", cwd: "/work", session_id: SESSION });
const TEXT = said({ type: "text", text: "I will\n\nlook." });
const TOOL = said({
  type: "tool_use",
  id: "toolu_e0fb9f8f",
  name: "Bash",
  input: { command: "echo hi", description: "Run a command" },
});
const TOOL_RESULT = JSON.stringify({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", content: "hi", is_error: false }] },
  session_id: SESSION,
});
const USED = { inputTokens: 10, outputTokens: 5, costUSD: 0.00014 };
const RESULT = {
  session_id: SESSION,
  total_cost_usd: 0.00042,
  usage: {
    input_tokens: 20,
    cache_creation_input_tokens: 3,
    cache_read_input_tokens: 4,
    output_tokens: 10,
    service_tier: "standard",
  },
  is_error: false,
  num_turns: 2,
  subtype: "success",
  result: "TOOL DONE",
  type: "result",
};
const FAILED = {
  session_id: SESSION,
  total_cost_usd: 0,
  usage: { input_tokens: 0, output_tokens: 0 },
  is_error: true,
  subtype: "success",
  api_error_status: 400,
  result: "API Error: 400 scripted error",
  type: "result",
};

function read(...lines: readonly string[]) {
  const reader = claudeHeadless.reader();
  const doing = lines.flatMap((line) => reader.line(line) ?? []);
  return { doing, ended: reader.ended() };
}

describe("the command", () => {
  it("takes the prompt on its standard input and prints a line for each step", () => {
    const { words, stdin } = claudeHeadless.turn(ORDER);
    expect(words).toEqual(["claude", "-p", "--output-format", "stream-json", "--verbose"]);
    expect(stdin).toBe("Please look.");
  });

  it("goes on with a conversation, in its role, with the tools it may use", () => {
    const { words } = claudeHeadless.turn({
      ...ORDER,
      conversation: SESSION,
      role: "You review.",
      model: "haiku",
      permissionMode: "acceptEdits",
      tools: ["Read", "Bash(git log:*)"],
    });
    expect(words.slice(5)).toEqual([
      ...["--resume", SESSION, "--model", "haiku", "--append-system-prompt", "You review."],
      ...["--permission-mode", "acceptEdits", "--allowedTools", "Read,Bash(git log:*)"],
    ]);
  });

  it("asks a small model without tools, hooks and a transcript", () => {
    const question = {
      runner: "claude",
      model: "haiku",
      prompt: "@/etc/hostname: YES or NO?",
      timeoutMs: 1_000,
    };
    const { words, stdin } = claudeHeadless.question(question, "");
    expect(words.join(" ")).toContain('--settings {"disableAllHooks":true} --tools  --strict-mcp-config');
    expect(words).toContain("--no-session-persistence");
    expect(stdin).toBe("@ /etc/hostname: YES or NO?");
  });
});

describe("a prompt", () => {
  it.each([
    ["@/etc/hostname", "@ /etc/hostname"],
    ["see @src/a.ts#L3 and\n@b", "see @ src/a.ts#L3 and\n@ b"],
    ['open @"a file"', 'open @ "a file"'],
    ["。@a @@b", "。@ a @@ b"],
    ["/compact", "> /compact"],
    [" /cost", ">  /cost"],
  ])("that Claude Code would act on, %j, becomes plain text", (prompt, plain) => {
    expect(plainPrompt(prompt)).toBe(plain);
  });

  it.each(["write to dev@example.com", "a @ b", "either/or", "the end @"])(
    "such as %j stays as it is",
    (prompt) => {
      expect(plainPrompt(prompt)).toBe(prompt);
    },
  );
});

describe("its output", () => {
  it("shows what it does, and the answer with what it took", () => {
    const { doing, ended } = read(INIT, TEXT, TOOL, TOOL_RESULT, "a warning", JSON.stringify(RESULT));
    expect(doing).toEqual(["I will look.", "Bash: echo hi"]);
    expect(ended).toEqual({
      answer: "TOOL DONE",
      conversation: SESSION,
      usd: 0.00042,
      tokensIn: 27,
      tokensOut: 10,
    });
  });

  it("counts what this turn cost, not the conversation that it resumes", () => {
    const resumed = { ...RESULT, model_usage_since_last_result: { "claude-opus-5-5": USED } };
    expect(read(INIT, JSON.stringify(resumed)).ended).toMatchObject({ usd: 0.00014 });
  });

  it("gives its own words for a failure", () => {
    expect(read(INIT, JSON.stringify(FAILED)).ended).toMatchObject({
      failed: "API Error: 400 scripted error",
      usd: 0,
    });
  });

  it("names the conversation also of a turn that was cut off", () => {
    expect(read(INIT, TEXT).ended).toEqual({ failed: undefined, conversation: SESSION });
  });

  it("counts no amount that is none", () => {
    const odd = { ...RESULT, total_cost_usd: -1, usage: { input_tokens: "many" } };
    expect(read(JSON.stringify(odd)).ended).toEqual({ answer: "TOOL DONE", conversation: SESSION });
  });
});

describe("the answer to a question", () => {
  it("is the result, with what it cost", () => {
    expect(claudeHeadless.answered(`${JSON.stringify(RESULT)}\n`)).toEqual({
      answer: "TOOL DONE",
      usd: 0.00042,
    });
  });

  it("is none if it failed, with the reason in the provider's words", () => {
    expect(claudeHeadless.answered(JSON.stringify(FAILED))).toEqual({ failed: FAILED.result });
  });

  it.each(["", "Invalid API key"])("is none in %j", (stdout) => {
    expect(claudeHeadless.answered(stdout)).toBeUndefined();
  });
});
