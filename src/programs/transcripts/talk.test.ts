import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PROGRAMS } from "../index.ts";
import { TRANSCRIPT_LIMITS, transcripts } from "./transcripts.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-talk-"));
  file = join(folder, "session.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const AT = Date.parse("2026-11-16T08:00:00.000Z");

function put(...lines: readonly (object | string)[]): void {
  const timed = lines.map((line, index) =>
    typeof line === "string"
      ? line
      : JSON.stringify({ timestamp: new Date(AT + index * 1_000).toISOString(), ...line }),
  );
  writeFileSync(file, timed.map((line) => `${line}\n`).join(""));
}

async function said(program: string, most = 100, bytes = TRANSCRIPT_LIMITS.bytes) {
  const reading = await transcripts(PROGRAMS, { ...TRANSCRIPT_LIMITS, bytes }).conversation(
    program,
    file,
    most,
  );
  if (reading.kind !== "read") throw new Error(reading.why);
  return reading;
}

const words = async (program: string, most?: number) =>
  (await said(program, most)).utterances.map(({ by, text }) => `${by}: ${text}`);

const user = (content: unknown, more = {}) => ({ type: "user", message: { role: "user", content }, ...more });
const agent = (...content: readonly object[]) => ({
  type: "assistant",
  message: { role: "assistant", content },
});

describe("the conversation in a session file of Claude Code", () => {
  it("is what was typed, answered and done, in this order", async () => {
    put(
      { type: "permission-mode", permissionMode: "default" },
      { type: "attachment", attachment: { type: "hook_additional_context", content: ["Bellhop …"] } },
      user("[message from: dev #m7k2q9] run the tests"),
      agent({ type: "thinking", thinking: "hm" }),
      agent({ type: "tool_use", name: "Bash", input: { command: "npm  test\n", description: "Runs them" } }),
      user([{ type: "tool_result", content: "ok", tool_use_id: "t" }]),
      agent({ type: "text", text: "All green.\n" }),
      user([{ type: "text", text: "thanks" }, { type: "image" }]),
    );
    expect(await words("claude")).toEqual([
      "prompt: [message from: dev #m7k2q9] run the tests",
      "tool: Bash: npm test",
      "agent: All green.",
      "prompt: thanks",
    ]);
    expect((await said("claude")).utterances[0]?.at).toBe(AT + 2_000);
  });

  it("goes by the time, where a short answer was written down before its prompt", async () => {
    put(
      { ...agent({ type: "text", text: "ACK" }), timestamp: new Date(AT + 9_000).toISOString() },
      user("hello"),
    );
    expect(await words("claude")).toEqual(["prompt: hello", "agent: ACK"]);
  });

  it("leaves out what sub-agents say and what the program tells itself; a message of its inbox stays", async () => {
    put(
      user("go", { isSidechain: true }),
      user("Caveat: …", { isMeta: true }),
      user("Another session sent: hello", { isMeta: true, origin: { kind: "peer" } }),
      user("a summary", { isCompactSummary: true }),
      { ...agent({ type: "text", text: "inside" }), isSidechain: true },
      { type: "queue-operation", operation: "enqueue", content: "later" },
      { type: "attachment", attachment: { type: "queued_command", prompt: "later" } },
    );
    expect(await words("claude")).toEqual(["prompt: Another session sent: hello", "prompt: later"]);
  });

  it("ends at what was asked for, and says that more is there", async () => {
    put(...[1, 2, 3, 4].map((each) => user(`prompt ${each}`)));
    const reading = await said("claude", 2);
    expect(reading.utterances.map(({ text }) => text)).toEqual(["prompt 3", "prompt 4"]);
    expect(reading.more).toBe(true);
    expect((await said("claude", 4)).more).toBe(false);
  });

  it("goes back no further than it may read, and says so", async () => {
    put(user("old"), user("x".repeat(2_000)), user("new"));
    const reading = await said("claude", 100, 1_000);
    expect(reading).toMatchObject({ utterances: [{ text: "new" }], more: true });
  });

  it("reads on over a broken line, and cuts what is very long", async () => {
    put(user("first"), '{"type":"user","message":', user("y".repeat(40_000)), '{"half');
    const { utterances } = await said("claude");
    expect(utterances.map(({ text, cut }) => [text.length, cut])).toEqual([
      [5, undefined],
      [32_768, true],
    ]);
  });
});

describe("the conversation in a session file of Codex", () => {
  const event = (payload: object) => ({ type: "event_msg", payload });
  const item = (payload: object) => ({ type: "response_item", payload });
  const prompt = (text: string) => ({ type: "UserMessage", content: [{ type: "text", text }] });
  const answer = (text: string) =>
    item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });

  it("is what was typed, answered and done, each once", async () => {
    put(
      item({
        type: "message",
        role: "user",
        content: [{ type: "input_text", text: "<environment_context>" }],
      }),
      item({ type: "message", role: "user", content: [{ type: "input_text", text: "touch it" }] }),
      event({ type: "item_completed", item: prompt("touch it") }),
      event({
        type: "item_completed",
        item: { type: "AgentMessage", content: [{ type: "Text", text: "I do." }] },
      }),
      answer("I do."),
      item({ type: "function_call", name: "exec_command", arguments: '{"cmd":"touch it","workdir":"/"}' }),
      item({ type: "function_call_output", output: "done" }),
      item({ type: "local_shell_call", action: { type: "exec", command: ["bash", "-lc", "ls"] } }),
      item({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch" }),
      answer("Done."),
    );
    expect(await words("codex")).toEqual([
      "prompt: touch it",
      "agent: I do.",
      "tool: exec_command: touch it",
      "tool: shell: bash -lc ls",
      "tool: apply_patch: *** Begin Patch",
      "agent: Done.",
    ]);
  });

  it("has a prompt once where a version writes it twice", async () => {
    put(
      event({ type: "user_message", message: "hi" }),
      event({ type: "item_completed", item: prompt("hi") }),
    );
    expect(await words("codex")).toEqual(["prompt: hi"]);
  });
});

it("cannot be read of other programs, without a path, or of what is no file", async () => {
  const read = (program: string, path: string | undefined) =>
    transcripts(PROGRAMS).conversation(program, path, 10);
  expect(await read("gemini", file)).toMatchObject({ kind: "unreadable" });
  expect(await read("claude", undefined)).toMatchObject({ kind: "unreadable" });
  expect(await read("claude", file)).toMatchObject({
    kind: "unreadable",
    why: expect.stringContaining("ENOENT"),
  });
  expect(await read("claude", folder)).toMatchObject({ kind: "unreadable" });
});
