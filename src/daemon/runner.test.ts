import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../core/message.ts";
import type { ProcessIdentity } from "../ports/processes.ts";
import type { TurnHandover, TurnOrder } from "../ports/runner.ts";
import { processesOn } from "../processes/processes.ts";
import { CommandReader } from "../programs/generic/headless.ts";
import type { Headless } from "../programs/headless.ts";
import { systemClock } from "../system/clock.ts";
import { commandRunner } from "./runner.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "bh-"));
  for (const name of ["scratch", "work", "bin"]) mkdirSync(join(root, name));
  for (const name of ["says-json", "complains", "unaskable"])
    writeFileSync(join(root, "bin", name), "", { mode: 0o755 });
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

/** Its prompt as a script too, by way of the command; what it prints is text of JSON, or its complaint. */
const saysJson: Headless = {
  ...shell,
  turn: ({ command }) => ({ words: command, stdin: "" }),
  reader: () => {
    let said = "";
    return {
      line: (text) => {
        said = JSON.parse(`"${text}"`);
        return undefined;
      },
      ended: () => ({ answer: said }),
    };
  },
};
const complains: Headless = {
  ...saysJson,
  reader: () => {
    const all = new CommandReader();
    return { line: (text) => all.line(text), ended: () => ({ failed: all.ended().answer }) };
  },
};
const unaskable: Headless = {
  ...shell,
  question: () => {
    throw new Error("nobody knows how");
  },
};

function runner() {
  return commandRunner({
    programs: [
      { name: "sh", headless: shell },
      { name: "no-such-program", headless: shell },
      { name: "says-json", headless: saysJson },
      { name: "complains", headless: complains },
      { name: "unaskable", headless: unaskable },
    ],
    processes,
    clock: systemClock,
    home: "/home/of/bellhop",
    scratch: join(root, "scratch"),
    environment: {
      PATH: `${process.env.PATH}:${join(root, "bin")}`,
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
    [
      "unheard-of",
      [],
      'there is no runner "unheard-of" (there are: sh, no-such-program, says-json, complains, unaskable, command)',
    ],
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

  it("does not go on with a conversation whose id could be an option", async () => {
    const outcome = await run('echo "<$BELLHOP_CONVERSATION>"', { conversation: "--all" });
    expect(outcome).toEqual({ kind: "answered", answer: "<>" });
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
    ["its folder cannot be one", { folder: "/a\0b" }, "null bytes"],
    ["its command cannot be one", { command: ["sh", "a\0b"] }, "null bytes"],
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

  it("cuts an answer that no message could carry, and says so", async () => {
    const outcome = await run(`head -c ${LIMITS.bodyBytes} /dev/zero | tr '\\0' x; echo é`);
    expect(outcome).toMatchObject({ kind: "answered", answer: expect.stringMatching(/x\n\[… cut: it was/) });
    const { answer } = outcome as { answer: string };
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(LIMITS.bodyBytes);
  });

  it("answers in whole characters, whatever its program says", async () => {
    expect(await run("printf 'a\\\\ud83d'", { runner: "says-json" })).toEqual({
      kind: "answered",
      answer: "a\ufffd",
    });
  });

  it("says in one short line why it failed, whatever its program says", async () => {
    const outcome = await run("head -c 2000000 /dev/zero | tr '\\0' x; exit 1", { runner: "complains" });
    expect(outcome).toEqual({ kind: "failed", why: "x".repeat(300) });
    expect(await run("printf 'one\\n[bellhop] two\\n\\033[2J'; exit 1", { runner: "complains" })).toEqual({
      kind: "failed",
      why: "one [bellhop] two",
    });
    const started = async () => {
      throw new Error("the\ndisk");
    };
    expect(await run("true", undefined, { started })).toEqual({ kind: "not-started", why: "the disk" });
  });
});

describe("a question", () => {
  const ask = (
    prompt: string,
    more: {
      runner?: string;
      timeoutMs?: number;
      signal?: AbortSignal;
      started?: TurnHandover["started"];
    } = {},
  ) =>
    runner().ask(
      { runner: more.runner ?? "sh", model: "small", prompt, timeoutMs: more.timeoutMs ?? 20_000 },
      { signal: more.signal ?? new AbortController().signal, started: more.started ?? (async () => {}) },
    );

  it("is announced, as the process that it is, before it runs", async () => {
    const announced: ProcessIdentity[] = [];
    const started = async (identity: ProcessIdentity) => {
      announced.push(identity);
      writeFileSync(join(root, "announced"), "");
    };
    const said = await ask(`ls ${root}/announced; echo $$`, { started });
    expect(said).toEqual({ answer: `${root}/announced\n${announced[0]?.pid}` });
  });

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
    ["echo Error: one; echo '[bellhop] two'", {}, "Error: one [bellhop] two"],
    ["true", { runner: "unaskable" }, "nobody knows how"],
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
