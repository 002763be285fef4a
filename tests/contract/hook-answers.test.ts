/** Text in the answers to hooks: the built daemon, the real script, and processes that lie about whose hook they are. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import { Bellhop, bellhopOnPath } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { type AnsweringClaude, installScript, startAnsweringClaude } from "./answering-claude.ts";

let tmux: TmuxServer;
let bellhop: Bellhop;
let client: Client;
let script: string;
let coder: AnsweringClaude;
let other: AnsweringClaude;

beforeAll(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({ config: `tmux: { servers: ["${tmux.socket}"] }\ntransports: [hook]\n` });
  await bellhop.start();
  client = await bellhop.client();
  script = installScript(bellhop);
  coder = await startAnsweringClaude(tmux, bellhop, "coder");
  other = await startAnsweringClaude(tmux, bellhop, "other");
  const count = async () => (await client.call("ls", {})).sessions.length;
  await until(async () => (await count()) === 2, "both programs to be seen");
  // Its hooks and its conversation are known from the first one on.
  for (const each of [coder, other]) {
    await each.hook({ event: "SessionStart", payload: { source: "startup" } });
    await each.hook({ event: "UserPromptSubmit", payload: { prompt: "work" } });
  }
});
afterAll(async () => {
  await tmux?.kill();
  await bellhop?.dispose();
});

/** From another agent: a person's words would be typed. */
async function sendToCoder(body: string, more: { priority?: "idle" } = {}) {
  const sessions = (await client.call("ls", {})).sessions;
  const session = sessions.find(({ agent }) => agent === "other")?.id ?? "";
  const sent = await client.call("send", { to: "coder", body, claims: { user: "dev", session }, ...more });
  const state = async () => (await client.call("show", { id: sent.messageId })).deliveries[0];
  // Until the courier has looked, a hook after a tool does not even ask.
  await until(async () => (await state())?.hold !== undefined, `"${body}" to be held`);
  const reaches = (wanted: string) =>
    until(async () => (await state())?.state === wanted, `"${body}" to be ${wanted}`);
  return { ...sent, state, reaches };
}

/** What a program outside could do with nothing but the script: pass for coder's hook. */
async function liesWithScript(started: (command: string, args: readonly string[]) => ChildProcess) {
  const liar = started("sh", [script, "claude", "PostToolUse"]);
  let printed = "";
  liar.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  liar.stdin?.end(JSON.stringify({ session_id: coder.conversation, tool_name: "Bash" }));
  await once(liar, "close");
  return printed;
}

function post(path: string, body: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        socketPath: join(bellhop.home, "run/http.sock"),
        method: "POST",
        path,
        headers: { "content-type": "application/json", host: "localhost" },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve(text));
      },
    );
    asking.on("error", reject);
    asking.end(JSON.stringify(body));
  });
}

const asCoder = () => ({
  program: "claude",
  payload: { session_id: coder.conversation },
  environment: { CLAUDE_PID: String(coder.pid) },
  takes: true,
});

describe("a hook of the program", () => {
  it("gets what waits, after a tool; it is read when the turn ends", async () => {
    const sent = await sendToCoder('it\'s 100% "quoted" \\n $HOME\n四つ 🙂');
    const added = await coder.hook({ event: "PostToolUse", payload: { tool_name: "Bash", tool_input: {} } });
    expect(added).toContain(`#${sent.shortId}]\nit's 100% "quoted" \\n $HOME\n四つ 🙂\n`);
    await sent.reaches("delivered");
    expect(await sent.state()).toMatchObject({ transport: "hook", evidence: "transcript", attempts: 1 });
    await coder.hook({ event: "Stop" });
    await sent.reaches("read");
  });

  it("gets nothing if nothing waits", async () => {
    expect(await coder.hook({ event: "PostToolUse" })).toBeNull();
  });

  it("gets nothing if a sub-agent fired it", async () => {
    const sent = await sendToCoder("not for a sub-agent");
    expect(
      await coder.hook({ event: "PostToolUse", payload: { agent_id: "a1", tool_name: "Bash" } }),
    ).toBeNull();
    expect((await sent.state())?.state).toBe("queued");
    expect(await coder.hook({ event: "PostToolUse" })).toContain("not for a sub-agent");
  });

  it("gets it once, whichever of many at once", async () => {
    await coder.hook({ event: "UserPromptSubmit", payload: { prompt: "go on" } });
    const sent = await sendToCoder("once");
    const hooks = Array.from({ length: 6 }, () => coder.hook({ event: "PostToolUse" }));
    const added = (await Promise.all(hooks)).filter((text) => text !== null);
    expect(added).toHaveLength(1);
    expect(added[0]).toContain("once");
    await sent.reaches("delivered");
  });

  it("gets it without curl, by the bellhop command", async () => {
    const bin = join(tmux.folder, "no-curl");
    mkdirSync(bin);
    for (const name of ["sh", "cat", "date", "mkdir", "mv", "rm", "sed", "test"]) {
      const { stdout } = await promisify(execFile)("/bin/sh", ["-c", `command -v ${name}`]);
      if (stdout.startsWith("/")) symlinkSync(stdout.trim(), join(bin, name));
    }
    symlinkSync(join(bellhopOnPath(join(tmux.folder, "bin")), "bellhop"), join(bin, "bellhop"));
    symlinkSync(process.execPath, join(bin, "node"));
    const sent = await sendToCoder("without curl");
    expect(await hookWithPath(bin)).toContain("without curl");
    await sent.reaches("delivered");
  });

  /** The script adds the usual folders to the path, where curl would be. */
  async function hookWithPath(path: string): Promise<string | null> {
    const text = readFileSync(script, "utf8");
    writeFileSync(script, text.replace("PATH=$PATH:/usr/bin:/bin\n", ""));
    try {
      return await coder.hook({ event: "PostToolUse", path });
    } finally {
      writeFileSync(script, text);
    }
  }
});

describe("a process that lies gets no mail", () => {
  const untouched = async (sent: Awaited<ReturnType<typeof sendToCoder>>) => {
    expect(await sent.state()).toMatchObject({ state: "queued", attempts: 0 });
    expect(await coder.hook({ event: "PostToolUse" })).toContain("a secret for coder");
    await sent.reaches("delivered");
  };

  it("if it runs the script elsewhere, with everything that the program's hooks have", async () => {
    const sent = await sendToCoder("a secret for coder");
    const printed = await liesWithScript((command, args) =>
      spawn(command, args, {
        env: { ...process.env, CLAUDE_PID: String(coder.pid) },
        stdio: ["pipe", "pipe", "ignore"],
      }),
    );
    expect(printed).toBe("");
    expect(bellhop.log()).toContain("hook.not_its_own");
    await untouched(sent);
  });

  it("if it names the program itself, or a process of it, as the one that asks", async () => {
    const sent = await sendToCoder("a secret for coder");
    const children = (
      await promisify(execFile)("ps", ["-o", "pid=", "--ppid", String(coder.pid)]).catch(() => ({
        stdout: "",
      }))
    ).stdout
      .split("\n")
      .map(Number)
      .filter((pid) => pid > 0);
    for (const pid of [coder.pid, ...children]) {
      const offered = JSON.parse(await post("/hooks/PostToolUse", asCoder())) as { readonly take: string };
      expect(offered.take).toBeDefined();
      expect(await post(`/hook-answers/${offered.take}`, { pid })).toBe("");
    }
    await untouched(sent);
  });

  it("if it shows the code itself, or runs under another agent", async () => {
    const sent = await sendToCoder("a secret for coder");
    const { take } = JSON.parse(await post("/hooks/PostToolUse", asCoder())) as { readonly take: string };
    const shows = spawn("sleep", ["60"], { argv0: take, stdio: "ignore" });
    expect(await post(`/hook-answers/${take}`, { pid: shows.pid })).toBe("");
    shows.kill();
    // Another agent's hook that speaks of coder's conversation.
    const stolen = await other.hook({ event: "PostToolUse", payload: { session_id: coder.conversation } });
    expect(stolen).toBeNull();
    await untouched(sent);
  });

  it("if it guesses a code", async () => {
    expect(await post("/hook-answers/hAAAAAAAAAAAAAAAAAAAAAAAA", { pid: coder.pid })).toBe("");
  });

  it("although what it reports counts as it always did", async () => {
    await coder.hook({ event: "Stop" });
    await coder.hook({ event: "UserPromptSubmit", payload: { prompt: "go on" } });
    const readiness = async () =>
      (await client.call("ls", {})).sessions.find(({ agent }) => agent === "coder")?.readiness;
    await until(async () => (await readiness()) === "busy", "coder to be busy");
    await post("/hooks/Stop", { ...asCoder(), emitted_at: Date.now() });
    await until(async () => (await readiness()) === "idle", "coder to be idle");
  });
});

it("a text for an idle agent waits for the end of the turn", async () => {
  await coder.hook({ event: "UserPromptSubmit", payload: { prompt: "go on" } });
  const sent = await sendToCoder("when you have time", { priority: "idle" });
  expect(await coder.hook({ event: "PostToolUse" })).toBeNull();
  expect((await sent.state())?.state).toBe("queued");
  expect(await coder.hook({ event: "Stop" })).toContain("when you have time");
  await sent.reaches("delivered");
  await coder.hook({ event: "Stop", payload: { stop_hook_active: true } });
  await sent.reaches("read");
});
