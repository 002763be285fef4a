import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PROGRAMS } from "../../index.ts";
import { transcripts } from "../../transcripts/transcripts.ts";

const AT = Date.parse("2026-11-17T21:35:00.000Z");
const time = (second: number) => new Date(AT + second * 1_000).toISOString();

// As release 0.61.0 wrote them, shortened.
const CONTEXT = { text: "<session_context>\nThis is the Gemini CLI.\n</session_context>" };
const start = { sessionId: "fdc667cf", startTime: time(0), kind: "main" };
const context = { $set: { messages: [{ id: "c", timestamp: time(0), type: "user", content: [CONTEXT] }] } };
const prompt = (id: string, second: number, text: string) => ({
  id,
  timestamp: time(second),
  type: "user",
  content: [{ text }],
});
const answer = (id: string, second: number, content: unknown, more: object = {}) => ({
  id,
  timestamp: time(second),
  type: "gemini",
  content,
  ...more,
});
const told = (second: number, type: string, content: string) => ({
  id: `${type}${second}`,
  timestamp: time(second),
  type,
  content,
});
const CALL = {
  id: "run_1",
  name: "run_shell_command",
  args: { command: "cat /home/dev/.bellhop/messages/coder/a.md" },
  result: [{ functionResponse: { id: "run_1", response: { output: "Output: the long text" } } }],
  status: "success",
};

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-gemini-"));
  file = join(folder, "session.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (...lines: readonly object[]) =>
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const facts = () => ({ sessionId: "1", agentPid: 1, transcriptPath: file });
const read = transcripts(PROGRAMS);
const talk = async () => {
  const reading = await read.conversation("gemini", file, 50);
  return reading.kind === "read" ? reading.utterances.map(({ by, text }) => `${by}: ${text}`) : reading;
};
const endedAt = (second: number) => read.ending("gemini", file, AT + second * 1_000);

describe("a session file of Gemini CLI", () => {
  it("shows each answer once, although it is written again when its tools have run", async () => {
    put(
      start,
      context,
      prompt("p1", 1, "look"),
      answer("a1", 2, "I look."),
      answer("a1", 2, "I look.", { toolCalls: [CALL] }),
      { id: "r", timestamp: time(3), type: "user", content: [{ functionResponse: { id: "run_1" } }] },
      answer("a2", 4, "Done."),
    );
    expect(await talk()).toEqual([
      "prompt: look",
      "agent: I look.",
      "tool: run_shell_command: cat /home/dev/.bellhop/messages/coder/a.md",
      "agent: Done.",
    ]);
  });

  it("begins anew where the whole conversation is stated anew", async () => {
    put(
      start,
      context,
      prompt("p1", 1, "stay"),
      answer("a1", 2, "Yes."),
      prompt("p2", 3, "stopped"),
      told(4, "info", "Request cancelled."),
      {
        $set: {
          messages: [
            { ...prompt("p1", 1, "stay"), content: [CONTEXT, { text: "stay" }] },
            answer("a1", 2, [{ text: "Yes." }]),
          ],
        },
      },
      prompt("p3", 5, "go on"),
    );
    expect(await talk()).toEqual(["prompt: stay", "agent: Yes.", "prompt: go on"]);
  });

  it("proves a prompt, and neither a hook's words nor a restated line", async () => {
    const find = (token: string) =>
      read.find(
        "gemini",
        facts(),
        { token, carriedBy: (text) => (text.includes(token) ? "alone" : "absent") },
        AT,
      );
    put(
      start,
      context,
      prompt("h", 1, "<hook_context>about #aaaaaa]</hook_context>"),
      prompt("p", 2, "[message from: dev #bbbbbb] hello"),
      { $set: { messages: [prompt("q", 3, "[message from: dev #cccccc] old")] } },
    );
    expect(await find("#aaaaaa]")).toEqual({ kind: "absent" });
    expect(await find("#bbbbbb]")).toEqual({ kind: "found", as: "turn" });
    expect(await find("#cccccc]")).toEqual({ kind: "absent" });
  });

  it("reads what our hooks added to a tool's result, however many tags the result has", async () => {
    const result = (second: number, output: string) => ({
      ...prompt(`r${second}`, second, ""),
      content: [{ functionResponse: { id: "run_1", response: { output } } }],
    });
    const added = "<hook_context>[message from: dev #dddddd] &lt;b&gt;</hook_context>";
    const sought = {
      token: "#dddddd]",
      carriedBy: (text: string) => (text.endsWith("] <b>") ? "alone" : "absent") as "alone" | "absent",
    };
    put(start, result(1, `<hook_context>theirs</hook_context>${added}`));
    expect(await read.find("gemini", facts(), sought, AT)).toEqual({ kind: "found", as: "turn" });
    put(start, result(1, `#dddddd] ${"<hook_context>".repeat(100_000)}`));
    expect(await read.find("gemini", facts(), sought, AT)).toEqual({ kind: "absent" });
  });

  it("tells which file a tool has shown", async () => {
    put(start, prompt("p", 1, "read"), answer("a", 2, "", { toolCalls: [CALL] }));
    const sought = (path: string) => [
      { id: "m", files: [path], shows: (text: string) => text.includes("the long text") },
    ];
    const opened = async (path: string) => [...(await read.opened("gemini", facts(), sought(path), AT))];
    expect(await opened("/home/dev/.bellhop/messages/coder/a.md")).toEqual(["m"]);
    expect(await opened("/home/dev/.bellhop/messages/coder/b.md")).toEqual([]);
  });

  it("tells a turn that ended from one that was stopped, failed, or got no answer", async () => {
    put(start, prompt("p", 1, "x"), answer("a", 2, "Yes."), prompt("q", 3, "y"), told(4, "info", "Other."));
    expect(await endedAt(2)).toBe("whole");
    expect(await endedAt(5)).toBe("broken");
    put(start, prompt("p", 1, "x"), answer("a", 2, "I"), told(3, "info", "Request cancelled."));
    expect(await endedAt(3)).toBe("broken");
    put(
      start,
      prompt("p", 1, "x"),
      told(2, "error", "[API Error: no]"),
      told(2, "info", "This request failed."),
    );
    expect(await endedAt(3)).toBe("broken");
    put(start);
    expect(await endedAt(3)).toBe("unknown");
    expect(await read.ending("gemini", join(folder, "none"), AT)).toBe("unknown");
    expect(await read.ending("claude", file, AT)).toBe("as-told");
  });
});
