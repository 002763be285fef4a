import { createHmac } from "node:crypto";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BellhopError } from "../../src/core/errors.ts";
import { LIMITS } from "../../src/core/message.ts";
import { startUnixDoor, type UnixDoor } from "../../src/doors/unix.ts";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { ShownReminder } from "../../src/wire/shapes/reminders.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import type { UseCases } from "../../src/wire/shapes.ts";
import {
  buildCommandLine,
  privateHome,
  type Ran,
  type RunOptions,
  run,
  writeStubDaemon,
} from "./built-command-line.ts";
import { noStreams, rememberedLog, type ScriptedUseCases, scriptedUseCases } from "./scripted-use-cases.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const VERSION = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version;

const SENT: SendResponse = {
  messageId: "11111111-2222-4333-8444-555555555555",
  shortId: "m7k2q9",
  unmatched: false,
  deliveries: [
    {
      id: "d-1",
      to: "agent/coder",
      state: "queued",
      hold: { reason: "busy", since: 1, release: "until its turn ends" },
    },
  ],
};
const SESSION: ListedSession = {
  id: "08bc57cf",
  agent: "coder",
  label: "main:0.0",
  program: "claude",
  terminal: { kind: "tmux", server: "/tmp/s", pane: "%1" },
  readiness: "idle",
  queued: 0,
  headline: "fix the tests",
};

let built: ReturnType<typeof buildCommandLine>;
let home: ReturnType<typeof privateHome>;
let door: UnixDoor | undefined;
let script: ScriptedUseCases;

beforeAll(() => {
  built = buildCommandLine();
  writeStubDaemon(built.folder);
});
afterAll(() => built.remove());
beforeEach(() => {
  home = privateHome();
});
afterEach(async () => {
  await door?.close(100);
  door = undefined;
  home.remove();
});

async function serve(answers: Partial<UseCases>, version = VERSION): Promise<void> {
  script = scriptedUseCases(answers);
  door = await startUnixDoor({
    path: join(home.path, "run", "bellhop.sock"),
    streams: noStreams,
    useCases: script.useCases,
    log: rememberedLog(),
    version,
    user: "dev",
    now: () => 1,
  });
}

const bellhop = (args: readonly string[], options?: RunOptions): Promise<Ran> =>
  run([process.execPath, join(built.folder, "bellhop.cjs"), ...args], home.path, options);
const request = () => script.asked.at(-1)?.request as Record<string, unknown>;
const errorOf = ({ stderr }: Ran) => {
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  return (
    JSON.parse(stderr) as { error: { code: string; message: string; next: string; candidates?: string[] } }
  ).error;
};

describe("bellhop send", () => {
  it("says what became of it, to a person and to a script", async () => {
    await serve({ send: async () => SENT });
    expect(await bellhop(["send", "coder", "hello"])).toEqual({
      status: 0,
      stdout: "queued #m7k2q9 for agent/coder (held: busy — until its turn ends)\n",
      stderr: "",
    });
    const scripted = await bellhop(["send", "coder", "hello", "--json"], {
      env: { BELLHOP_SESSION_ID: "08bc57cf", TMUX: "/tmp/t,1,0", TMUX_PANE: "%3", CODEX_THREAD_ID: "x" },
    });
    expect(scripted.stdout).toBe(`${JSON.stringify(SENT)}\n`);
    expect(request()).toMatchObject({
      to: "coder",
      body: "hello",
      claims: {
        session: "08bc57cf",
        programSessions: { CODEX_THREAD_ID: "x" },
        tmux: { socket: "/tmp/t", pane: "%3" },
      },
    });
  });

  it("carries every option", async () => {
    await serve({ send: async () => SENT });
    await bellhop([
      "send",
      "coder",
      "y",
      "--priority",
      "idle-first",
      "--raw",
      "--key",
      "Enter",
      "--key",
      "Up",
      "--from",
      "agent/x",
      "--idempotency-key",
      "k",
      "--require",
      "submitted",
      "--at-most-once",
      "--timeout",
      "5m",
      "--notify-on-delivery",
      "--notify-after",
      "1h30m",
      "--re",
      "#a1b2c3",
    ]);
    expect(request()).toMatchObject({
      body: "y",
      priority: "idle-first",
      raw: true,
      keys: ["Enter", "Up"],
      from: "agent/x",
      idempotencyKey: "k",
      require: "submitted",
      atMostOnce: true,
      timeoutMs: 300_000,
      notifyOnDelivery: true,
      notifyAfterMs: 5_400_000,
      re: "a1b2c3",
    });
    await bellhop(["send", "coder", "y", "--urgent"]);
    expect(request()).toMatchObject({ priority: "interrupt" });
    await bellhop(["send", "coder", "y", "--important"]);
    expect(request()).toMatchObject({ priority: "normal" });
    await bellhop(["send", "coder", "--raw", "--key", "Enter"]);
    expect(request()).toMatchObject({ body: "", raw: true, keys: ["Enter"] });
  });

  it("says when it expires, and takes 0 for never", async () => {
    await serve({ send: async () => SENT, reply: async () => SENT });
    expect((await bellhop(["send", "coder", "x", "--timeout", "90"])).stdout).toBe(
      "queued #m7k2q9 for agent/coder, expires in 1m 30s (held: busy — until its turn ends)\n",
    );
    expect((await bellhop(["reply", "m7k2q9", "x", "--timeout", "0"])).stdout).not.toContain("expires");
    expect(request()).toMatchObject({ timeoutMs: 0 });
  });

  it("takes the text from stdin or a file, less the newline that ends it", async () => {
    await serve({ send: async () => SENT, reply: async () => SENT });
    await bellhop(["send", "coder", "-"], { input: "grüße 👩‍👩‍👧\n\n" });
    expect(request().body).toBe("grüße 👩‍👩‍👧\n");
    const file = join(home.path, "text");
    writeFileSync(file, "from a file\r\n");
    await bellhop(["send", "coder", "--file", file]);
    expect(request().body).toBe("from a file");
    await bellhop(["send", "coder", "--file", "-", "--raw"], { input: "as it is\n" });
    expect(request().body).toBe("as it is\n");
    await bellhop(["reply", "#m7k2q9", "-"], { input: "yes" });
    expect(script.asked.at(-1)).toMatchObject({ verb: "reply", request: { id: "m7k2q9", body: "yes" } });
  });

  it("takes a text that starts with a dash after --", async () => {
    await serve({ send: async () => SENT });
    await bellhop(["send", "coder", "--", "--json is a flag"]);
    expect(request().body).toBe("--json is a flag");
    await bellhop(["send", "--json", "coder", "--", "-"]);
    expect(request().body).toBe("-");
  });

  it("takes a body at the limit and refuses one byte more, before it asks anyone", async () => {
    await serve({ send: async () => SENT });
    expect((await bellhop(["send", "coder", "-"], { input: "x".repeat(LIMITS.bodyBytes) })).status).toBe(0);
    const over = await bellhop(["send", "coder", "-", "--json"], { input: "x".repeat(LIMITS.bodyBytes + 1) });
    expect(over.status).toBe(2);
    expect(errorOf(over)).toMatchObject({
      code: "message.too_large",
      next: expect.stringContaining("--file does not help"),
    });
    const huge = await bellhop(["send", "coder", "-", "--json"], { input: "x".repeat(4 * 1024 * 1024) });
    expect(errorOf(huge).code).toBe("message.too_large");
    expect(script.asked).toHaveLength(1);
  });

  it.each<[string, readonly string[], RunOptions, string, number]>([
    ["no text", ["send", "coder"], {}, "message.empty", 2],
    ["white space", ["send", "coder", " \n\t"], {}, "message.empty", 2],
    ["an empty stdin", ["send", "coder", "-"], { input: "\n" }, "message.empty", 2],
    [
      "bytes that are no UTF-8",
      ["send", "coder", "-"],
      { input: Buffer.from([0x61, 0xff]) },
      "message.invalid_utf8",
      2,
    ],
    ["a file that is not there", ["send", "coder", "--file", "/nowhere/x"], {}, "file.missing", 1],
    ["a folder", ["send", "coder", "--file", "/"], {}, "file.missing", 1],
    ["a text and a file", ["send", "coder", "x", "--file", "y"], {}, "usage.invalid", 2],
    ["too many words", ["send", "coder", "a", "b"], {}, "usage.invalid", 2],
    ["two priorities", ["send", "coder", "x", "--urgent", "--important"], {}, "usage.invalid", 2],
    ["keys without raw", ["send", "coder", "x", "--key", "Enter"], {}, "usage.invalid", 2],
    [
      "a bad length of time",
      ["send", "coder", "x", "--wait", "read", "--wait-timeout", "soon"],
      {},
      "usage.invalid",
      2,
    ],
    ["a time-out without a wait", ["send", "coder", "x", "--wait-timeout", "5s"], {}, "usage.invalid", 2],
    ["a bad time to expire", ["send", "coder", "x", "--timeout", "soon"], {}, "usage.invalid", 2],
    ["a bad time for a notice", ["reply", "a1b2c3", "x", "--notify-after=-1m"], {}, "usage.invalid", 2],
    ["a reminder without a time", ["remind", "look"], {}, "usage.invalid", 2],
    ["a reminder without a text", ["remind", "5m"], {}, "message.empty", 2],
    ["a reminder in the past", ["remind", "look", "--at", "2020-01-01"], {}, "reminder.invalid", 2],
    ["a reminder of nothing", ["remind", "5m", "-"], { input: "\n" }, "message.empty", 2],
    ["a history of no time", ["history", "--from", "then"], {}, "usage.invalid", 2],
    ["an unknown command", ["sned", "coder", "x"], {}, "usage.unknown_command", 2],
  ])("refuses %s, and nothing is asked of the daemon", async (_, args, options, code, status) => {
    await serve({ send: async () => SENT });
    const ran = await bellhop([...args, "--json"], options);
    expect(ran.status).toBe(status);
    expect(ran.stdout).toBe("");
    expect(errorOf(ran)).toMatchObject({ code, next: expect.stringMatching(/./) });
    expect(script.asked).toEqual([]);
  });

  it("refuses an argument that is no UTF-8, where the system shows it", async () => {
    await serve({ send: async () => SENT });
    const line = `"${process.execPath}" "${join(built.folder, "bellhop.cjs")}" send coder $'a\\xffb' --json`;
    const ran = await run(["bash", "-c", line], home.path);
    if (process.platform === "linux") expect(errorOf(ran).code).toBe("message.invalid_utf8");
    const meant = await bellhop(["send", "coder", "a\ufffdb"]);
    expect(meant.status).toBe(0);
  });

  it.each<
    [
      string,
      { state: "read" | "unconfirmed" | "failed"; reached: boolean } | "late",
      number,
      string | undefined,
    ]
  >([
    ["reached or passed", { state: "read", reached: true }, 0, undefined],
    ["unconfirmed", { state: "unconfirmed", reached: false }, 6, "delivery.unconfirmed"],
    ["failed", { state: "failed", reached: false }, 1, "message.failed"],
    ["too late", "late", 7, "wait.timed_out"],
  ])("waits, and tells by its status that it was %s", async (_, outcome, status, code) => {
    const state = outcome === "late" ? "queued" : outcome.state;
    await serve({
      send: async () => SENT,
      wait: async () => {
        if (outcome === "late")
          throw new BellhopError("wait.timed_out", { message: "It is still queued.", next: "Look." });
        return outcome;
      },
      show: async () =>
        ({
          message: {},
          deliveries: [{ id: "d-1", to: "agent/coder", state, attempts: 1, receipts: [] }],
        }) as never,
    });
    const ran = await bellhop([
      "send",
      "coder",
      "x",
      "--wait",
      "delivered",
      "--wait-timeout",
      "1m30s",
      "--json",
    ]);
    expect(ran.status).toBe(status);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      messageId: SENT.messageId,
      deliveries: [{ id: "d-1", to: "agent/coder", state }],
    });
    if (code === undefined) expect(ran.stderr).toBe("");
    else expect(errorOf(ran).code).toBe(code);
    expect(script.asked.find(({ verb }) => verb === "wait")?.request).toEqual({
      id: SENT.messageId,
      state: "delivered",
      timeoutMs: 90_000,
    });
  });

  it("exits 3 when nobody takes it, with the result for the script", async () => {
    await serve({ send: async () => ({ ...SENT, unmatched: true, deliveries: [] }) });
    const ran = await bellhop(["send", "slack/team/x", "hi", "--json"]);
    expect(ran.status).toBe(3);
    expect(JSON.parse(ran.stdout)).toMatchObject({ unmatched: true });
    expect((await bellhop(["send", "slack/team/x", "hi"])).stdout).toContain("dead letters as #m7k2q9");
  });

  it("carries a command, data, and where it was brought from", async () => {
    await serve({ send: async () => SENT, reply: async () => SENT });
    const brought = ["--source", "slack", "--external-id", "17.1", "--from", "slack-bridge"];
    const data = ["--command", "new_message", "--payload", '{"thread_ts":"17.1","__proto__":1}'];
    expect((await bellhop(["send", "slack/team/#general", ...brought, ...data])).status).toBe(0);
    expect(request()).toMatchObject({
      to: "slack/team/#general",
      body: "",
      command: "new_message",
      channel: "slack",
      externalId: "17.1",
      from: "slack-bridge",
    });
    expect(JSON.stringify(request().payload)).toBe('{"thread_ts":"17.1","__proto__":1}');
    await bellhop(["reply", "m7k2q9", "yes", "--payload", "-"], { input: "[1,2]\n" });
    expect(request()).toMatchObject({ body: "yes", payload: [1, 2] });
  });

  it("takes a payload at the limit and refuses one byte more", async () => {
    await serve({ send: async () => SENT });
    const payload = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));
    const words = ["send", "coder", "x", "--payload", "-", "--json"];
    expect((await bellhop(words, { input: payload(LIMITS.bodyBytes) })).status).toBe(0);
    const over = await bellhop(words, { input: payload(LIMITS.bodyBytes + 1) });
    expect(errorOf(over).code).toBe("message.too_large");
    expect(script.asked).toHaveLength(1);
  });
});

describe("bellhop, where messages are routed", () => {
  const SUBSCRIBED = { agent: "coder", subscriptions: [{ pattern: "slack/**", addedAt: 1 }] };
  const ENTRY = {
    message: { shortId: "m7k2q9", from: "agent/web", to: "person/dev", body: "done\x1b[31m" },
    delivery: { to: "person/dev", state: "queued", queuedAt: 1 },
  };
  const AGENT = { name: "coder", createdAt: 1, origin: "added", queued: 0, subscriptions: [], sessions: [] };

  it("sends to everybody", async () => {
    await serve({ send: async () => SENT });
    expect((await bellhop(["broadcast", "-", "--urgent"], { input: "stop\n" })).stdout).toBe(
      "sent #m7k2q9 to 1 agent: coder\n",
    );
    expect(request()).toMatchObject({ to: "agent/**", body: "stop", priority: "interrupt" });
  });

  it("asks for inboxes, subscriptions and dead letters in one way", async () => {
    await serve({
      inbox: async () => ({ who: "person/dev", entries: [ENTRY] }) as never,
      sub_add: async () => SUBSCRIBED,
      sub_remove: async () => SUBSCRIBED,
      sub_list: async () => SUBSCRIBED,
      unmatched: async () => ({ messages: [] }),
      unmatched_clear: async () => ({ cleared: 3 }),
      unmatched_reroute: async () => ({ rerouted: 2, left: 1 }),
    });
    const claims = { user: "dev" };
    expect((await bellhop(["inbox"])).stdout).toMatch(/#m7k2q9 +agent\/web +person\/dev .* done\n$/);
    expect(request()).toEqual({ claims });
    await bellhop(["inbox", "coder", "--take", "--limit", "3"]);
    expect(request()).toEqual({ who: "coder", take: true, limit: 3, claims });
    expect(JSON.parse((await bellhop(["inbox", "--json"])).stdout)).toEqual([ENTRY]);
    expect((await bellhop(["sub", "add", "coder", "slack/**", "--session", "s"])).status).toBe(0);
    expect(request()).toEqual({ agent: "coder", pattern: "slack/**", session: "s", claims });
    expect(JSON.parse((await bellhop(["sub", "remove", "coder", "x", "--json"])).stdout)).toEqual(SUBSCRIBED);
    await bellhop(["sub", "list", "coder"]);
    expect(script.asked.at(-1)).toEqual({ verb: "sub_list", request: { agent: "coder", claims } });
    expect((await bellhop(["unmatched", "--limit", "7"])).stdout).toBe("There are no dead letters.\n");
    expect(request()).toEqual({ limit: 7 });
    expect((await bellhop(["unmatched", "clear", "--json"])).stdout).toBe('{"cleared":3}\n');
    expect((await bellhop(["unmatched", "reroute", "--json"])).stdout).toBe('{"rerouted":2,"left":1}\n');
  });

  it("makes an agent with what it hears, or nothing at all", async () => {
    await serve({
      agent_add: async () => AGENT as never,
      agent_show: async () => AGENT as never,
      sub_add: async () => SUBSCRIBED,
      session_add: async () => ({ agent: "coder", name: "s", sessionId: "08bc57cf" }),
    });
    const words = ["agent", "add", "coder", "--subscribe", "slack/**", "--session", "s"];
    expect((await bellhop(words)).stdout).toBe("agent/coder has a mailbox\n");
    expect(script.asked.map(({ verb }) => verb)).toEqual([
      "agent_add",
      "sub_add",
      "session_add",
      "agent_show",
    ]);
    expect((await bellhop([...words, "--subscribe", "a/**/b/**/c/**"])).status).toBe(2);
    expect(script.asked).toHaveLength(4);
  });

  it("prints an agent's own token, made of the owner's", async () => {
    await serve({ agent_show: async () => AGENT as never });
    const owner = "ab".repeat(32);
    writeFileSync(join(home.path, "token"), owner, { mode: 0o600 });
    const seal = createHmac("sha256", owner).update("agent:coder").digest("hex");
    expect((await bellhop(["agent", "token", "coder"])).stdout).toBe(`coder.${seal}\n`);
  });

  it.each<[string, readonly string[], RunOptions, string]>([
    ["a payload that is no JSON", ["send", "coder", "--payload", "{a:1}"], {}, "usage.invalid"],
    [
      "bytes that are no UTF-8",
      ["send", "coder", "--payload", "-"],
      { input: Buffer.from([0x22, 0xff, 0x22]) },
      "message.invalid_utf8",
    ],
    ["a payload of NUL", ["send", "coder", "--payload", "-"], { input: "\0" }, "usage.invalid"],
    [
      "a bottomless payload",
      ["send", "coder", "--payload", "-"],
      { input: "[".repeat(200_000) },
      "usage.invalid",
    ],
    [
      "a huge payload",
      ["broadcast", "--payload", "-"],
      { input: `"${"x".repeat(4 * 1024 * 1024)}"` },
      "message.too_large",
    ],
    ["two readers of stdin", ["send", "coder", "-", "--payload", "-"], { input: "1" }, "usage.invalid"],
    ["a value for a flag", ["inbox", "--take=yes"], {}, "usage.invalid"],
    ["no agent to listen to", ["listen", "--consume"], {}, "usage.invalid"],
    ["a pattern and nobody", ["sub", "add", "slack/**"], {}, "usage.invalid"],
    ["words that are no limit", ["unmatched", "--limit", "ten"], {}, "usage.invalid"],
    ["a recipient of dead letters", ["export", "coder", "--unmatched"], {}, "usage.invalid"],
    ["a session that cannot be", ["agent", "add", "coder", "--session", "a b"], {}, "name.invalid"],
  ])("refuses %s, and nothing is asked of the daemon", async (_, args, options, code) => {
    await serve({});
    const ran = await bellhop([...args, "--json"], options);
    expect(ran.status).toBe(2);
    expect(ran.stdout).toBe("");
    expect(errorOf(ran).code).toBe(code);
    expect(script.asked).toEqual([]);
  });

  describe("export", () => {
    const TEXT = "x".repeat(2_000);
    const pages = (total: number): Partial<UseCases> => ({
      export: async ({ after = 0, limit = 1 }) => {
        const end = Math.min(total, after + limit);
        const entries = Array.from({ length: end - after }, (_, index) => ({
          message: { id: String(after + index), body: TEXT },
        }));
        return { entries, ...(end < total ? { next: end } : {}) } as never;
      },
    });

    it("holds far more than fits into memory at once", async () => {
      await serve(pages(60_000));
      const ran = await bellhop(["export"], { env: { NODE_OPTIONS: "--max-old-space-size=40" } });
      expect(ran.stderr).toBe("");
      expect(ran.status).toBe(0);
      const lines = ran.stdout.trimEnd().split("\n");
      expect(lines).toHaveLength(60_000);
      expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ message: { id: "59999", body: TEXT } });
      expect(ran.stdout.length).toBeGreaterThan(2 * 40 * 1024 * 1024);
    });

    it("gets past messages that are too many for one answer", async () => {
      const long = "\x01".repeat(LIMITS.bodyBytes);
      await serve({
        export: async ({ after = 0, limit = 1 }) => {
          const entries = Array.from({ length: Math.min(limit, 50 - after) }, (_, index) => ({
            message: { id: String(after + index), body: long },
          }));
          const next = after + entries.length;
          return { entries, ...(next < 50 ? { next } : {}) } as never;
        },
      });
      const file = join(home.path, "out.jsonl");
      const ran = await bellhop(["export", "--output", file, "--json"]);
      expect(ran).toMatchObject({
        status: 0,
        stdout: `${JSON.stringify({ file, entries: 50 })}\n`,
        stderr: "",
      });
      const ids = readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => Number((JSON.parse(line) as { message: { id: string } }).message.id));
      expect(ids).toEqual(Array.from({ length: 50 }, (_, index) => index));
    });

    it("asks for no more pages when its reader leaves, and says nothing", async () => {
      await serve(pages(1_000_000));
      const ran = await bellhop(["export", "--jsonl"], { hangUp: "early" });
      expect(ran).toMatchObject({ status: 0, stderr: "" });
      expect(script.asked.length).toBeLessThan(100);
    });
  });
});

describe("bellhop remind", () => {
  const REMINDER: ShownReminder = {
    id: "k3x9a2",
    to: "agent/coder",
    sessionId: "08bc57cf",
    text: "look",
    setBy: "person/dev",
    dueAt: Date.UTC(2126, 11, 24, 9),
    everyMs: 86_400_000,
    createdAt: 1,
    fired: 0,
  };

  it("sets a reminder under both its names, in the zone of whoever asks", async () => {
    await serve({ remind: async () => REMINDER });
    const shown = await bellhop(
      ["remind", "look", "--at", "2126-12-24 09:00", "--every", "1d", "--to", "coder"],
      {
        env: { TZ: "Asia/Kathmandu" },
      },
    );
    expect(shown).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^Reminder k3x9a2 for agent\/coder, 2126-12-24 14:45 \(in \d+d.*\), then every 1d\n$/,
      ),
      stderr: "",
    });
    expect(request()).toEqual({
      text: "look",
      at: Date.UTC(2126, 11, 24, 3, 15),
      everyMs: 86_400_000,
      to: "coder",
      claims: { user: "dev" },
    });
    const scripted = await bellhop(["wake", "10m", "-", "--json"], {
      input: "time to review\n",
      env: { BELLHOP_SESSION_ID: "08bc57cf" },
    });
    expect(JSON.parse(scripted.stdout)).toEqual(REMINDER);
    expect(request()).toEqual({
      text: "time to review",
      afterMs: 600_000,
      claims: { user: "dev", session: "08bc57cf" },
    });
    await bellhop(["remind", "--cron", "0 9 * * 1-5", "stand-up", "--from", "agent/lead"]);
    expect(request()).toMatchObject({ text: "stand-up", cron: "0 9 * * 1-5", from: "agent/lead" });
  });

  it("lists and cancels", async () => {
    await serve({
      reminders: async () => ({ reminders: [REMINDER] }),
      reminder_cancel: async () => REMINDER,
    });
    expect((await bellhop(["reminders"])).stdout).toMatch(
      /^ID +WHEN +FOR +REPEATS +TEXT\nk3x9a2 +2126-12-24 09:00 .* agent\/coder +every 1d +look\n$/,
    );
    expect(JSON.parse((await bellhop(["reminders", "coder", "--json"])).stdout)).toEqual([REMINDER]);
    expect(request()).toEqual({ who: "coder" });
    expect((await bellhop(["reminders", "cancel", "#k3x"])).stdout).toBe(
      "cancelled k3x9a2 for agent/coder: look\n",
    );
    expect(request()).toEqual({ id: "k3x" });
  });
});

describe("bellhop", () => {
  it("shows history newest last, and asks for a period", async () => {
    const entry = (shortId: string) => ({
      message: { shortId, from: "person/dev", body: `text of ${shortId}`, createdAt: 1 },
      delivery: { to: "agent/coder", state: "expired" },
    });
    const entries = [entry("bbbbbb"), entry("aaaaaa")];
    await serve({ history: async () => ({ entries }) as never });
    const ran = await bellhop(["history", "coder", "--from", "2026-01-01T00:00Z", "--limit", "2"]);
    expect(ran.stdout).toMatch(/^SENT .*\n.*#aaaaaa.*expired +text of aaaaaa\n.*#bbbbbb.*\n$/);
    expect(request()).toEqual({ who: "coder", limit: 2, fromTime: Date.UTC(2026, 0, 1) });
    expect(JSON.parse((await bellhop(["history", "--json"])).stdout)).toEqual(entries);
  });

  it("tells errors of the daemon with status, candidates and advice, and lets no escape sequence through", async () => {
    await serve({
      send: async () => {
        throw new BellhopError("recipient.ambiguous", {
          message: 'Two match "x\x1b]0;evil\x07".',
          next: "Say which.",
          candidates: ["agent/a\x1b[2J", "agent/b"],
        });
      },
    });
    const ran = await bellhop(["send", "x", "y"]);
    expect(ran.status).toBe(4);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toBe('bellhop: Two match "x".\n  · agent/a\n  · agent/b\n  Say which.\n');
    expect(errorOf(await bellhop(["send", "x", "y", "--json"])).candidates).toHaveLength(2);
  });

  it("lists sessions for people and scripts", async () => {
    await serve({ ls: async () => ({ sessions: [{ ...SESSION, headline: "fix\x1b[31m it" }] }) });
    const ran = await bellhop(["ls"]);
    expect(ran.stdout).toMatch(
      /^AGENT +ID +PROGRAM +STATE +QUEUED +WHERE +HEADLINE\ncoder +08bc57cf +claude +idle +0 +main:0\.0 +fix it\n$/,
    );
    expect(JSON.parse((await bellhop(["ls", "--json"])).stdout)).toEqual([
      { ...SESSION, headline: "fix\x1b[31m it" },
    ]);
  });

  it("prints a screen without what a terminal would obey, with colours if asked", async () => {
    const screen = "a\x1b[31mred\x1b[0m\x1b]0;t\x07\x1b[2J\u009b5mb";
    await serve({ peek: async () => ({ sessionId: "s", screen }) });
    expect((await bellhop(["peek", "coder"])).stdout).toBe("aredb\n");
    expect((await bellhop(["output", "coder", "--ansi"])).stdout).toBe("a\x1b[31mred\x1b[0mb\x1b[0m\n");
    expect(request()).toEqual({ who: "coder", ansi: true });
  });

  it("asks for each change of the queue in one way", async () => {
    await serve({
      queue: async () => ({ deliveries: [], drafts: [] }),
      queue_change: async () => ({ deliveries: SENT.deliveries }),
      pause: async ({ paused }) => ({ agent: "coder", paused }),
      name: async () => ({ agent: "r", sessionId: "08bc57cf" }),
    });
    expect((await bellhop(["queue", "--json"])).stdout).toBe("[]\n");
    await bellhop(["queue", "coder"]);
    expect(request()).toEqual({ who: "coder" });
    await bellhop(["queue", "cancel", "#m7k2q9"]);
    expect(request()).toEqual({ id: "m7k2q9", change: "cancel" });
    await bellhop(["queue", "move", "a", "--before", "#b"]);
    expect(request()).toEqual({ id: "a", change: "move", before: "b" });
    await bellhop(["queue", "unpause", "coder"]);
    expect(request()).toEqual({ who: "coder", paused: false });
    await bellhop(["name", "reviewer"]);
    expect(request()).toMatchObject({ name: "reviewer", claims: { user: expect.any(String) } });
    await bellhop(["name", "coder", "reviewer"]);
    expect(request()).toMatchObject({ who: "coder", name: "reviewer" });
  });

  it("does not start the daemon for status, and exits 5", async () => {
    expect(await bellhop(["status", "--json"])).toEqual({
      status: 5,
      stdout: `${JSON.stringify({ running: false, home: home.path })}\n`,
      stderr: "",
    });
    expect(() => readFileSync(join(home.path, "started"))).toThrow();
    expect((await bellhop(["down", "--json"])).stdout).toBe(
      `${JSON.stringify({ running: false, home: home.path })}\n`,
    );
  });

  it("starts the daemon on first use without its starter's session, and stops it for good", async () => {
    const ran = await bellhop(["ls", "--json"], { env: { CLAUDE_CODE_SESSION_ID: "secret" } });
    expect(ran).toMatchObject({ status: 0, stdout: "[]\n" });
    expect(ran.stderr).toContain("bellhop down && bellhop up");
    const [started] = readFileSync(join(home.path, "started"), "utf8").trim().split("\n");
    expect(JSON.parse(started ?? "")).toMatchObject({ session: null });
    expect((await bellhop(["status", "--json"])).status).toBe(0);
    expect((await bellhop(["down"])).stdout).toBe("stopped\n");
    expect((await bellhop(["status"])).status).toBe(5);
  });

  it("tells why the daemon would not start", async () => {
    const failure = JSON.stringify({
      error: { code: "store.corrupt", message: "The store is broken.", next: "Restore it." },
    });
    const ran = await bellhop(["ls", "--json"], { env: { STUB_FAILS: failure } });
    expect(ran.status).toBe(1);
    expect(errorOf(ran)).toMatchObject({ code: "store.corrupt", next: "Restore it." });
    const crashed = await bellhop(["ls", "--json"], { env: { STUB_FAILS: "Error: out of luck: really" } });
    expect(errorOf(crashed)).toMatchObject({
      code: "daemon.start_failed",
      message: expect.stringContaining("out of luck"),
    });
    expect(crashed.status).toBe(5);
  });

  it("says so when the daemon is of another version, and still does the work", async () => {
    await serve({ send: async () => SENT }, "9.9.9");
    const ran = await bellhop(["send", "coder", "x", "--json"]);
    expect(ran.status).toBe(0);
    expect(ran.stderr).toContain("The daemon runs version 9.9.9");
  });

  it("refuses a home that is a link, before it talks to whatever is behind it", async () => {
    const link = join(home.path, "link");
    symlinkSync(home.path, link);
    const ran = await bellhop(["send", "coder", "x", "--json"], { env: { BELLHOP_HOME: link } });
    expect(errorOf(ran).code).toBe("home.unsafe");
  });

  it("writes a megabyte to a pipe without losing any, and leaves quietly when the reader does", async () => {
    const sessions = Array.from({ length: 4_000 }, (_, index) => ({
      ...SESSION,
      headline: `${index} ${"x".repeat(400)}`,
    }));
    await serve({ ls: async () => ({ sessions }) });
    const whole = await bellhop(["ls", "--json"]);
    expect(JSON.parse(whole.stdout)).toHaveLength(4_000);
    const early = await bellhop(["ls", "--json"], { hangUp: "early" });
    expect(early.stderr).toBe("");
    expect(early.status).toBe(0);
  });

  it("never shows a stack trace unless asked to", async () => {
    await serve({ ls: async () => ({}) as never });
    const ran = await bellhop(["ls"]);
    expect(ran.status).toBe(1);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
    expect((await bellhop(["ls"], { env: { BELLHOP_DEBUG: "1" } })).stderr).toMatch(/\n\s+at /);
  });

  it("shows the config and where it is wrong, without a daemon", async () => {
    const ran = await bellhop(["config", "--json"]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ exists: false, path: join(home.path, "config.yaml") });
    writeFileSync(join(home.path, "config.yaml"), "delivery:\n  max_bach_size: 3\n");
    const bad = await bellhop(["config", "--json"]);
    expect(bad.status).toBe(1);
    expect(errorOf(bad).message).toContain(
      'config.yaml:2: unknown key "delivery.max_bach_size": did you mean "max_batch_size"?',
    );
    expect((await bellhop(["config", "--path"])).stdout).toBe(`${join(home.path, "config.yaml")}\n`);
    expect(() => readFileSync(join(home.path, "started"))).toThrow();
  });

  it("hands a hook's event over where there is no curl, and fails without a daemon rather than start one", async () => {
    const event =
      '{"program":"codex","event_name":"Stop","environment":{"A_B":"c"},"payload":{"some_key":1}}';
    const absent = await bellhop(["hook"], { input: event });
    expect(absent.status).toBe(5);
    expect(() => readFileSync(join(home.path, "started"))).toThrow();
    await serve({ hook_event: async ({ payload }) => ({ output: payload }) });
    expect(await bellhop(["hook"], { input: event })).toEqual({
      status: 0,
      stdout: '{"some_key":1}\n',
      stderr: "",
    });
    expect(request()).toMatchObject({ eventName: "Stop", program: "codex", environment: { A_B: "c" } });
  });

  it("explains itself", async () => {
    expect((await bellhop([])).stdout).toContain("never barges in");
    expect((await bellhop(["send", "--help"])).stdout).toContain('bellhop send WHO "TEXT"');
    expect((await bellhop(["help", "queue", "move"])).stdout).toContain("--before ID");
    expect((await bellhop(["--version"])).stdout).toBe(`${VERSION}\n`);
    const lost = await bellhop(["agent"]);
    expect(lost.status).toBe(2);
    expect((await bellhop(["agent", "lst"])).stderr).toContain("bellhop agent list");
  });

  it("examines the machine and the sessions", async () => {
    await serve({
      status: async () => ({ version: VERSION, pid: 1, warnings: ["a bad config"] }) as never,
      diagnose: async () => ({
        sessions: [
          {
            id: "08bc57cf",
            agent: "coder",
            program: "claude",
            hooked: false,
            transports: ["paste"],
            closed: [{ transport: "native", why: "too old" }],
            reading: "composer",
            readiness: "idle",
            because: "its composer is empty",
          },
        ],
        servers: [{ name: "default", state: "scanned" }],
      }),
    });
    const ran = await bellhop(["doctor", "--json"]);
    const { checks } = JSON.parse(ran.stdout) as {
      checks: { name: string; verdict: string; detail: string; next?: string }[];
    };
    expect(checks.find(({ name }) => name === "agent coder")).toMatchObject({
      verdict: "warn",
      detail: expect.stringContaining("native closed: too old"),
      next: expect.stringContaining("hooks install claude"),
    });
    for (const check of checks) expect(check.verdict === "ok" || check.next !== undefined).toBe(true);
    expect((await bellhop(["doctor"])).stdout).toContain("a bad config");
  });

  it.each<[string, (file: string) => void]>([
    ["compiled", () => {}],
    ["not compiled", (file) => rmSync(file)],
    ["compiled to nonsense", (file) => writeFileSync(file, "nonsense")],
    ["compiled by half", (file) => writeFileSync(file, readFileSync(file).subarray(0, 1_000))],
  ])("runs from its package, %s", async (_, change) => {
    const bin = join(home.path, "bin");
    const dist = join(home.path, "dist");
    mkdirSync(bin);
    copyFileSync(join(ROOT, "bin", "bellhop.cjs"), join(bin, "bellhop.cjs"));
    cpSync(built.folder, dist, { recursive: true });
    change(join(dist, "bellhop.compiled"));
    await serve({ send: async () => SENT, ls: async () => ({ sessions: [] }) });
    const bellhopHere = (args: readonly string[]) =>
      run([process.execPath, join(bin, "bellhop.cjs"), ...args], home.path);
    expect((await bellhopHere(["send", "coder", "x"])).stdout).toContain("queued #m7k2q9");
    expect(await bellhopHere(["ls", "--json"])).toEqual({ status: 0, stdout: "[]\n", stderr: "" });
    expect((await bellhopHere(["sned"])).status).toBe(2);
  });

  it("says what to do when it is not built", async () => {
    const bin = join(home.path, "bin");
    mkdirSync(bin);
    copyFileSync(join(ROOT, "bin", "bellhop.cjs"), join(bin, "bellhop.cjs"));
    const ran = await run([process.execPath, join(bin, "bellhop.cjs"), "ls"], home.path);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain("npm run build");
  });
});
