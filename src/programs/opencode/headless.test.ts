import { describe, expect, it } from "vitest";
import type { TurnOrder } from "../../ports/runner.ts";
import { opencodeHeadless } from "./headless.ts";

const ORDER: TurnOrder = {
  turnId: "t1",
  runner: "opencode",
  command: [],
  sessionId: "08bc57cf",
  agent: "coder",
  folder: "/work",
  prompt: "/init @secret.txt",
  tools: [],
  deadlineMs: 1_000,
};

// As release 1.18.18 printed them, without some of their ids.
const SESSION = "ses_e16d333ddffeJSbqOASX1UQSbI";
const STEP = `{"type":"step_start","timestamp":1794913392433,"sessionID":"${SESSION}","part":{"id":"prt_1","messageID":"msg_1","sessionID":"${SESSION}","type":"step-start"}}`;
const WORKING = text("I will look.");
const TOOL = `{"type":"tool_use","timestamp":1794913392433,"sessionID":"${SESSION}","part":{"type":"tool","tool":"bash","callID":"toolu_1","state":{"status":"completed","input":{"command":"git log","description":"Run a command"},"output":"","title":"Run a command"}}}`;
const MORE = finished("tool-calls", 0.000105);
const NOTED = text("NOTED");
const DONE = finished("stop", 0.000105);
const ERROR = `{"type":"error","timestamp":1794913715930,"sessionID":"${SESSION}","error":{"name":"APIError","data":{"message":"scripted error","statusCode":400,"isRetryable":false}}}`;
const REJECTED = "!  permission requested: bash (env); auto-rejecting";

function text(words: string): string {
  return `{"type":"text","timestamp":1794913392433,"sessionID":"${SESSION}","part":{"type":"text","text":"${words}","time":{"start":1794913392421,"end":1794913392427}}}`;
}

function finished(reason: string, cost: number): string {
  return `{"type":"step_finish","timestamp":1794913392496,"sessionID":"${SESSION}","part":{"reason":"${reason}","type":"step-finish","tokens":{"total":18,"input":10,"output":5,"reasoning":1,"cache":{"write":2,"read":0}},"cost":${cost}}}`;
}

function read(...lines: readonly string[]) {
  const reader = opencodeHeadless.reader();
  const doing = lines.flatMap((line) => reader.line(line) ?? []);
  return { doing, ended: reader.ended() };
}

function agentIn(environment: Readonly<Record<string, string>> | undefined) {
  return JSON.parse(environment?.OPENCODE_CONFIG_CONTENT ?? "").agent.bellhop;
}

describe("the command", () => {
  it("takes the prompt as it stands, on its standard input", () => {
    const { words, stdin, environment } = opencodeHeadless.turn(ORDER);
    expect(words).toEqual([
      ...["opencode", "run", "--format", "json", "--agent", "bellhop", "--dir", "/work", "--title=coder"],
    ]);
    expect(stdin).toBe("/init @secret.txt");
    expect(agentIn(environment)).toMatchObject({ mode: "primary", permission: { "*": "deny" } });
    expect(agentIn(environment)).not.toHaveProperty("prompt");
  });

  it("goes on with a session, in its role and with its tools", () => {
    const { words, environment } = opencodeHeadless.turn({
      ...ORDER,
      conversation: SESSION,
      role: 'You "review".',
      model: "rig/rig-model",
      tools: ["bash"],
    });
    expect(words.slice(-2)).toEqual([`--session=${SESSION}`, "--model=rig/rig-model"]);
    expect(agentIn(environment)).toMatchObject({ prompt: 'You "review".', permission: { bash: "allow" } });
  });

  it("lets a role stand for nothing but itself", () => {
    const role = "Say {env:HOME} and {file:/etc/passwd}.";
    const { environment } = opencodeHeadless.turn({ ...ORDER, role });
    expect(environment?.OPENCODE_CONFIG_CONTENT).not.toMatch(/\{(?:env|file):/u);
    expect(agentIn(environment).prompt).toBe(role);
  });

  it("asks a small model without tools, and keeps nothing of it", () => {
    const question = { runner: "opencode", model: "rig/small", prompt: "?", timeoutMs: 1 };
    const { words, stdin, environment } = opencodeHeadless.question(question, "");
    expect(words).toContain("--model=rig/small");
    expect(stdin).toBe("?");
    expect(environment).toMatchObject({ OPENCODE_DB: ":memory:" });
    expect(agentIn(environment).permission).toEqual({ "*": "deny" });
  });
});

describe("its output", () => {
  it("shows what it does, and its last words with what all steps took", () => {
    const { doing, ended } = read(STEP, WORKING, TOOL, MORE, STEP, NOTED, DONE);
    expect(doing).toEqual(["I will look.", "bash: git log", "NOTED"]);
    expect(ended).toEqual({
      answer: "NOTED",
      conversation: SESSION,
      usd: 0.00021,
      tokensIn: 24,
      tokensOut: 12,
    });
  });

  it("joins what it says in one step", () => {
    expect(read(STEP, WORKING, NOTED, DONE).ended).toMatchObject({ answer: "I will look.\n\nNOTED" });
  });

  it("gives the provider's words for a failure", () => {
    expect(read(ERROR).ended).toEqual({ failed: "scripted error", conversation: SESSION });
    expect(read(STEP, NOTED, DONE, ERROR).ended).toMatchObject({ failed: "scripted error" });
    expect(read(`{"type":"error","error":{"name":"MessageAbortedError"}}`).ended).toEqual({
      failed: "MessageAbortedError",
    });
  });

  it("takes nothing for an answer before the last step is complete", () => {
    expect(read(STEP, NOTED).ended).toEqual({ failed: undefined, conversation: SESSION });
    expect(read(STEP, WORKING, TOOL, MORE).ended).toMatchObject({ failed: undefined });
    expect(read(STEP, DONE).ended).toMatchObject({ failed: undefined });
  });

  it("does not mind lines that are not its own", () => {
    expect(read(REJECTED, "{", "[]", '{"type":"text"}', STEP, NOTED, DONE).ended).toMatchObject({
      answer: "NOTED",
    });
  });
});

it("reads the answer to a question from the same lines", () => {
  expect(opencodeHeadless.answered([STEP, NOTED, DONE, ""].join("\n"))).toEqual({
    answer: "NOTED",
    usd: 0.000105,
  });
  expect(opencodeHeadless.answered(ERROR)).toBeUndefined();
});
