import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { showsClaudePermissionDialog, startClaude } from "./claude.ts";
import { showsCodexPermissionDialog, startCodex } from "./codex.ts";
import { type FakeModel, startFakeModel } from "./fake-model.ts";
import { assertInNamespace } from "./namespace.ts";
import type { RunningAgent } from "./running-agent.ts";
import { startTmuxServer, type TmuxServer } from "./tmux-server.ts";
import { attachTypist } from "./typist.ts";

beforeAll(assertInNamespace);

let tmux: TmuxServer;
let model: FakeModel;

beforeEach(async () => {
  tmux = startTmuxServer();
  model = await startFakeModel();
});

afterEach(async () => {
  await tmux.kill();
  await model.close();
});

async function typePrompt(agent: RunningAgent, prompt: string): Promise<void> {
  const typist = await attachTypist({ tmux, pane: agent.pane });
  await typist.type(prompt);
  await tmux.waitForScreen(agent.pane, (screen) => screen.includes(prompt));
  typist.press("\r");
  await model.waitForPrompt(prompt);
  await typist.close();
}

describe.each([
  { name: "Claude Code", start: startClaude, showsDialog: showsClaudePermissionDialog },
  { name: "Codex", start: startCodex, showsDialog: showsCodexPermissionDialog },
])("$name on the rig", ({ start, showsDialog }) => {
  it("submits exactly the prompt that a person typed", async () => {
    const agent = await start({ tmux, model });
    await typePrompt(agent, "how many lights are there? 四つ 🙂");
    await tmux.waitForScreen(agent.pane, (screen) => screen.includes("ACK"));
    expect(model.prompts()).toEqual(["how many lights are there? 四つ 🙂"]);
  });

  it("asks before it runs a command", async () => {
    const agent = await start({ tmux, model });
    await typePrompt(agent, "go on [[escalate touch x]]");
    await tmux.waitForScreen(agent.pane, showsDialog);
    expect(existsSync(join(agent.repo, "x"))).toBe(false);
  });

  it("can be started from a shell that stays under it", async () => {
    const agent = await start({ tmux, model, under: "shell" });
    expect(await tmux.ask(agent.pane, "#{pane_current_command}")).not.toBe("bash");
  });
});

it("shows what a command that the model ran has seen", async () => {
  const tools = join(tmux.folder, "tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "whoami-here"), '#!/bin/sh\necho "thread $CODEX_THREAD_ID in $BELLHOP_HOME"\n', {
    mode: 0o755,
  });
  const agent = await startCodex({
    tmux,
    model,
    pathFolders: [tools],
    extraEnv: { BELLHOP_HOME: "/a/home" },
  });
  await typePrompt(agent, "who? [[bash whoami-here]]");
  const { toolResults } = await model.waitForRequest(({ kind }) => kind === "tool_result");
  expect(toolResults.join()).toMatch(/thread [0-9a-f-]{36} in \/a\/home/);
});

it("shows Claude's guess at the next prompt", async () => {
  const agent = await startClaude({ tmux, model, ghostSuggestions: true });
  const typist = await attachTypist({ tmux, pane: agent.pane });
  for (const prompt of ["first one", "the second"]) {
    await typist.type(prompt);
    await tmux.waitForScreen(agent.pane, (screen) => screen.includes(prompt));
    typist.press("\r");
    await model.waitForPrompt(prompt);
    await tmux.waitForScreen(agent.pane, (screen) => screen.includes(`ACK ${prompt.length} characters`));
  }
  await tmux.waitForScreen(agent.pane, (screen) => /^❯\s+run the unit tests/m.test(screen));
  expect(model.prompts()).toEqual(["first one", "the second"]);
  await typist.close();
});
