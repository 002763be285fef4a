import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/message.ts";
import type { UseCases } from "../../src/wire/verbs/index.ts";
import type { RunOptions } from "./built-command-line.ts";
import { commandLineStage, errorOf, SENT } from "./command-line-stage.ts";

const stage = commandLineStage();
const { bellhop, request, serve } = stage;

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
    const claims = { user: "dev", pid: expect.any(Number) };
    expect((await bellhop(["inbox"])).stdout).toMatch(/#m7k2q9 +agent\/web +person\/dev .* done\n$/);
    expect(request()).toEqual({ claims });
    await bellhop(["inbox", "coder", "--take", "--limit", "3"]);
    expect(request()).toEqual({ who: "coder", take: true, limit: 3, claims });
    expect(JSON.parse((await bellhop(["inbox", "--json"])).stdout)).toEqual([ENTRY]);
    expect((await bellhop(["sub", "add", "coder", "slack/**", "--session", "s"])).status).toBe(0);
    expect(request()).toEqual({ agent: "coder", pattern: "slack/**", session: "s", claims });
    expect(JSON.parse((await bellhop(["sub", "remove", "coder", "x", "--json"])).stdout)).toEqual(SUBSCRIBED);
    await bellhop(["sub", "list", "coder"]);
    expect(stage.asked.at(-1)).toEqual({ verb: "sub_list", request: { agent: "coder", claims } });
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
    expect(stage.asked.map(({ verb }) => verb)).toEqual([
      "agent_add",
      "sub_add",
      "session_add",
      "agent_show",
    ]);
    expect((await bellhop([...words, "--subscribe", "a/**/b/**/c/**"])).status).toBe(2);
    expect(stage.asked).toHaveLength(4);
  });

  it("prints an agent's own token, made of the owner's", async () => {
    await serve({ agent_show: async () => AGENT as never });
    const owner = "ab".repeat(32);
    writeFileSync(join(stage.home, "token"), owner, { mode: 0o600 });
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
    ["two to listen to", ["listen", "a", "b"], {}, "usage.invalid"],
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
    expect(stage.asked).toEqual([]);
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
      const file = join(stage.home, "out.jsonl");
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
      expect(stage.asked.length).toBeLessThan(100);
    });
  });
});
