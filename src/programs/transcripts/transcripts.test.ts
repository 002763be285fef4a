import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { carriedByTurn, essence } from "../../core/text/whole-prompt.ts";
import type { SoughtPrompt } from "../../ports/transcript.ts";
import { PROGRAMS } from "../index.ts";
import { linesBackwards } from "./lines-backwards.ts";
import { TRANSCRIPT_LIMITS, transcripts } from "./transcripts.ts";

const TOKEN = "#m7k2q9]";
const BODY = `[message from: coder (08bc57cf) ${TOKEN} how is it going?\n— from session 08bc57cf. To reply: …`;
const SINCE = Date.parse("2026-11-15T03:00:00.000Z");

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-transcript-"));
  file = join(folder, "session.jsonl");
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function at(seconds: number): string {
  return new Date(SINCE + seconds * 1000).toISOString();
}

function put(...lines: readonly (object | string)[]): void {
  writeFileSync(
    file,
    lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
  );
}

function find(program = "claude", limits = {}) {
  const facts = { sessionId: "1", agentPid: 1, transcriptPath: file };
  return transcripts(PROGRAMS, { ...TRANSCRIPT_LIMITS, ...limits }).find(program, facts, NATIVE, SINCE);
}

function findTyped(wasBusy: boolean, program = "claude") {
  const facts = { sessionId: "1", agentPid: 1, transcriptPath: file };
  return transcripts(PROGRAMS).find(program, facts, sought("paste", wasBusy), SINCE);
}

/** Uses the text itself as its digest. */
function sought(transport: "paste" | "native", wasBusy: boolean): SoughtPrompt {
  const attempt = { transport, token: TOKEN, promptDigest: BODY, composerDigest: essence(BODY), wasBusy };
  return { token: TOKEN, carriedBy: (text) => carriedByTurn(text, attempt, (each) => each) };
}
const NATIVE = sought("native", false);

const typed = (content: unknown, seconds = 1, more = {}) => ({
  type: "user",
  message: { role: "user", content },
  timestamp: at(seconds),
  ...more,
});
const old = typed("long ago", -3600);

describe("the session file of Claude Code", () => {
  it("shows a turn that was typed", async () => {
    put(old, typed(BODY));
    expect(await find()).toEqual({ kind: "found", as: "turn" });
  });

  it("shows a turn that came by its inbox, wrapped as it is", async () => {
    const origin = { kind: "peer", from: "unknown", verifiedPeerPid: 3252 };
    put(
      old,
      typed(`Another Claude session sent a message:\n${BODY}\n\nThis came from …`, 1, {
        isMeta: true,
        origin,
      }),
    );
    expect(await find()).toEqual({ kind: "found", as: "turn" });
  });

  it("shows text that waits in its queue, until it is read", async () => {
    const enqueued = { type: "queue-operation", operation: "enqueue", timestamp: at(1), content: BODY };
    put(old, enqueued);
    expect(await find()).toEqual({ kind: "found", as: "queued" });
    const absorbed = { ...enqueued, operation: "remove", reason: "absorbed_mid_turn" };
    const attachment = {
      type: "attachment",
      attachment: { type: "queued_command", prompt: BODY },
      timestamp: at(2),
    };
    put(old, enqueued, absorbed);
    expect(await find()).toEqual({ kind: "found", as: "turn" });
    put(old, enqueued, attachment);
    expect(await find()).toEqual({ kind: "found", as: "turn" });
    put(old, enqueued, { type: "queue-operation", operation: "dequeue", timestamp: at(2) }, typed(BODY, 3));
    expect(await find()).toEqual({ kind: "found", as: "turn" });
  });

  it("shows what our hook added, in the answer to either of its events", async () => {
    const added = (content: readonly string[], more = {}) => ({
      type: "attachment",
      attachment: { type: "hook_additional_context", content, hookName: "Stop", hookEvent: "Stop" },
      timestamp: at(1),
      ...more,
    });
    put(old, added([`\n${BODY}`]));
    expect(await find()).toEqual({ kind: "found", as: "turn" });
    put(old, added(["a person's own hook", `as in ${TOKEN}`]));
    expect(await find()).toEqual({ kind: "absent" });
    put(old, added([BODY], { isSidechain: true }));
    expect(await find()).toEqual({ kind: "absent" });
    put(old, typed(`Stop hook feedback:\n${BODY}`, 1, { isMeta: true }));
    expect(await find()).toEqual({ kind: "found", as: "turn" });
  });

  it("is not taken in by what a hook printed and the program did not take", async () => {
    const attachment = { type: "hook_non_blocking_error", hookName: "Stop", stderr: BODY };
    put(old, { type: "attachment", attachment, timestamp: at(1) });
    expect(await find()).toEqual({ kind: "absent" });
    const printed = { type: "hook_success", stdout: BODY, content: "" };
    put(old, { type: "attachment", attachment: printed, timestamp: at(1) });
    expect(await find()).toEqual({ kind: "absent" });
  });

  it("proves nothing when somebody took the text out of the queue", async () => {
    const enqueued = { type: "queue-operation", operation: "enqueue", timestamp: at(1), content: BODY };
    put(old, enqueued, { ...enqueued, operation: "remove", reason: "popped" });
    expect(await find()).toMatchObject({ kind: "unreadable" });
  });

  it.each([
    ["a tool's output", typed([{ type: "tool_result", content: BODY }])],
    [
      "an answer",
      { type: "assistant", message: { content: [{ type: "text", text: BODY }] }, timestamp: at(1) },
    ],
    ["a sub-agent", typed(BODY, 1, { isSidechain: true })],
    ["a summary", typed(BODY, 1, { isCompactSummary: true })],
    ["a text that only mentions it", typed(`see ${TOKEN} above`)],
    ["an earlier turn", typed(BODY, -10)],
  ])("is not taken in by %s", async (_, line) => {
    put(old, line);
    expect(await find()).toEqual({ kind: "absent" });
  });

  it("takes text blocks, and a turn noted just before our own clock", async () => {
    put(typed([{ type: "text", text: BODY }], -1));
    expect(await find()).toEqual({ kind: "found", as: "turn" });
  });

  it("is read over lines that are a little out of order", async () => {
    put(old, typed(BODY), typed("other", -30));
    expect(await find()).toEqual({ kind: "found", as: "turn" });
  });
});

describe("a typed prompt in a session file", () => {
  const glued = typed(`my half-typed idea${BODY}`);

  it("is found whole, whatever white space became of", async () => {
    put(old, typed(`${BODY.replaceAll("\n", "\u2028")}  `));
    expect(await findTyped(false)).toEqual({ kind: "found", as: "turn" });
  });

  it.each([
    ["before it", `my half-typed idea${BODY}`],
    ["in lines before it", `my half-typed idea\n${BODY}`],
    ["behind it", `${BODY} and my idea`],
    ["in lines behind it", `${BODY}\nand my idea`],
  ])("is mixed with other text %s", async (_, text) => {
    put(old, typed(text));
    expect(await findTyped(false)).toEqual({ kind: "mixed" });
  });

  it("is whole where it was also quoted since, and where an editor added a piece of its own", async () => {
    put(old, typed(BODY), typed(`what of this? ${BODY}`, 2));
    expect(await findTyped(false)).toEqual({ kind: "found", as: "turn" });
    put(
      old,
      typed([
        { type: "text", text: "<ide_opened_file>a.ts</ide_opened_file>" },
        { type: "text", text: BODY },
      ]),
    );
    expect(await findTyped(false)).toEqual({ kind: "found", as: "turn" });
  });

  it("is whole in a turn that a busy program made of its queue, but not glued to a word", async () => {
    put(old, typed(`first of the queue\n${BODY}`));
    expect(await findTyped(true)).toEqual({ kind: "found", as: "turn" });
    put(old, glued);
    expect(await findTyped(true)).toEqual({ kind: "mixed" });
  });
});

describe("the session file of Codex", () => {
  const message = (text: string, seconds = 1) => ({
    timestamp: at(seconds),
    type: "event_msg",
    payload: {
      type: "item_completed",
      item: { type: "UserMessage", client_id: "c", content: [{ type: "text", text, text_elements: [] }] },
    },
  });

  it("shows a turn", async () => {
    put(message("long ago", -3600), message(BODY));
    expect(await find("codex")).toEqual({ kind: "found", as: "turn" });
    put({ timestamp: at(1), type: "event_msg", payload: { type: "user_message", message: BODY } });
    expect(await find("codex")).toEqual({ kind: "found", as: "turn" });
  });

  it("shows what our hook added: as instructions after a tool, as a prompt at the end of a turn", async () => {
    const instructions = (text: string) => ({
      timestamp: at(1),
      type: "response_item",
      payload: { type: "message", role: "developer", content: [{ type: "input_text", text }] },
    });
    put(message("long ago", -3600), instructions(BODY));
    expect(await find("codex")).toEqual({ kind: "found", as: "turn" });
    put(message("long ago", -3600), instructions(`as in ${TOKEN}`));
    expect(await find("codex")).toEqual({ kind: "absent" });
    const item = { type: "HookPrompt", id: "m", fragments: [{ text: `\n${BODY}`, hookRunId: "stop:4" }] };
    put({ timestamp: at(1), type: "event_msg", payload: { type: "item_completed", item } });
    expect(await find("codex")).toEqual({ kind: "found", as: "turn" });
  });

  it("is not taken in by what Codex itself tells the model", async () => {
    const content = [{ type: "input_text", text: BODY }];
    put({ timestamp: at(1), type: "response_item", payload: { type: "message", role: "user", content } });
    expect(await find("codex")).toEqual({ kind: "absent" });
  });
});

describe("transcripts", () => {
  it.each([
    ["a file that is not there", () => rmSync(file, { force: true })],
    ["a folder", () => (file = folder)],
    ["a line that is no JSON", () => put(old, "{nonsense", typed("x"))],
  ])("says that %s is unreadable", async (_, prepare) => {
    put(old);
    prepare();
    expect(await find()).toMatchObject({ kind: "unreadable" });
  });

  it("says so when the program or its file is not known", async () => {
    expect(await find("vim")).toMatchObject({ kind: "unreadable" });
    const facts = { sessionId: "1", agentPid: 1 };
    expect(await transcripts(PROGRAMS).find("claude", facts, NATIVE, SINCE)).toMatchObject({
      kind: "unreadable",
    });
  });

  it("does not mind a last line that is being written, unless it may be the one", async () => {
    put(old, typed("x"));
    appendFileSync(file, '{"type":"user","mess');
    expect(await find()).toEqual({ kind: "absent" });
    put(old);
    appendFileSync(file, JSON.stringify(typed(BODY)));
    expect(await find()).toMatchObject({ kind: "unreadable" });
  });

  it("knows an absence only when it has read everything since", async () => {
    put(old, ...Array.from({ length: 100 }, () => typed("x".repeat(100))));
    expect(await find("claude", { bytes: 5_000 })).toMatchObject({ kind: "unreadable" });
    expect(await find("claude", { bytes: 50_000 })).toEqual({ kind: "absent" });
  });

  it("reads no further back than it must", async () => {
    put("x".repeat(10_000), old, typed("y"));
    expect(await find("claude", { bytes: 5_000 })).toEqual({ kind: "absent" });
  });

  it("has nothing in an empty file", async () => {
    put();
    expect(await find()).toEqual({ kind: "absent" });
  });
});

describe("linesBackwards", () => {
  it("gives every line once, across pieces and characters of several bytes", async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `${index} ${"é🙂".repeat(index % 60)}`);
    writeFileSync(file, `${lines.join("\n")}\n`);
    const found: string[] = [];
    for await (const { text, state } of linesBackwards(file, Number.POSITIVE_INFINITY)) {
      if (state === "whole") found.push(text);
    }
    expect(found.toReversed()).toEqual(lines);
  });
});

describe("a text in a file", () => {
  const PATH = "/home/dev/.bellhop/messages/coder/1.md";
  const opened = async (program: string) => {
    const facts = { sessionId: "1", agentPid: 1, transcriptPath: file };
    const sought = [{ id: "d1", files: [PATH], shows: (text: string) => text.includes("how it begins") }];
    return [...(await transcripts(PROGRAMS).opened(program, facts, sought, SINCE))];
  };
  const said = (content: unknown, more = {}) => ({
    type: "assistant",
    message: { role: "assistant", content },
    timestamp: at(1),
    ...more,
  });
  const call = { type: "tool_use", id: "t1", name: "Read", input: { file_path: PATH } };
  const answer = { type: "tool_result", tool_use_id: "t1", content: "     1→how it begins" };

  it("was opened where a tool was called with its path and answered with it, whatever the tool", async () => {
    put(said([call]), typed([answer], 2));
    expect(await opened("claude")).toEqual(["d1"]);
    const shell = { ...call, name: "Bash", input: { command: `cat '${PATH}' | head` } };
    put(said([shell]), typed([{ ...answer, content: [{ type: "text", text: "how it begins" }] }], 2));
    expect(await opened("claude")).toEqual(["d1"]);
    expect(await opened("gemini")).toEqual([]);
  });

  it.each([
    ["it was only named", [said([call])]],
    ["it was refused", [said([call]), typed([{ ...answer, is_error: true }], 2)]],
    ["something else was shown", [said([call]), typed([{ ...answer, content: "rm: done" }], 2)]],
    ["another file was opened", [said([{ ...call, input: { file_path: "/x" } }]), typed([answer], 2)]],
    [
      "a sub-agent opened it",
      [said([call], { isSidechain: true }), typed([answer], 2, { isSidechain: true })],
    ],
    ["it was before", [said([call], { timestamp: at(-900) }), typed([answer], -899)]],
  ])("was not opened where %s", async (_, lines) => {
    put(...lines);
    expect(await opened("claude")).toEqual([]);
  });

  it("was opened by a command of Codex", async () => {
    const item = (payload: object) => ({ type: "response_item", payload, timestamp: at(1) });
    const cat = { name: "exec_command", call_id: "c1", arguments: JSON.stringify({ cmd: `cat ${PATH}` }) };
    const output = { call_id: "c1", output: "Process exited with code 0\nhow it begins" };
    put(item({ type: "function_call", ...cat }), item({ type: "function_call_output", ...output }));
    expect(await opened("codex")).toEqual(["d1"]);
    put(
      item({ type: "function_call", ...cat }),
      item({ type: "function_call_output", ...output, call_id: "c2" }),
    );
    expect(await opened("codex")).toEqual([]);
  });

  it("is not known to be open where the file is away or broken", async () => {
    expect(await opened("claude")).toEqual([]);
    put("{broken", said([call]), typed([answer], 2), "not json");
    expect(await opened("claude")).toEqual(["d1"]);
  });
});
