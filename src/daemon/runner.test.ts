import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProcessIdentity } from "../ports/processes.ts";
import type { TurnHandover, TurnOrder } from "../ports/runner.ts";
import { processesOn } from "../processes/processes.ts";
import { CommandReader } from "../programs/generic/headless.ts";
import type { Headless } from "../programs/headless.ts";
import { commandRunner, RUNNER_LIMITS } from "./runner.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "bh-"));
  for (const name of ["scratch", "work"]) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const processes = processesOn(process.platform);
const script = (text: string) => ["/bin/sh", "-c", text];

/** A program that runs its prompt as a shell script. */
const shell: Headless = {
  turn: ({ prompt }) => ({ words: ["sh"], stdin: prompt }),
  settingsFile: ({ HOME }) => `${HOME}/settings`,
  question: ({ prompt }, settings) => ({ words: ["sh"], stdin: `${settings}${prompt}` }),
  reader: () => new CommandReader(),
  answered: (stdout) => {
    if (stdout === "") return undefined;
    return stdout.startsWith("Error: ") ? { failed: stdout } : { answer: stdout };
  },
};

function runner() {
  return commandRunner({
    programs: [
      { name: "sh", headless: shell },
      { name: "no-such-program", headless: shell },
    ],
    processes,
    home: "/home/of/bellhop",
    scratch: join(root, "scratch"),
    environment: {
      PATH: process.env.PATH,
      HOME: root,
      BELLHOP_TOKEN: "owners",
      BELLHOP_SESSION_ID: "parents",
      CLAUDE_CODE_SESSION_ID: "parents",
      BRIDGE_SECRET: "secret",
    },
    secretVariables: () => ["BRIDGE_SECRET"],
    tokenOf: (agent) => `${agent}.seal`,
  });
}

function run(text: string, more: Partial<TurnOrder> = {}, handover: Partial<TurnHandover> = {}) {
  return runner().run(
    {
      turnId: `turn-${root}`,
      runner: "command",
      command: script(text),
      sessionId: "08bc57cf",
      agent: "coder",
      folder: join(root, "work"),
      prompt: "the prompt",
      tools: [],
      deadlineMs: 20_000,
      ...more,
    },
    { signal: new AbortController().signal, started: async () => {}, doing: () => {}, ...handover },
  );
}

describe("whether a runner can run", () => {
  it.each<[string, readonly string[], string | undefined]>([
    ["sh", [], undefined],
    ["command", ["sh", "-c", "true"], undefined],
    ["command", ["/bin/sh"], undefined],
    ["command", ["./in-its-folder"], undefined],
    ["command", [], 'the runner "command" needs a command'],
    ["command", ["/nowhere/at/all"], '"/nowhere/at/all" is not installed here'],
    ["no-such-program", [], '"no-such-program" is not installed here'],
    ["unheard-of", [], 'there is no runner "unheard-of" (there are: sh, no-such-program, command)'],
  ])("%s %j", (name, command, obstacle) => {
    expect(runner().obstacle(name, command)).toBe(obstacle);
  });
});

describe("a turn", () => {
  it("answers with what the command says", async () => {
    expect(await run("echo got; cat")).toEqual({ kind: "answered", answer: "got\nthe prompt" });
  });

  it("speaks as its agent, and holds neither the owner's token nor a secret nor another session", async () => {
    const names = "^(BELLHOP|BRIDGE|CLAUDE)_";
    const outcome = await run(`env | grep -E '${names}' | sort`, { conversation: "c1", role: "You review." });
    expect(outcome).toEqual({
      kind: "answered",
      answer: [
        "BELLHOP_AGENT=coder",
        "BELLHOP_CONVERSATION=c1",
        "BELLHOP_HOME=/home/of/bellhop",
        "BELLHOP_ROLE=You review.",
        "BELLHOP_SESSION_ID=08bc57cf",
        "BELLHOP_TOKEN=coder.seal",
        `BELLHOP_TURN=turn-${root}`,
      ].join("\n"),
    });
  });

  it("is announced, as the process that it is, before it runs", async () => {
    const announced: ProcessIdentity[] = [];
    const outcome = await run("ls; echo $$", undefined, {
      started: async (identity) => {
        announced.push(identity);
        expect(await processes.alive(identity.pid, identity.startedAt)).toBe("alive");
        mkdirSync(join(root, "work", "announced"));
      },
    });
    expect(outcome).toEqual({ kind: "answered", answer: `announced\n${announced[0]?.pid}` });
  });

  it("is not run if it cannot be announced", async () => {
    const started = async () => {
      throw new Error("the disk is full");
    };
    expect(await run("mkdir ran", undefined, { started })).toEqual({
      kind: "not-started",
      why: "the disk is full",
    });
    expect(readdirSync(join(root, "work"))).toEqual([]);
  });

  it.each<[string, Partial<TurnOrder>, string]>([
    ["its program is missing", { command: ["no-such-program"] }, '"no-such-program" is not installed here'],
    ["its folder is gone", { folder: "/nowhere" }, "its folder is not there: /nowhere"],
    ["its runner is unknown", { runner: "nobody" }, 'there is no runner "nobody"'],
  ])("does not begin if %s", async (_what, order, why) => {
    expect(await run("true", order)).toEqual({ kind: "not-started", why: expect.stringContaining(why) });
  });

  it.each([
    ["echo one >&2; echo two >&2; exit 3", "two"],
    ["exit 3", "it failed (exit status 3)"],
    ["kill -KILL $$", "it was killed"],
  ])("that fails says why: %s", async (text, why) => {
    expect(await run(text)).toEqual({ kind: "failed", why });
  });

  it("ends at its deadline, and when it is stopped", async () => {
    expect(await run("sleep 1000", { deadlineMs: 200 })).toEqual({ kind: "late" });
    const signal = AbortSignal.timeout(200);
    expect(await run("sleep 1000", undefined, { signal })).toEqual({ kind: "stopped" });
  });

  it("cuts an answer that nobody would read, and says so", async () => {
    const outcome = await run(`head -c ${RUNNER_LIMITS.answerCharacters + 1} /dev/zero | tr '\\0' x`);
    expect(outcome).toMatchObject({
      kind: "answered",
      answer: expect.stringMatching(/x\n\[cut: it was 1048577 /),
    });
  });
});

describe("a question", () => {
  const ask = (prompt: string, more: { runner?: string; timeoutMs?: number; signal?: AbortSignal } = {}) =>
    runner().ask(
      { runner: more.runner ?? "sh", model: "small", prompt, timeoutMs: more.timeoutMs ?? 20_000 },
      more.signal ?? new AbortController().signal,
    );

  it("is made of what the settings of its user say", async () => {
    writeFileSync(join(root, "settings"), "THEIRS=yes\n");
    expect(await ask("echo $THEIRS")).toEqual({ answer: "yes" });
  });

  it("is asked in an empty folder, by nobody's agent, and leaves nothing behind", async () => {
    const asked = await ask("ls -A; echo YES; env | grep -c -E '^BELLHOP_(AGENT|SESSION_ID|TOKEN)='; true");
    expect(asked).toEqual({ answer: "YES\n0" });
    expect(readdirSync(join(root, "scratch"))).toEqual([]);
  });

  it.each([
    ["exit 3", {}, "it failed (exit status 3)"],
    ["echo Error: overloaded; echo a warning >&2; exit 1", {}, "Error: overloaded"],
    ["echo Error: overloaded", {}, "Error: overloaded"],
    ["echo YES; exit 1", {}, "it failed (exit status 1)"],
    ["true", {}, "it gave no answer"],
    ["sleep 1000", { timeoutMs: 200 }, "no answer within 0.2 s"],
    ["sleep 1000", { signal: AbortSignal.abort() }, "it was stopped"],
    ["true", { runner: "command" }, '"command" cannot be asked'],
    ["true", { runner: "no-such-program" }, '"no-such-program" is not installed here'],
    ["yes", {}, "its answer was too long"],
  ])("without an answer says why: %s %o", async (prompt, more, none) => {
    expect(await ask(prompt, more)).toEqual({ none });
  });
});

describe("what an earlier daemon left", () => {
  async function leftover() {
    const child = spawn("/bin/sh", ["-c", "trap '' TERM; echo on; sleep 1000"], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    const identity = await processes.identify(child.pid ?? 0);
    if (identity === "gone") throw new Error("it is gone");
    return { child, identity };
  }

  it("is ended, with its group", async () => {
    const { child, identity } = await leftover();
    const closed = once(child, "close");
    await runner().end(identity);
    expect(await processes.identify(identity.pid)).toBe("gone");
    await closed;
  });

  it("is left to its watcher first, who also ends what has left its group", async () => {
    const watched = "(trap '' TERM; echo on; sleep 0.3; : >seen-to; kill -KILL 0) & exec sleep 1000";
    const child = spawn("/bin/sh", ["-c", watched], {
      cwd: root,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    const identity = await processes.identify(child.pid ?? 0);
    if (identity === "gone") throw new Error("it is gone");
    await runner().end(identity);
    expect(readdirSync(root)).toContain("seen-to");
  });

  it("is left alone if its number belongs to somebody else by now", async () => {
    const { child, identity } = await leftover();
    await runner().end({ pid: identity.pid, startedAt: "earlier" });
    expect(await processes.identify(identity.pid)).toEqual(identity);
    process.kill(-identity.pid, "SIGKILL");
    await once(child, "close");
    await runner().end(identity);
  });
});
