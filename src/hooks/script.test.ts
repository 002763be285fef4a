import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOOKED_PROGRAMS } from "../programs/index.ts";
import { HOOK_SCRIPT } from "./hooked-program.ts";
import { HOOK_LIMITS, hookCommand, hookScript } from "./script.ts";

let home: string;
let server: Server | undefined;
let received: { readonly path: string | undefined; readonly body: unknown }[];

beforeEach(() => {
  // The path contains quotes and blanks, so everything must be quoted.
  const folder = mkdtempSync("/tmp/bh-");
  home = join(folder, "it's a home");
  for (const name of ["hooks", "run", "spool"]) mkdirSync(join(home, name), { recursive: true });
  writeScript();
  received = [];
});

afterEach(async () => {
  const listening = server;
  server = undefined;
  if (listening !== undefined) {
    listening.closeAllConnections();
    await new Promise((resolve) => listening.close(resolve));
  }
  rmSync(join(home, ".."), { recursive: true });
});

function writeScript(limits = {}): void {
  writeFileSync(join(home, HOOK_SCRIPT), hookScript(HOOKED_PROGRAMS, { ...HOOK_LIMITS, ...limits }));
}

/** `silent`: accepts the request and never answers. */
async function listen(answer: { status: number; body?: string } | "silent"): Promise<void> {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ path: request.url, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) });
      if (answer === "silent") return;
      response.statusCode = answer.status;
      response.end(answer.body);
    });
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(join(home, "run/http.sock"), resolve));
}

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  program: string,
  event: string,
  payload: string,
  environment: Record<string, string> = {},
): Promise<Ran> {
  const command = hookCommand(join(home, HOOK_SCRIPT), program, event);
  const child = spawn("/bin/sh", ["-c", command], {
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const out = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (out.stderr += text));
  child.stdin.on("error", () => "it may have left without reading");
  child.stdin.end(payload);
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, ...out })));
}

function spooled(): readonly unknown[] {
  const folder = join(home, "spool");
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
}

const QUIET: Ran = { status: 0, stdout: "", stderr: "" };

describe("the hook script", () => {
  it("hands the payload over as it is, with the environment that names the session", async () => {
    await listen({ status: 204 });
    const payload = { session_id: "s", prompt: 'a "b" \\ \n $HOME `x` é 🙂 %s' };
    const environment = { CLAUDE_PID: "42", TMUX: '/tmp/a"b\\c,1,0', TMUX_PANE: "%3", SECRET: "never" };
    expect(await run("claude", "UserPromptSubmit", JSON.stringify(payload), environment)).toEqual(QUIET);
    expect(received).toEqual([
      {
        path: "/hooks/UserPromptSubmit",
        body: {
          program: "claude",
          event_name: "UserPromptSubmit",
          emitted_at: expect.any(Number),
          environment: { CLAUDE_PID: "42", TMUX: '/tmp/a"b\\c,1,0', TMUX_PANE: "%3" },
          payload,
          takes: true,
        },
      },
    ]);
    expect(spooled()).toEqual([]);
  });

  it("passes nothing of Codex's environment on", async () => {
    await listen({ status: 204 });
    await run("codex", "Stop", "{}", { TMUX_PANE: "%3", BELLHOP_SESSION_ID: "08bc57cf" });
    expect(received[0]?.body).toMatchObject({ program: "codex", environment: {} });
  });

  it("passes on where a program runs that the owner taught", async () => {
    await listen({ status: 204 });
    const terminal = { BELLHOP_SESSION_ID: "08bc57cf", TMUX: "/run/tmux,12,0", TMUX_PANE: "%3" };
    await run("my-agent", "Stop", "{}", { ...terminal, CLAUDE_PID: "42" });
    expect(received).toMatchObject([{ body: { program: "my-agent", environment: terminal } }]);
    expect(received).not.toMatchObject([{ body: { environment: { CLAUDE_PID: "42" } } }]);
  });

  it("reports nothing of a turn without a terminal, neither to the daemon nor to the spool", async () => {
    await listen({ status: 200, body: '{"decision":"block"}' });
    expect(await run("claude", "UserPromptSubmit", "{}", { BELLHOP_TURN: "t1" })).toEqual(QUIET);
    expect(received).toEqual([]);
    expect(spooled()).toEqual([]);
  });

  it("leaves out a variable with control characters", async () => {
    await listen({ status: 204 });
    await run("claude", "Stop", "{}", { TMUX: "a\nb", TMUX_PANE: "%3" });
    expect(received[0]?.body).toMatchObject({ environment: { TMUX_PANE: "%3" } });
  });

  it.each(["SessionStart", "UserPromptSubmit"])("prints the daemon's answer to %s", async (event) => {
    await listen({ status: 200, body: '{"decision":"block"}' });
    expect(await run("claude", event, "{}")).toEqual({ ...QUIET, stdout: '{"decision":"block"}' });
  });

  it("prints no answer to any other event", async () => {
    await listen({ status: 200, body: '{"decision":"block"}' });
    expect(await run("claude", "Stop", "{}")).toEqual(QUIET);
  });

  it("spools the event when nobody listens, for the owner's eyes only", async () => {
    expect(await run("claude", "UserPromptSubmit", '{"prompt":"hi"}')).toEqual(QUIET);
    expect(spooled()).toEqual([
      expect.objectContaining({ event_name: "UserPromptSubmit", payload: { prompt: "hi" } }),
    ]);
    const [name = ""] = readdirSync(join(home, "spool"));
    expect(name).toMatch(/^\d+-\d+\.json$/);
    expect(statSync(join(home, "spool", name)).mode & 0o777).toBe(0o600);
  });

  it("spools what the daemon refuses, and prints nothing of the refusal", async () => {
    await listen({ status: 500, body: "oops" });
    expect(await run("claude", "UserPromptSubmit", "{}")).toEqual(QUIET);
    expect(spooled()).toHaveLength(1);
  });

  it("spools what the daemon does not answer in time", async () => {
    writeScript({ deadlineSeconds: 0.2 });
    await listen("silent");
    expect(await run("claude", "UserPromptSubmit", "{}")).toEqual(QUIET);
    expect(received).toHaveLength(1);
    expect(spooled()).toHaveLength(1);
  });

  it("spools a payload of a megabyte whole", async () => {
    const prompt = "é".repeat(500_000);
    await run("claude", "UserPromptSubmit", JSON.stringify({ prompt }));
    expect(spooled()).toEqual([expect.objectContaining({ payload: { prompt } })]);
  });

  it("stops spooling at its limit", async () => {
    writeScript({ spooledEvents: 2 });
    for (const name of ["1-1.json", "1-2.json"]) writeFileSync(join(home, "spool", name), "{}");
    expect(await run("claude", "Stop", "{}")).toEqual(QUIET);
    expect(spooled()).toHaveLength(2);
  });

  it("sends no time of its own where the system knows no milliseconds", async () => {
    const bin = fakeCommands({ date: "echo 1794709160N" });
    await run("claude", "Stop", "{}", { PATH: `${bin}:${process.env.PATH}` });
    expect(spooled()[0]).not.toHaveProperty("emitted_at");
  });

  it("asks the bellhop command where there is no curl", async () => {
    const bin = fakeCommands({ bellhop: 'cat >"$BELLHOP_HOME/asked"; echo "$@"' });
    linkCommands(bin, ["sh", "cat", "date", "mkdir", "mv", "rm", "sed"]);
    writeFileSync(
      join(home, HOOK_SCRIPT),
      hookScript(HOOKED_PROGRAMS).replace("PATH=$PATH:/usr/bin:/bin\n", ""),
    );
    const ran = await run("claude", "SessionStart", '{"source":"startup"}', { PATH: bin });
    expect(ran).toEqual({ ...QUIET, stdout: "hook hooks/SessionStart" });
    expect(JSON.parse(readFileSync(join(home, "asked"), "utf8"))).toMatchObject({
      event_name: "SessionStart",
    });
  });

  it("does the same where sh is bash", async () => {
    const bin = fakeCommands({});
    symlinkSync(pathOf("bash"), join(bin, "sh"));
    await listen({ status: 200, body: "{}" });
    const environment = { PATH: `${bin}:${process.env.PATH}`, TMUX: 'a"\\,1,0', TMUX_PANE: "%3" };
    const prompt = "\\n %s é\n";
    const ran = await run("claude", "UserPromptSubmit", JSON.stringify({ prompt }), environment);
    expect(ran).toEqual({ ...QUIET, stdout: "{}" });
    expect(received[0]?.body).toMatchObject({
      environment: { TMUX: 'a"\\,1,0', TMUX_PANE: "%3" },
      payload: { prompt },
    });
  });

  it.each(["home", "script"])("is silent when its %s is gone", async (what) => {
    rmSync(what === "home" ? home : join(home, HOOK_SCRIPT), { recursive: true });
    expect(await run("claude", "UserPromptSubmit", "{}")).toEqual(QUIET);
    mkdirSync(home, { recursive: true });
  });

  it("is silent when the spool cannot be written", async () => {
    rmSync(join(home, "spool"), { recursive: true });
    writeFileSync(join(home, "spool"), "in the way");
    expect(await run("claude", "UserPromptSubmit", "{}")).toEqual(QUIET);
  });

  it("takes an empty payload for none", async () => {
    await listen({ status: 204 });
    await run("claude", "Stop", "");
    expect(received[0]?.body).toMatchObject({ payload: null });
  });
});

function fakeCommands(commands: Readonly<Record<string, string>>): string {
  const bin = join(home, "bin");
  mkdirSync(bin);
  for (const [name, text] of Object.entries(commands)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

function linkCommands(bin: string, names: readonly string[]): void {
  for (const name of names) symlinkSync(pathOf(name), join(bin, name));
}

function pathOf(command: string): string {
  return execFileSync("/bin/sh", ["-c", `command -v ${command}`], { encoding: "utf8" }).trim();
}
