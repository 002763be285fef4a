import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Database, loadDriver } from "../../system/sqlite-driver.ts";
import { transcripts } from "../transcripts/transcripts.ts";
import { opencode } from "./program.ts";

const SESSION = "ses_e148d5031ffe57ak6Dye5WaH9e";
const NOON = Date.UTC(2026, 10, 17, 12);

let folder: string;
let database: Database;
let path: string;
let messages: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "bh-opencode-"));
  const file = join(folder, "opencode.db");
  path = `${file}#${SESSION}`;
  messages = 0;
  database = (await loadDriver())(file, { busyTimeoutMs: 1_000 });
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text);`);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const idOf = (message: number) => `msg_${String(message).padStart(4, "0")}`;

function put(data: object, parts: readonly object[], session = SESSION): string {
  messages += 1;
  const id = idOf(messages);
  const at = NOON + messages * 1_000;
  database
    .prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)")
    .run(id, session, at, at, JSON.stringify(data));
  for (const [index, part] of parts.entries())
    database
      .prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)")
      .run(`prt_${id}_${index}`, id, session, at, at, JSON.stringify(part));
  return id;
}
const asked = (text: string) => put({ role: "user" }, [{ type: "text", text }]);
const answered = (parentID: string, text: string, more: object = {}) =>
  put({ role: "assistant", parentID, ...more }, [{ type: "step-start" }, { type: "text", text }]);

const read = transcripts([opencode]);
const find = (text: string, since = NOON) =>
  read.find(
    "opencode",
    { sessionId: "1", agentPid: 1, transcriptPath: path },
    { token: "#abc]", carriedBy: (found) => (found === text ? "alone" : "absent") },
    since,
  );
const OURS = "[message from: a #abc] hello";

describe("a prompt", () => {
  it("is a turn once an answer names it, or a later one", async () => {
    expect(await find(OURS)).toEqual({ kind: "absent" });
    asked(OURS);
    expect(await find(OURS)).toEqual({ kind: "found", as: "queued" });
    const later = asked("and this");
    answered(later, "both");
    expect(await find(OURS)).toEqual({ kind: "found", as: "turn" });
  });

  it("is not read by a summary of what came before", async () => {
    const id = asked(OURS);
    answered(id, "so far", { summary: true });
    expect(await find(OURS)).toEqual({ kind: "found", as: "queued" });
  });

  it("is not there in another conversation, nor before the attempt", async () => {
    put({ role: "user" }, [{ type: "text", text: OURS }], "ses_other");
    expect(await find(OURS)).toEqual({ kind: "absent" });
    asked(OURS);
    expect(await find(OURS, NOON + 3_600_000)).toEqual({ kind: "absent" });
  });

  it("is none of what OpenCode adds to it", async () => {
    put({ role: "user" }, [{ type: "text", text: OURS, synthetic: true }]);
    expect(await find(OURS)).toEqual({ kind: "absent" });
  });
});

it("tells the conversation in order, with what the agent did", async () => {
  const id = asked("look");
  put({ role: "assistant", parentID: id }, [
    { type: "text", text: "I will." },
    {
      type: "tool",
      callID: "1",
      tool: "bash",
      state: { status: "completed", input: { command: "ls" }, output: "" },
    },
  ]);
  answered(id, "done");
  const said = await read.conversation("opencode", path, 10);
  if (said.kind !== "read") throw new Error(said.why);
  expect(said.utterances.map(({ by, text }) => `${by}: ${text}`)).toEqual([
    "prompt: look",
    "agent: I will.",
    "tool: bash: ls",
    "agent: done",
  ]);
  expect(said.utterances[0]?.at).toBe(NOON + 1_000);
});

it("reads long conversations in pieces, and says when there is more than it may read", async () => {
  for (let turn = 0; turn < 40; turn += 1) answered(asked(`question ${turn}`), `answer ${turn}`);
  const said = await read.conversation("opencode", path, 3);
  expect(said).toMatchObject({ kind: "read", more: true });
  const all = await read.conversation("opencode", path, 1_000);
  expect(all).toMatchObject({ kind: "read", more: false });
  if (all.kind === "read") expect(all.utterances).toHaveLength(80);
  const little = transcripts([opencode], { bytes: 500, slackMs: 0, disorderMs: 0 });
  expect(await little.conversation("opencode", path, 1_000)).toMatchObject({ kind: "read", more: true });
});

it("shows which file a tool has opened", async () => {
  put({ role: "assistant", parentID: idOf(0) }, [
    {
      type: "tool",
      callID: "1",
      tool: "read",
      state: { status: "completed", input: { filePath: "/m/1.txt" }, output: "00001| the text" },
    },
  ]);
  const facts = { sessionId: "1", agentPid: 1, transcriptPath: path };
  const sought = (file: string) => [
    { id: "a", files: [file], shows: (text: string) => text.includes("the text") },
  ];
  expect(await read.opened("opencode", facts, sought("/m/1.txt"), NOON)).toEqual(new Set(["a"]));
  expect(await read.opened("opencode", facts, sought("/m/2.txt"), NOON)).toEqual(new Set());
});

it("does not read a database that is gone", async () => {
  asked(OURS);
  expect(await find(OURS)).toMatchObject({ kind: "found" });
  renameSync(join(folder, "opencode.db"), join(folder, "another"));
  expect(await find(OURS)).toMatchObject({ kind: "unreadable" });
});

it("can be read again after garbage was collected", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  asked(OURS);
  for (let round = 0; round < 3; round += 1) {
    expect(await find(OURS)).toMatchObject({ kind: "found" });
    collect();
  }
});

it.each(["/nowhere/opencode.db#ses_1", "opencode.db#ses_1", "/tmp", "/dev/null#ses_1"])(
  "cannot read %s",
  async (where) => {
    expect(await read.conversation("opencode", where, 1)).toMatchObject({ kind: "unreadable" });
  },
);
