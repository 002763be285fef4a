/** `spawn` as agents and people run it: the built command line, a real daemon, scripted agents in hosted terminals. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ShownAgent } from "../../src/wire/shapes/sessions.ts";
import { readScriptedLog, scriptedCommand, until } from "../rig/scripted-agent.ts";
import { hostedStage } from "./hosted-stage.ts";

const stage = hostedStage();

interface Spawned {
  readonly sessionId: string;
  readonly agent: string;
  readonly shortId: string;
  readonly state?: string;
}

const logOf = (name: string) => join(stage.folder, `${name}.jsonl`);
const promptsOf = (name: string) =>
  readScriptedLog(logOf(name))
    .flatMap(({ prompt }) => prompt ?? [])
    // A longer one is given as a file to read.
    .map((prompt) => prompt.replace(/Read (\S+\.md)/, (_, file: string) => readFileSync(file, "utf8")));
const agents = async () =>
  (await stage.bellhop.json<readonly ShownAgent[]>(["agent", "list"])).map(({ name }) => name);

function words(name: string, prompt: string, ...options: readonly string[]): readonly string[] {
  const place = ["--name", name, "--cwd", stage.folder];
  return ["spawn", prompt, ...place, ...options, "--", ...scriptedCommand(name, logOf(name))];
}

describe("spawn by an agent", () => {
  it("makes a child that knows its parent, and tells the parent once when its first turn has ended", async () => {
    const started = await stage.bellhop.json<Spawned>([
      "run",
      ...[
        "--detach",
        "--name",
        "lead",
        "--cwd",
        stage.folder,
        "--",
        ...scriptedCommand("lead", logOf("lead")),
      ],
    ]);
    const env = { BELLHOP_SESSION_ID: started.sessionId };
    const child = await stage.bellhop.json<Spawned>(words("login", "Build the login. [[busy 3]]"), { env });
    await until(() => promptsOf("login").join("\n").includes("Build the login."), "the first message");
    expect(promptsOf("login").join("\n")).toContain("message from: lead");
    const notices = () => promptsOf("lead").filter((prompt) => prompt.includes("has ended its first turn"));
    await until(() => notices().length > 0, "word to the parent");
    expect(notices()).toHaveLength(1);
    expect(notices()[0]).toContain(`login (${child.sessionId})`);
    await stage.bellhop.json(["send", "login", "And the logout.", "--wait", "delivered"]);
    await stage.bellhop.json(["send", "lead", "Anything else?", "--wait", "delivered"]);
    expect(notices()).toHaveLength(1);
    const { parent } = await (await stage.bellhop.client()).call("session", { who: "login" });
    expect(parent).toBe(started.sessionId);
  });
});

describe("spawn by a person", () => {
  it("--wait comes back when the first turn has ended; nothing is put into the mailbox of who asked", async () => {
    const child = await stage.bellhop.json<Spawned>(words("login", "Build the login. [[busy 3]]", "--wait"));
    expect(child.state).toBe("read");
    expect(promptsOf("login")).toHaveLength(1);
    expect(await stage.bellhop.json(["inbox"])).toEqual([]);
  });

  it("--wait does not call a turn ended that showed no sign of work", async () => {
    const ran = await stage.bellhop.run(words("silent", "Done at once.", "--wait", "--wait-timeout", "12s"));
    expect(ran.code).toBe(7);
    expect(promptsOf("silent")).toHaveLength(1);
  });

  it("--wait ends with 1 when the child ends before it has answered", async () => {
    const ran = await stage.bellhop.run([
      "spawn",
      "hello",
      "--name",
      "gone",
      "--wait",
      "--",
      "sh",
      "-c",
      "exit 4",
    ]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('"gone" ended before it had answered');
  });

  it("--wait ends with 7 when its time is over, and the child goes on", async () => {
    const wait = ["--wait", "--wait-timeout", "1s"];
    const ran = await stage.bellhop.run(words("slow", "Think. [[busy 600]]", ...wait));
    expect(ran.code).toBe(7);
    expect((await stage.bellhop.run(["peek", "slow"])).code).toBe(0);
  });

  it.each<[string, readonly string[], number]>([
    ["an empty message", [""], 2],
    ["no message", [], 2],
    ["a program that is not there", ["hello", "--", "no-such-program"], 2],
    ["a wait that is none", ["hello", "--wait", "--wait-timeout", "soon"], 2],
    ["a limit without a wait", ["hello", "--wait-timeout", "1s"], 2],
  ])("refuses %s, and starts nobody", async (_what, args, status) => {
    const refused = await stage.bellhop.run(["spawn", ...args]);
    expect([refused.code, refused.stdout]).toEqual([status, ""]);
    expect(await agents()).toEqual([]);
  });
});
