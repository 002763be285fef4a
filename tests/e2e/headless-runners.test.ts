import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { HOOK_SCRIPT } from "../../src/hooks/hooked-program.ts";
import { hookCommand, hookScript } from "../../src/hooks/script.ts";
import { HOOKED_PROGRAMS } from "../../src/programs/index.ts";
import { GEMINI_MODEL } from "../rig/gemini.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { OPENCODE_MODEL } from "../rig/opencode.ts";
import { HeadlessStage } from "./headless-stage.ts";

const PATIENCE_MS = 300_000;
/** It would run for ever. */
const ENDLESS = "tail -f /dev/null";

/** It may run a command without asking. */
const ALLOWED = {
  claude: { tools: ["Bash"] },
  codex: { permissionMode: "danger-full-access" },
  opencode: { tools: ["bash"] },
  gemini: { tools: ["Bash"] },
} as const;
const SMALL_MODEL = {
  claude: "haiku",
  codex: "gpt-5",
  opencode: OPENCODE_MODEL,
  gemini: GEMINI_MODEL,
} as const;
/** The others do not say what a turn costs. */
const SAYS_COST = ["claude", "opencode"];

beforeAll(assertInNamespace);

describe.each(["claude", "codex", "opencode", "gemini"] as const)("a headless turn of %s", (name) => {
  let stage: HeadlessStage;
  beforeEach(async () => {
    stage = await HeadlessStage.open(name);
  });
  afterEach(() => stage.strike());

  const allowed = ALLOWED[name];
  /** Without one, Gemini CLI first asks a model which to take. */
  const model = name === "gemini" ? { model: GEMINI_MODEL } : {};

  it(
    "answers, and the next one goes on with its conversation",
    async () => {
      const first = await stage.run("Remember the plum. [[say NOTED]]", {
        ...model,
        role: "You are the gardener.",
      });
      expect(first).toMatchObject({ kind: "answered", answer: "NOTED", tokensIn: 10, tokensOut: 5 });
      if (first.kind !== "answered" || first.conversation === undefined) throw new Error("no conversation");
      expect(stage.sentWith("plum")).toContain("You are the gardener.");

      const second = await stage.run("Which fruit? [[say PLUM]]", {
        ...model,
        conversation: first.conversation,
      });
      expect(second).toMatchObject({ kind: "answered", answer: "PLUM", conversation: first.conversation });
      expect(stage.sentWith("Which fruit?")).toMatch(/Remember the plum\..*NOTED/u);
      // Each turn is counted on its own: the budget adds them up.
      if (SAYS_COST.includes(name)) {
        expect(first.usd).toBeGreaterThan(0);
        expect(second).toMatchObject({ usd: first.usd });
      }
    },
    PATIENCE_MS,
  );

  it(
    "shows what it does, and its commands speak as its agent only",
    async () => {
      const outcome = await stage.run("[[bash env]]", { ...allowed, turnId: "turn-env" });
      expect(outcome).toMatchObject({ kind: "answered", answer: "TOOL DONE" });
      expect(stage.doing).toContainEqual(expect.stringMatching(/: .*env/u));
      const environment = stage.model.requests.flatMap(({ toolResults }) => toolResults).join("\n");
      for (const own of [
        "BELLHOP_AGENT=coder",
        "BELLHOP_SESSION_ID=08bc57cf",
        "BELLHOP_TOKEN=coder.token",
        "BELLHOP_TURN=turn-env",
      ])
        expect(environment).toContain(own);
      expect(environment).not.toMatch(/BRIDGE_SECRET|=owners/u);
    },
    PATIENCE_MS,
  );

  it(
    "opens no file that its prompt names",
    async () => {
      writeFileSync(join(stage.repo, "secret.txt"), "THE-SECRET\n");
      const path = join(stage.repo, "secret.txt");
      await stage.run(`From a stranger: @secret.txt @"secret.txt"\n@${path} 。@${path} [[say OK]]`);
      expect(stage.sentWith("From a stranger")).toContain("secret.txt");
      expect(stage.sentWith("From a stranger")).not.toContain("THE-SECRET");
    },
    PATIENCE_MS,
  );

  it(
    "says in the provider's words why it failed",
    async () => {
      const outcome = await stage.run("[[error 400]]");
      expect(outcome).toMatchObject({ kind: "failed", why: expect.stringMatching(/scripted error$/u) });
    },
    PATIENCE_MS,
  );

  it(
    "ends at its deadline with the command that it runs, and its conversation can be resumed",
    async () => {
      // Codex does not wait for a long command, but goes on.
      const remove = stage.model.on(({ kind }) => kind === "tool_result", { untilFinished: true });
      const running = stage.run(`Start it. [[bash touch begun; ${ENDLESS}]]`, {
        ...allowed,
        turnId: "turn-late",
        deadlineMs: PATIENCE_MS,
      });
      while (!existsSync(join(stage.repo, "begun"))) await sleep(50);
      // OpenCode reports a command only when that has ended.
      if (name !== "opencode")
        await vi.waitFor(() => expect(stage.doing).toContainEqual(expect.stringContaining(ENDLESS)), 20_000);
      stage.passDeadline();
      const late = await running;
      expect(late).toMatchObject({ kind: "late", conversation: expect.any(String) });
      await untilNobodyHas("turn-late");
      remove();
      const conversation = late.kind === "late" ? (late.conversation ?? "") : "";
      const next = await stage.run("And now? [[say FINE]]", { conversation });
      expect(next).toMatchObject({ kind: "answered", answer: "FINE" });
      expect(stage.sentWith("And now?")).toContain("Start it.");
    },
    PATIENCE_MS,
  );

  it(
    "ends when it is stopped",
    async () => {
      const stop = new AbortController();
      const running = stage.run("[[busy]]", { turnId: "turn-stopped" }, stop.signal);
      await stage.model.waitForRequest(({ kind }) => kind === "main");
      stop.abort();
      expect(await running).toMatchObject({ kind: "stopped" });
      await untilNobodyHas("turn-stopped");
    },
    PATIENCE_MS,
  );

  it.each(["YES", "NO"])(
    "is preceded by a question to a small model, which answers %s without a shell",
    async (verdict) => {
      stage.model.on(({ userText }) => userText.includes("worth a turn?"), { say: verdict });
      const question = {
        runner: name,
        model: SMALL_MODEL[name],
        prompt: "Is it worth a turn?",
        timeoutMs: 120_000,
      };
      const asked = await stage.runner.ask(question, {
        signal: new AbortController().signal,
        started: async () => {},
      });
      expect(asked).toMatchObject({ answer: verdict });
      if (SAYS_COST.includes(name)) expect(asked).toMatchObject({ usd: expect.any(Number) });
      const offered = stage.model.requests.flatMap(({ offeredTools }) => offeredTools);
      for (const tool of [
        "Bash",
        "Read",
        "bash",
        "read",
        "exec_command",
        "shell",
        "shell_command",
        "web_search",
        "run_shell_command",
        "read_file",
      ])
        expect(offered).not.toContain(tool);
    },
    PATIENCE_MS,
  );
});

describe("the hooks of a headless turn", () => {
  it(
    "run, and report nothing",
    async () => {
      const stage = await HeadlessStage.open("claude");
      try {
        const bellhop = join(stage.home, "..", "bellhop");
        const script = join(bellhop, HOOK_SCRIPT);
        for (const folder of [dirname(script), join(bellhop, "spool")])
          mkdirSync(folder, { recursive: true });
        writeFileSync(script, hookScript(HOOKED_PROGRAMS));
        const hook = hookCommand(script, "claude", "UserPromptSubmit");
        const hooks = [{ hooks: [{ type: "command", command: `touch ${stage.home}/hooked; ${hook}` }] }];
        writeFileSync(
          join(stage.home, ".claude", "settings.json"),
          JSON.stringify({ hooks: { UserPromptSubmit: hooks } }),
        );
        expect(await stage.run("[[say OK]]")).toMatchObject({ kind: "answered", answer: "OK" });
        expect(readdirSync(stage.home)).toContain("hooked");
        // Nobody listens: a report would be there.
        expect(readdirSync(join(bellhop, "spool"))).toEqual([]);
      } finally {
        await stage.strike();
      }
    },
    PATIENCE_MS,
  );
});

async function untilNobodyHas(turnId: string): Promise<void> {
  for (let look = 0; look < 100 && withMark(turnId).length > 0; look++) await sleep(50);
  expect(withMark(turnId)).toEqual([]);
}

/** The command lines of everything that still runs for this turn. */
function withMark(turnId: string): readonly string[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/u.test(pid))
    .flatMap((pid) => {
      try {
        const isMarked = readFileSync(`/proc/${pid}/environ`, "utf8").includes(`BELLHOP_TURN=${turnId}\0`);
        return isMarked ? [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")] : [];
      } catch {
        return [];
      }
    });
}
