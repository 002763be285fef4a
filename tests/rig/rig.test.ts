import { existsSync } from "node:fs";
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
});
