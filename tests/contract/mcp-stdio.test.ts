/** `bellhop mcp` as a process: who it speaks as, and what happens when the daemon or its client goes away. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STDIO_LIMITS } from "../../src/mcp/stdio.ts";
import { type McpClient, McpDesk } from "./mcp-desk.ts";

const COMMAND = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "bin", "bellhop.cjs");
const PERSON = `person/${userInfo().username}`;

let desk: McpDesk;
beforeEach(() => {
  desk = new McpDesk();
});
afterEach(() => desk.close());

async function senderOf(client: McpClient, meta?: Record<string, unknown>): Promise<string | undefined> {
  const { value } = await client.call("send_message", { to: "reviewer", text: "who am I?" }, meta);
  return (await desk.show(String(value?.id))).message.from;
}

describe("who it speaks as", () => {
  it("is the agent of its session, the person without one, and never the person for an unknown agent", async () => {
    const { coder } = await desk.open();
    expect(await senderOf(await desk.overStdio({ BELLHOP_SESSION_ID: coder }))).toBe("agent/coder");
    expect(await senderOf(await desk.overStdio())).toBe(PERSON);
    expect(await senderOf(await desk.overStdio({ CLAUDE_CODE_SESSION_ID: "0000-unknown" }))).toBe(
      "program/claude",
    );
  });

  it("believes Codex about its conversation, which says nothing by the environment", async () => {
    await desk.open();
    const client = await desk.overStdio();
    const turn = { "x-codex-turn-metadata": { thread_id: "0000-unknown" } };
    expect(await senderOf(client, turn)).toBe("program/codex");
    for (const nothing of [{ "x-codex-turn-metadata": { thread_id: 5 } }, { threadId: "x" }])
      expect(await senderOf(client, nothing)).toBe(PERSON);
  });

  it("tells a person that only agents subscribe", async () => {
    await desk.open();
    const client = await desk.overStdio();
    expect(await client.refused("subscribe", { pattern: "slack/**" })).toMatchObject({
      code: "agent.unknown",
      message: `You write as ${PERSON}, and only agents subscribe.`,
    });
    expect(await client.ask("list_agents")).toMatchObject({ you: PERSON });
  });
});

describe("the daemon", () => {
  it("is started by the first call", async () => {
    const client = await desk.overStdio();
    expect(await client.ask("list_agents")).toEqual({ you: PERSON, agents: [] });
    expect((await desk.bellhop.run(["status"])).code).toBe(0);
  });

  it("killed in the middle of a call gives an error to act on, and the next call starts it again", async () => {
    const { daemon } = await desk.open({ BELLHOP_TEST_CRASH_AT: "accept.committed" });
    const killed = once(daemon, "exit");
    const client = await desk.overStdio();
    const { error } = await client.call("send_message", { to: "reviewer", text: "half" });
    expect(error).toMatchObject({ code: "daemon.unreachable" });
    expect(error?.next).toMatch(/may or may not have been done: look with inbox or message_status/);
    expect(await killed).toEqual([null, "SIGKILL"]);
    expect(await client.ask("list_agents")).toMatchObject({
      agents: [
        { name: "coder", waiting: 0 },
        { name: "reviewer", waiting: 1 },
      ],
    });
  });

  it("restarted between two calls is not noticed", async () => {
    await desk.open();
    const client = await desk.overStdio();
    await client.ask("list_agents");
    await desk.bellhop.stop();
    await desk.bellhop.start();
    await client.ask("list_agents");
    expect(client.complaints).toBe("");
  });

  it("that cannot be started is told, with what to do", async () => {
    const file = join(desk.bellhop.home, "config.yaml");
    const client = await desk.overStdio({ BELLHOP_HOME: file });
    const { error } = await client.call("list_agents");
    expect(error).toMatchObject({ code: "home.unsafe" });
    expect(error?.message).toContain(file);
    expect(error?.next).not.toBe("");
  });
});

describe("the process", () => {
  const serve = () => {
    const child = spawn(process.execPath, [COMMAND, "mcp"], { env: desk.bellhop.env, stdio: "pipe" });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
      });
    return { child, said };
  };
  const INITIALIZE = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  };

  it("ends well when its client hangs up", async () => {
    const { child, said } = serve();
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(said).toEqual({ stdout: "", stderr: "" });
  });

  it("survives what is no message, and prints nothing but messages", async () => {
    const { child, said } = serve();
    child.stdin.write("garbage\n[]\n{}\n\u0000\n");
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    while (!said.stdout.includes('"id":1')) await once(child.stdout, "data");
    child.stdin.end();
    await once(child, "exit");
    for (const line of said.stdout.trim().split("\n"))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  it("answers a message that is far too long with an error, stays small, and goes on with the next", async () => {
    const { child, said } = serve();
    const params = { name: "send_message", arguments: { to: "x", text: "x".repeat(30_000_000), id: 8 } };
    child.stdin.write(`${JSON.stringify({ method: "tools/call", params, jsonrpc: "2.0", id: 7 })}\n`);
    child.stdin.write(`${"y".repeat(STDIO_LIMITS.messageBytes)}\n`);
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    while (!said.stdout.includes('"id":1,') && !said.stdout.includes('"id":1}'))
      await once(child.stdout, "data");
    const memoryKb = Number(
      execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" }),
    );
    expect(memoryKb).toBeLessThan(256 * 1024);
    const [long, garbage] = said.stdout.split("\n").map((line) => (line === "" ? {} : JSON.parse(line)));
    expect(long).toMatchObject({ id: 7, error: { code: -32_600, data: { code: "request.too_large" } } });
    expect(garbage).toMatchObject({ id: null, error: { code: -32_600 } });
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(said.stderr).toContain("bellhop mcp:");
  });

  it("ends with its client in the middle of a line without end", async () => {
    const { child, said } = serve();
    child.stdin.end("x".repeat(STDIO_LIMITS.messageBytes + 1));
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(said.stdout).toBe("");
  });

  it("answers no more than so many calls at once", async () => {
    const { daemon } = await desk.open();
    const client = await desk.overStdio();
    await client.ask("list_agents");
    daemon.kill("SIGSTOP");
    const calls = Array.from({ length: STDIO_LIMITS.callsAtOnce }, () => client.call("inbox"));
    const { error } = await client.call("inbox");
    expect(error).toMatchObject({ code: "request.throttled" });
    daemon.kill("SIGCONT");
    for (const { error: none } of await Promise.all(calls)) expect(none).toBeUndefined();
  });
});
