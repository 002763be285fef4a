import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProgramFacts } from "../../src/ports/program.ts";
import { CLAUDE_SOCKET_LIMITS, claudeSocket } from "../../src/programs/claude/inbox.ts";
import { inboxContract } from "./inbox.ts";

let folder: string;
let path: string;
let server: Server | undefined;
let now: number;
const sockets: Socket[] = [];
const clock = { monotonic: () => now };
const never = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync("/tmp/bh-");
  path = join(folder, "4242.sock");
  now = 1_000_000;
});

afterEach(async () => {
  const listening = server;
  server = undefined;
  for (const socket of sockets.splice(0)) socket.destroy();
  if (listening !== undefined) await new Promise((resolve) => listening.close(resolve));
  rmSync(folder, { recursive: true });
});

/** As Claude Code does: reads to the end, answers nothing, then closes. */
async function listen(onConnection?: (socket: Socket) => void): Promise<string[]> {
  const received: string[] = [];
  server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => "the peer is gone");
    if (onConnection !== undefined) return onConnection(socket);
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    socket.on("end", () => {
      received.push(text);
      socket.end();
    });
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(path, resolve));
  return received;
}

function facts(more: Partial<ProgramFacts> = {}): ProgramFacts {
  return { sessionId: "1", agentPid: 4242, version: "2.1.325", inboxPath: path, ...more };
}

inboxContract("the inbox of Claude Code", {
  inbox: () => claudeSocket({ clock }),
  facts: () => facts(),
  mostBytes: CLAUDE_SOCKET_LIMITS.textBytes,
  takes: async () => {
    const received = await listen();
    return () => received.map((text) => JSON.parse(text).message.content as string);
  },
  breaksOff: async () => {
    await listen((socket) => socket.once("data", () => socket.destroy()));
  },
  fallsSilent: async (onBegun) => {
    await listen((socket) => socket.once("data", onBegun));
  },
});

describe("the inbox of Claude Code", () => {
  it("is given its token first, then the text", async () => {
    const received = await listen();
    const text = "hi";
    const outcome = await claudeSocket({ clock }).handOver(facts({ inboxToken: "t0ken" }), text, never);
    expect(outcome).toEqual({ kind: "handed-over" });
    const lines = received[0]?.split("\n") ?? [];
    expect(lines.map((line) => (line === "" ? "" : JSON.parse(line)))).toEqual([
      { type: "auth", token: "t0ken" },
      { type: "user", message: { role: "user", content: text } },
      "",
    ]);
  });

  it("needs no token", async () => {
    const received = await listen();
    await claudeSocket({ clock }).handOver(facts(), "hi", never);
    expect(received[0]).toBe('{"type":"user","message":{"role":"user","content":"hi"}}\n');
  });

  it("is not offered without a socket of ours at the end of the path", async () => {
    const inbox = claudeSocket({ clock });
    const { inboxPath: _, ...without } = facts();
    expect(await inbox.offers(without)).toMatchObject({ kind: "not-offered" });
    expect(await inbox.offers(facts())).toEqual({ kind: "not-offered", why: "its inbox is gone" });
    writeFileSync(path, "");
    expect(await inbox.offers(facts())).toEqual({ kind: "not-offered", why: "its inbox is not a socket" });
    rmSync(path);
    await listen();
    expect(await inbox.offers(facts())).toEqual({ kind: "offered" });
  });

  it.each([
    ["2.1.223", "not-offered"],
    ["2.1.224", "offered"],
    ["2.0.999", "not-offered"],
    ["3.0.0", "offered"],
  ])("of version %s is %s", async (version, kind) => {
    await listen();
    expect(await claudeSocket({ clock }).offers(facts({ version }))).toMatchObject({ kind });
  });

  it("is not offered for a while after a burst, because Claude Code would drop the rest", async () => {
    await listen();
    const inbox = claudeSocket({ clock });
    for (let count = 0; count < CLAUDE_SOCKET_LIMITS.burst; count += 1) {
      expect(await inbox.offers(facts())).toEqual({ kind: "offered" });
      await inbox.handOver(facts(), `${count}`, never);
    }
    expect(await inbox.offers(facts())).toMatchObject({ kind: "not-offered" });
    expect(await inbox.offers(facts({ agentPid: 1 }))).toEqual({ kind: "offered" });
    now += CLAUDE_SOCKET_LIMITS.burstMs;
    expect(await inbox.offers(facts())).toEqual({ kind: "offered" });
  });
});

describe("the inbox of Claude Code in bypass mode", () => {
  async function offered(argv: readonly string[], settings: object): Promise<string> {
    await listen();
    mkdirSync(join(folder, ".claude"));
    writeFileSync(join(folder, ".claude/settings.json"), JSON.stringify(settings));
    const agent = { pid: 4242, parentPid: 1, startedAt: "x", argv, command: "claude" };
    const processes = { environment: async () => ({ HOME: folder }), tree: async () => [agent] };
    return (await claudeSocket({ clock, processes }).offers(facts())).kind;
  }

  const bypass = { permissions: { defaultMode: "bypassPermissions" } };

  it.each<[readonly string[], object, string]>([
    [["claude"], {}, "offered"],
    [["claude", "--dangerously-skip-permissions"], {}, "not-offered"],
    [["claude", "--permission-mode", "bypassPermissions"], {}, "not-offered"],
    [["claude", "--permission-mode=bypassPermissions"], {}, "not-offered"],
    [["claude", "--permission-mode", "default"], bypass, "offered"],
    [["claude"], bypass, "not-offered"],
    [["claude"], { ...bypass, crossSessionInbound: "accept" }, "offered"],
    [["claude", "--dangerously-skip-permissions"], { crossSessionInbound: "accept" }, "offered"],
  ])("started as %j with %j is %s", async (argv, settings, kind) => {
    expect(await offered(argv, settings)).toBe(kind);
  });
});
