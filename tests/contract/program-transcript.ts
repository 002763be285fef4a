/** Session files are written by another program: no line, whatever it contains, makes a reader fail. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { PROGRAMS } from "../../src/programs/index.ts";
import type { Program } from "../../src/programs/program.ts";
import { transcripts } from "../../src/programs/transcripts/transcripts.ts";

/** Field names of such lines, so that a reader gets past its first check. */
const NAMES = [
  ...["type", "message", "content", "role", "timestamp", "isSidechain", "isMeta", "attachment", "prompt"],
  ...["operation", "reason", "payload", "item", "call_id", "output", "name", "input", "arguments", "action"],
  ...["parts", "text", "tool", "state", "callID", "status", "read", "synthetic"],
];
const VALUES = [
  ...["user", "assistant", "attachment", "queued_command", "queue-operation", "enqueue", "remove", "text"],
  ...["tool_use", "tool_result", "event_msg", "user_message", "item_completed", "UserMessage", "message"],
  ...["response_item", "function_call", "function_call_output", "custom_tool_call", "local_shell_call"],
];
const { line } = fc.letrec((tie) => ({
  line: fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 6 }),
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(...VALUES),
    fc.jsonValue(),
    fc.array(tie("line"), { maxLength: 3 }),
    tie("line"),
  ),
}));

export function programTranscriptContract({ name, transcript }: Program): void {
  if (transcript === undefined) {
    it("are not read", async () => {
      expect(await transcripts(PROGRAMS).conversation(name, "/dev/null", 1)).toMatchObject({
        kind: "unreadable",
      });
    });
    return;
  }

  it("have no line that makes a reader fail", () => {
    fc.assert(
      fc.property(line, (fields) => {
        const read = fields as Readonly<Record<string, unknown>>;
        for (const text of transcript.prompt(read)?.texts ?? []) expect(typeof text).toBe("string");
        for (const { text } of transcript.talk(read)) expect(typeof text).toBe("string");
        for (const sign of transcript.tools(read)) expect(typeof sign.id).toBe("string");
      }),
    );
  });

  it("say nothing of a text that they do not hold", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bh-session-file-"));
    try {
      const path = join(folder, "session.jsonl");
      writeFileSync(path, `${JSON.stringify({ type: "user", timestamp: new Date(0).toISOString() })}\n`);
      const facts = { sessionId: "1", agentPid: 1, transcriptPath: path };
      const sought = { token: "#aaaaaa]", carriedBy: () => "alone" as const };
      const read = transcripts(PROGRAMS);
      if (transcript.lines !== undefined) {
        expect(await read.find(name, facts, sought, 1)).toMatchObject({ kind: "unreadable" });
        expect(await read.conversation(name, path, 10)).toMatchObject({ kind: "unreadable" });
        return;
      }
      expect(await read.find(name, facts, sought, 1)).toEqual({ kind: "absent" });
      expect(await read.conversation(name, path, 10)).toMatchObject({ kind: "read", utterances: [] });
      expect((await read.opened(name, facts, [{ id: "a", files: ["/a"], shows: () => true }], 1)).size).toBe(
        0,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
