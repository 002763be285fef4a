import { describe, expect, it } from "vitest";
import type { TurnOrder } from "../../ports/runner.ts";
import { codexHeadless } from "./headless.ts";

const ORDER: TurnOrder = {
  turnId: "t1",
  runner: "codex",
  command: [],
  sessionId: "08bc57cf",
  agent: "coder",
  folder: "/work",
  prompt: "Please look.",
  tools: [],
  deadlineMs: 1_000,
};

// As release 0.166.0 printed them.
const THREAD = "01a1e8cd-4111-7cf0-be5c-65242da68366";
const STARTED = `{"type":"thread.started","thread_id":"${THREAD}"}`;
const WARNING = `{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for \`gpt-5\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}}`;
const TURN = `{"type":"turn.started"}`;
const FIRST = `{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"ACK 19 characters"}}`;
const COMMAND = `{"type":"item.started","item":{"id":"item_2","type":"command_execution","command":"/bin/bash -lc 'echo hi'","aggregated_output":"","exit_code":null,"status":"in_progress"}}`;
const COMMAND_DONE = `{"type":"item.completed","item":{"id":"item_2","type":"command_execution","command":"/bin/bash -lc 'echo hi'","aggregated_output":"hi\\n","exit_code":0,"status":"completed"}}`;
const LAST = `{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"TOOL DONE"}}`;
const COMPLETED = `{"type":"turn.completed","usage":{"input_tokens":20,"cached_input_tokens":0,"cache_write_input_tokens":0,"output_tokens":10,"reasoning_output_tokens":0}}`;
const ERROR = `{"type":"error","message":"{\\"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"api_error\\",\\"message\\":\\"scripted error\\"}}"}`;
const FAILED = `{"type":"turn.failed","error":{"message":"{\\"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"api_error\\",\\"message\\":\\"scripted error\\"}}"}}`;
const RECONNECTING = `{"type":"error","message":"Reconnecting... 2/5 (stream disconnected before completion: failed to lookup address information: Try again)"}`;

function read(...lines: readonly string[]) {
  const reader = codexHeadless.reader();
  const doing = lines.flatMap((line) => reader.line(line) ?? []);
  return { doing, ended: reader.ended() };
}

describe("the command", () => {
  it("takes the prompt on its standard input, and asks nobody", () => {
    const { words, stdin } = codexHeadless.turn(ORDER);
    expect(words).toEqual([
      ...["codex", "exec", "--json", "--skip-git-repo-check", "-c", 'approval_policy="never"', "-"],
    ]);
    expect(stdin).toBe("Please look.");
  });

  it("goes on with a conversation, in its role and sandbox", () => {
    const { words } = codexHeadless.turn({
      ...ORDER,
      conversation: THREAD,
      role: 'You "review".',
      model: "gpt-5",
      permissionMode: "read-only",
    });
    expect(words.slice(0, 3)).toEqual(["codex", "exec", "resume"]);
    expect(words.slice(7)).toEqual([
      ...["-c", 'sandbox_mode="read-only"', "-c", 'developer_instructions="You \\"review\\"."'],
      ...["--model", "gpt-5", THREAD, "-"],
    ]);
  });

  it("asks a small model without a shell and without keeping the conversation", () => {
    const { words } = codexHeadless.question(
      { runner: "codex", model: "gpt-5", prompt: "?", timeoutMs: 1 },
      "",
    );
    expect(words).toContain("--ephemeral");
    expect(words.join(" ")).toContain('--sandbox read-only -c web_search="disabled" -c features.');
    expect(words).toContain("features.shell_tool=false");
  });
});

describe("its output", () => {
  it("shows what it does, and the last thing it said with what it took", () => {
    const lines = [STARTED, WARNING, TURN, FIRST, COMMAND, COMMAND_DONE, LAST, COMPLETED];
    const { doing, ended } = read(...lines);
    expect(doing).toEqual(["ACK 19 characters", "command_execution: /bin/bash -lc 'echo hi'", "TOOL DONE"]);
    expect(ended).toEqual({ answer: "TOOL DONE", conversation: THREAD, tokensIn: 20, tokensOut: 10 });
  });

  it("gives the provider's words for a failure", () => {
    expect(read(STARTED, WARNING, TURN, ERROR, FAILED).ended).toEqual({
      failed: "scripted error",
      conversation: THREAD,
    });
  });

  it("counts an answer after a connection that was lost in between", () => {
    expect(read(STARTED, TURN, RECONNECTING, LAST, COMPLETED).ended).toMatchObject({ answer: "TOOL DONE" });
  });

  it("takes nothing for an answer before the turn is complete", () => {
    expect(read(STARTED, TURN, FIRST).ended).toEqual({ failed: undefined, conversation: THREAD });
  });
});

describe("the servers with tools of their own", () => {
  const asked = (settings: string) =>
    codexHeadless
      .question({ runner: "codex", model: "gpt-5", prompt: "?", timeoutMs: 1 }, settings)
      .words.filter((word) => word.startsWith("mcp_servers"));

  it.each([
    [
      "tables",
      '[mcp_servers.one]\ncommand = "x"\n[mcp_servers.one.env]\nA = "b"\n[ mcp_servers . "two-2" ]\n',
    ],
    ["keys with dots", 'mcp_servers.one.command = "x"\nmcp_servers."two-2".url = "https://x"\n'],
    [
      "a table of them",
      '[mcp_servers]\none = { command = "x" }\n"two-2".url = "https://x"\n[other]\nthree = 3\n',
    ],
    ["one line", 'mcp_servers = { one = { command = "x" }, "two-2" = { url = "https://x" } }\n'],
  ])("are not there for a question: %s", (_, settings) => {
    expect(asked(settings)).toEqual(["mcp_servers.one.enabled=false", "mcp_servers.two-2.enabled=false"]);
  });

  it("are none where its settings name none", () => {
    expect(asked('# [mcp_servers.off]\nmodel = "gpt-5"\n[model_providers.rig]\nname = "rig"\n')).toEqual([]);
  });

  it("stand in the folder of its user", () => {
    expect(codexHeadless.settingsFile?.({ HOME: "/home/dev" })).toBe("/home/dev/.codex/config.toml");
    expect(codexHeadless.settingsFile?.({ HOME: "/home/dev", CODEX_HOME: "/c" })).toBe("/c/config.toml");
    expect(codexHeadless.settingsFile?.({})).toBeUndefined();
  });
});

it("reads the answer to a question from the same lines", () => {
  expect(codexHeadless.answered([STARTED, TURN, LAST, COMPLETED, ""].join("\n"))).toEqual({
    answer: "TOOL DONE",
  });
  const failed = expect.stringContaining("scripted error");
  expect(codexHeadless.answered([STARTED, TURN, ERROR, FAILED].join("\n"))).toEqual({ failed });
  expect(codexHeadless.answered(STARTED)).toBeUndefined();
});
