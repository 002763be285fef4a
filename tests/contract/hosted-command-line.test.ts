/** `run`, `ls`, `stop`, `restart` as users run them: the built command line, a real daemon, real hosts, small programs. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LONGEST_SOCKET_PATH_BYTES } from "../../src/home/home.ts";
import type { RunResponse, ShownAgent } from "../../src/wire/shapes/sessions.ts";
import { endHosts, hostRecords } from "../rig/hosts.ts";
import { until } from "../rig/scripted-agent.ts";
import { errorOf, hostedStage } from "./hosted-stage.ts";

/** Says who it is and stays. */
const STAYS = ["sh", "-c", "echo here; exec sleep 600"] as const;

const stage = hostedStage();

const runs = (name: string, command: readonly string[], ...options: readonly string[]) =>
  stage.bellhop.runDetached(command, { name, folder: stage.folder, options });
const { listed } = stage;
const agents = () => stage.bellhop.json<readonly ShownAgent[]>(["agent", "list"]);
const ending = async (name: string) =>
  (await stage.bellhop.ask("ls", { all: true })).sessions.find(({ agent }) => agent === name)?.ending;
const hasEnded = (name: string) => until(async () => (await ending(name)) !== undefined, `${name} to end`);

async function nothingIsLeft(): Promise<void> {
  expect(await stage.bellhop.ask("agent_list", {})).toMatchObject({ agents: [] });
  expect(await stage.bellhop.ask("ls", { all: true })).toMatchObject({ sessions: [] });
  const hosts = join(stage.bellhop.home, "hosts");
  expect(existsSync(hosts) ? readdirSync(hosts) : []).toEqual([]);
}

describe("run refuses in words, and leaves nothing behind", () => {
  it.each<[string, readonly string[], string, number]>([
    ["nothing to run", [], "usage.invalid", 2],
    ["nothing behind --", ["--name", "x", "--"], "usage.invalid", 2],
    ["a program that is not there", ["--", "no-such-program"], "program.unknown", 2],
    ["a path that is no program", ["--", "/etc/passwd"], "program.unknown", 2],
    ["a folder that is not there", ["--cwd", "/no/such/folder", "--", "true"], "usage.invalid", 2],
    ["a name with bad letters", ["--name", "Bad Name", "--", "true"], "name.invalid", 2],
    ["a name that is too long", ["--name", "a".repeat(65), "--", "true"], "name.invalid", 2],
    ["two places at once", ["--tmux", "--pty", "--", "true"], "usage.invalid", 2],
    ["an option that belongs behind --", ["claude", "--model", "x"], "usage.invalid", 2],
    ["in tmux, a program that is not there", ["--tmux", "--", "no-such-program"], "program.unknown", 2],
  ])("%s", async (_what, args, code, status) => {
    const refused = await stage.bellhop.run(["run", "--json", "--detach", ...args]);
    const error = errorOf(refused);
    expect([error.code, refused.code]).toEqual([code, status]);
    expect(error.next).not.toBe("");
    await nothingIsLeft();
  });

  it("more words than it takes, without repeating them", async () => {
    const refused = await stage.bellhop.run([
      "run",
      "--detach",
      "--",
      "true",
      ...Array<string>(10_000).fill("x"),
    ]);
    expect(refused.code).toBe(2);
    expect(refused.stderr.length).toBeLessThan(600);
    await nothingIsLeft();
  });

  it("a home whose path leaves no room for a socket, and the longest that does runs a terminal", async () => {
    const root = mkdtempSync("/tmp/bh-l-");
    const homeOf = (bytes: number) => join(root, "h".repeat(bytes - root.length - 1));
    const longest = LONGEST_SOCKET_PATH_BYTES - "/run/bellhop.sock".length;
    const start = ["run", "--json", "--detach", "--name", "far", "--", ...STAYS];
    const refused = await stage.bellhop.run(start, { env: { BELLHOP_HOME: homeOf(longest + 1) } });
    expect(errorOf(refused)).toMatchObject({ code: "home.path_too_long" });
    expect(refused.code).toBe(1);
    const home = homeOf(longest);
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, "config.yaml"), "http: { port: 0 }\n");
    const env = { BELLHOP_HOME: home };
    try {
      expect(await stage.bellhop.run(start, { env })).toMatchObject({ code: 0, stderr: "" });
      expect((await stage.bellhop.run(["peek", "far"], { env })).code).toBe(0);
    } finally {
      await stage.bellhop.run(["down"], { env });
      endHosts(home);
      rmSync(root, { recursive: true, force: true });
    }
  });

  it("a name that a running agent has, and of two at once one", async () => {
    await runs("coder", STAYS);
    const again = await stage.bellhop.run(["run", "--json", "--name", "coder", "--", ...STAYS]);
    expect(errorOf(again)).toMatchObject({ code: "agent.exists" });
    const both = await Promise.all(
      [1, 2].map(() => stage.bellhop.run(["run", "--json", "--detach", "--name", "twin", "--", ...STAYS])),
    );
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect((await listed()).map(({ agent }) => agent).sort()).toEqual(["coder", "twin"]);
  });
});

describe("run", () => {
  it("gives the program its words as they are: empty, with newlines, a thousand", async () => {
    const file = join(stage.folder, "words.json");
    const words = ["", "a\nb", "--json", "$HOME", ...Array.from({ length: 1_000 }, (_, at) => String(at))];
    const script = `require("fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.argv.slice(1)))`;
    await runs("words", [process.execPath, "-e", script, "--", ...words]);
    await hasEnded("words");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(words);
  });

  it("scrubs what names the caller's session, and says whose it is", async () => {
    const file = join(stage.folder, "environment.json");
    const script = `require("fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env))`;
    const theirs = {
      CLAUDECODE: "1",
      CLAUDE_CODE_SESSION_ID: "theirs",
      CODEX_THREAD_ID: "theirs",
      TMUX: "/tmp/t,1,0",
      TMUX_PANE: "%1",
      BELLHOP_PARENT: "theirs",
      LINES: "10",
      COLUMNS: "40",
      myOwn: "kept",
    };
    const started = await stage.bellhop.json<RunResponse>(
      ["run", "--detach", "--name", "child", "--cwd", stage.folder, "--", process.execPath, "-e", script],
      { env: theirs },
    );
    await hasEnded("child");
    const environment = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    expect(environment).toMatchObject({
      myOwn: "kept",
      TERM: "xterm-256color",
      BELLHOP_SESSION_ID: started.sessionId,
      BELLHOP_AGENT: "child",
      BELLHOP_HOME: stage.bellhop.home,
    });
    for (const name of Object.keys(theirs).filter((each) => each !== "myOwn"))
      expect(environment).not.toHaveProperty(name);
  });

  it("does not attach in a pipe, finds its folder from where it is called, and names the agent after it", async () => {
    mkdirSync(join(stage.folder, "My Shop"));
    const ran = await stage.bellhop.run(["run", "--cwd", join(stage.folder, "My Shop"), "--", ...STAYS]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^"my-shop" runs as session [0-9a-f]{8}\. Attach: bellhop attach my-shop\n$/);
  });

  it("of a program that ends at once is that agent, and says that it has ended", async () => {
    for (const name of ["one", "two", "three"]) await runs(name, ["sh", "-c", "echo said; exit 3"]);
    await hasEnded("three");
    expect((await agents()).map(({ name }) => name)).toEqual(["one", "three", "two"]);
    const shown = await stage.bellhop.run(["peek", "one"]);
    expect(shown).toMatchObject({ code: 0, stdout: "said\n" });
    expect(shown.stderr).toMatch(/^one exited 3 at .* ago\)\. Start it again: bellhop restart one\n$/);
  });
});

describe("ls", () => {
  it("shows a hosted session as what it is", async () => {
    const { sessionId } = await runs("coder", STAYS, "--role", "writes code");
    const [session] = await listed();
    expect(session).toMatchObject({
      id: sessionId,
      agent: "coder",
      label: "pty:coder",
      program: "sh",
      terminal: { kind: "pty" },
      role: "writes code",
      queued: 0,
      headline: "coder",
    });
    expect(session?.terminal).toEqual({ kind: "pty" });
    const { stdout } = await stage.bellhop.run(["ls"]);
    expect(stdout).toMatch(/^AGENT +ROLE +ID +PROGRAM +STATE/);
  });

  it("--all tells of those that have ended, how and with what they left", async () => {
    await runs("fine", ["true"]);
    await runs("bad", ["sh", "-c", "exit 7"]);
    await runs("shot", ["sh", "-c", "kill -9 $$"]);
    await runs("lost", STAYS);
    await runs("alive", STAYS);
    const lost = hostRecords(stage.bellhop.home).find(({ agent }) => agent === "lost");
    if (lost === undefined) throw new Error("the host has written nothing down");
    process.kill(lost.hostPid, "SIGKILL");
    for (const name of ["fine", "bad", "shot", "lost"]) await hasEnded(name);
    expect(await ending("fine")).toMatchObject({ how: "exited", code: 0 });
    expect(await ending("bad")).toMatchObject({ how: "exited", code: 7 });
    expect(await ending("shot")).toMatchObject({ how: "killed", signal: 9 });
    expect(await ending("lost")).toMatchObject({ how: "lost" });
    expect((await listed()).map(({ agent }) => agent)).toEqual(["alive"]);
    const { stdout } = await stage.bellhop.run(["ls", "--all"]);
    for (const words of ["exited 0 at", "exited 7 at", "killed by SIGKILL at", "lost at"])
      expect(stdout).toContain(words);
    const peeked = await stage.bellhop.run(["peek", "lost", "--json"]);
    expect([errorOf(peeked).code, peeked.code]).toEqual(["session.exited", 1]);
  });

  it("says how to begin where nobody runs", async () => {
    expect((await stage.bellhop.run(["ls"])).stdout).toContain("bellhop run --name NAME -- claude");
  });
});

describe("stop and restart", () => {
  it("let a program that knows only SIGTERM end in good order, and hang up a shell, which ignores it", async () => {
    const orderly =
      'process.on("SIGTERM", () => { console.log("bye"); process.exit(6); }); setInterval(() => {}, 1e6); console.log("up")';
    await runs("orderly", [process.execPath, "-e", orderly]);
    await runs("shell", ["bash", "--norc", "-i"]);
    await until(
      async () => (await stage.bellhop.run(["peek", "orderly"])).stdout.includes("up"),
      "it to be up",
    );
    for (const name of ["orderly", "shell"])
      expect(await stage.bellhop.json(["stop", name])).toMatchObject({ outcome: "stopped" });
    expect(await ending("orderly")).toMatchObject({ how: "exited", code: 6 });
    expect((await stage.bellhop.run(["peek", "orderly"])).stdout).toContain("bye");
    expect(await ending("shell")).not.toMatchObject({ signal: 9 });
  });

  it("ask first and then make it; the name, the session and the mail stay", async () => {
    const stubborn = ["sh", "-c", "trap '' HUP TERM; echo here; while :; do sleep 1; done"] as const;
    const { sessionId } = await runs("coder", stubborn);
    await until(
      async () => (await stage.bellhop.run(["peek", "coder"])).stdout === "here\n",
      "its first line",
    );
    await stage.bellhop.json(["send", "coder", "for later"]);
    expect(await stage.bellhop.json(["stop", "coder", "--grace", "100ms"])).toMatchObject({
      outcome: "stopped",
    });
    expect(await ending("coder")).toMatchObject({ how: "killed", signal: 9 });
    expect(await stage.bellhop.json(["restart", "coder"])).toMatchObject({ agent: "coder", sessionId });
    expect(await listed()).toMatchObject([{ agent: "coder", id: sessionId, queued: 1 }]);
  });

  it.each<[string, string, string, number]>([
    ["stop", "ended", "session.exited", 1],
    ["stop", "nobody", "recipient.unknown", 3],
    ["stop", "mailbox", "session.unknown", 3],
    ["restart", "nobody", "recipient.unknown", 3],
    ["restart", "mailbox", "session.unknown", 3],
    ["resume", "nobody", "recipient.unknown", 3],
    ["peek", "nobody", "recipient.unknown", 3],
    ["peek", "mailbox", "session.exited", 1],
  ])("%s of %s says what is wrong and what to do", async (command, who, code, status) => {
    await stage.bellhop.json(["agent", "add", "mailbox"]);
    await runs("ended", ["true"]);
    await hasEnded("ended");
    const refused = await stage.bellhop.run([command, who, "--json"]);
    const error = errorOf(refused);
    expect([error.code, refused.code]).toEqual([code, status]);
    expect(error.next).toContain("bellhop ");
  });
});
