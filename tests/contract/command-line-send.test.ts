import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BellhopError } from "../../src/core/errors.ts";
import { LIMITS } from "../../src/core/message.ts";
import { type RunOptions, run } from "./built-command-line.ts";
import { commandLineStage, errorOf, SENT } from "./command-line-stage.ts";

const stage = commandLineStage();
const { bellhop, request, serve } = stage;

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
      "--any-way-in",
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
      anyWayIn: true,
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
    await bellhop(["send", "ws:coder", "--raw", "--key", "1", "--dialog", "k7x2qp"]);
    expect(request()).toMatchObject({ to: "ws:coder", raw: true, keys: ["1"], dialog: "k7x2qp" });
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
    const file = join(stage.home, "text");
    writeFileSync(file, "from a file\r\n");
    await bellhop(["send", "coder", "--file", file]);
    expect(request().body).toBe("from a file");
    await bellhop(["send", "coder", "--file", "-", "--raw"], { input: "as it is\n" });
    expect(request().body).toBe("as it is\n");
    await bellhop(["reply", "#m7k2q9", "-"], { input: "yes" });
    expect(stage.asked.at(-1)).toMatchObject({ verb: "reply", request: { id: "m7k2q9", body: "yes" } });
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
    expect(stage.asked).toHaveLength(1);
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
    ["a dialog without raw", ["send", "coder", "x", "--dialog", "k7x2qp"], {}, "usage.invalid", 2],
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
    expect(stage.asked).toEqual([]);
  });

  it("refuses an argument that is no UTF-8, where the system shows it", async () => {
    await serve({ send: async () => SENT });
    const line = `"${process.execPath}" "${join(stage.built, "bellhop.cjs")}" send coder $'a\\xffb' --json`;
    const ran = await run(["bash", "-c", line], stage.home);
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
    expect(stage.asked.find(({ verb }) => verb === "wait")?.request).toEqual({
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
    expect(stage.asked).toHaveLength(1);
  });
});
