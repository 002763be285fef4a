import { describe, expect, it } from "vitest";
import type { TurnOrder } from "../../ports/runner.ts";
import { FILES_FOLDER } from "../headless.ts";
import { geminiHeadless, plainPrompt } from "./headless.ts";
import { turnPolicy } from "./permissions.ts";

const ORDER: TurnOrder = {
  turnId: "t1",
  runner: "gemini",
  command: [],
  sessionId: "08bc57cf",
  agent: "coder",
  folder: "/home/dev/repo",
  prompt: "hello",
  tools: [],
  deadlineMs: 1_000,
};

// As release 0.61.0 printed them.
const INIT =
  '{"type":"init","timestamp":"2026-11-17T22:21:17.014Z","session_id":"96438ea4-aa9d-48d2-bcff-9b222cfc7dd2","model":"auto"}';
const USER = '{"type":"message","timestamp":"2026-11-17T22:21:17.093Z","role":"user","content":"t"}';
const says = (content: string) =>
  JSON.stringify({ type: "message", role: "assistant", content, delta: true });
const TOOL =
  '{"type":"tool_use","tool_name":"run_shell_command","tool_id":"1","parameters":{"command":"git log","description":"x"}}';
const DONE =
  '{"type":"result","status":"success","stats":{"total_tokens":30,"input_tokens":20,"output_tokens":10,"cached":0}}';
const FAILED = JSON.stringify({
  type: "result",
  status: "error",
  error: { type: "Error", message: '[API Error: {"type":"error","error":{"message":"scripted error"}}]' },
  stats: { input_tokens: 0, output_tokens: 0 },
});

const read = (...lines: readonly string[]) => {
  const reader = geminiHeadless.reader();
  const doing = lines.flatMap((line) => reader.line(line) ?? []);
  return { doing, ended: reader.ended() };
};

describe("a turn of Gemini CLI", () => {
  it("resumes its conversation, with its own instructions and a policy, each in a file", () => {
    const { words, files, environment } = geminiHeadless.turn({
      ...ORDER,
      conversation: "abc",
      model: "gemini-2.5-pro",
      role: "You review.",
    });
    expect(words).toEqual([
      ...["gemini", "--output-format", "stream-json", "--resume=abc", "--model=gemini-2.5-pro"],
      `--admin-policy=${FILES_FOLDER}/policy.toml`,
    ]);
    expect(environment).toEqual({ GEMINI_SYSTEM_MD: `${FILES_FOLDER}/instructions.md` });
    expect(files?.["instructions.md"]).toBe("You review.");
  });

  it("gets its prompt as text: nothing in it is a file or a command", () => {
    expect(plainPrompt("see @secret.txt, or ask a@b.c")).toBe("see \\@secret.txt, or ask a\\@b.c");
    expect(plainPrompt("  /quit")).toBe(">   /quit");
  });

  it("says what it does, what it answered last, and what it counted", () => {
    expect(read("Warning: x", INIT, USER, says("I will "), says("look."), TOOL, says("NOTED"), DONE)).toEqual(
      {
        doing: ["I will", "I will look.", "run_shell_command: git log", "NOTED"],
        ended: {
          answer: "NOTED",
          conversation: "96438ea4-aa9d-48d2-bcff-9b222cfc7dd2",
          tokensIn: 20,
          tokensOut: 10,
        },
      },
    );
  });

  it.each([
    ["failed, in the provider's words", [INIT, FAILED], "scripted error"],
    ["ended without a word", [INIT, says("half")], undefined],
    ["said nothing after its tool", [INIT, says("I look"), TOOL, DONE], undefined],
  ])("that %s has no answer", (_, lines, failed) => {
    expect(read(...lines).ended).toMatchObject({ failed });
  });
});

describe("what it may do", () => {
  it("is to read, if nothing else is said", () => {
    expect(turnPolicy([], undefined)).toMatch(
      /toolName = "\*"\ndecision = "deny"\npriority = 1\n[\s\S]*toolName = \["read_file".*\]\ndecision = "allow"/u,
    );
    expect(turnPolicy([], undefined)).not.toContain('"replace","write_file"]\ndecision = "allow"');
  });

  it.each([
    ["Bash(git log:*)", 'toolName = "run_shell_command"\ncommandPrefix = "git log"\ndecision = "allow"'],
    ["run_shell_command(git log)", 'commandPrefix = "git log"'],
    ["Bash", 'toolName = ["run_shell_command"]\ndecision = "allow"'],
    ["edit", 'toolName = ["replace","write_file"]\ndecision = "allow"'],
    ["mcp__bellhop__send_message", 'toolName = ["mcp_bellhop_send_message"]\ndecision = "allow"'],
  ])("is more with %s", (tool, rule) => {
    expect(turnPolicy([tool], undefined)).toContain(rule);
  });

  it("is everything only with the mode that says so", () => {
    expect(turnPolicy([], "yolo")).toBeUndefined();
    expect(turnPolicy([], "auto_edit")).toContain('"replace","write_file"]\ndecision = "allow"');
  });

  it("never is to change what says what it may do, nor to read secrets", () => {
    const policy = turnPolicy(["edit"], "auto_edit") ?? "";
    const [edit = "", secret = ""] = [...policy.matchAll(/^argsPattern = (.*)$/gmu)].map(
      ([, pattern = '""']) => JSON.parse(pattern) as string,
    );
    const denies = (pattern: string, path: string) =>
      new RegExp(pattern).test(JSON.stringify({ content: "x", file_path: path }));
    for (const path of [".gemini/settings.json", "/r/.GEMINI/x", "a/../.git/hooks/x", ".git"])
      expect([path, denies(edit, path)]).toEqual([path, true]);
    for (const path of ["src/git.ts", ".gitignore", "gemini.md"])
      expect([path, denies(edit, path)]).toEqual([path, false]);
    for (const path of [".env", "/r/.env.local"]) expect([path, denies(secret, path)]).toEqual([path, true]);
    for (const path of [".env.example", "env.ts"])
      expect([path, denies(secret, path)]).toEqual([path, false]);
  });
});
