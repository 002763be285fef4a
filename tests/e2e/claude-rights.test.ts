/** One Claude Code must not act through another: attacks that once worked, with the real program and its allow rules. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bellhopOnPath } from "../rig/bellhop.ts";
import { settleClaudeUser, showsClaudePermissionDialog } from "../rig/claude.ts";
import { type FakeModel, type ModelRequest, startFakeModel } from "../rig/fake-model.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { PATIENCE_MS, Stage } from "./claude-stage.ts";

beforeAll(assertInNamespace);

describe("an agent before another's permission dialog", () => {
  let stage: Stage;
  let alice: RunningAgent;
  let mallory: RunningAgent;
  let mallorysModel: FakeModel;
  let typist: Typist;

  beforeAll(async () => {
    stage = await Stage.set({ where: "tmux" });
    mallorysModel = await startFakeModel();
    const home = join(stage.tmux.folder, "home");
    mkdirSync(home);
    settleClaudeUser(
      home,
      ["alice", "mallory"].map((name) => join(stage.tmux.folder, name)),
    );
    const user = {
      home,
      pathFolders: [bellhopOnPath(join(stage.tmux.folder, "bin"))],
      extraEnv: { BELLHOP_HOME: stage.bellhop.home },
    };
    alice = await stage.enter("alice", user);
    mallory = await stage.enter("mallory", { ...user, model: mallorysModel });
    typist = await stage.typist(mallory);
    const atAlice = await stage.typist(alice);
    await atAlice.type("[[bash touch answered]]");
    await alice.terminal.waitForScreen((seen) => seen.includes("touch answered]]"));
    atAlice.press("\r");
    await alice.terminal.waitForScreen(showsClaudePermissionDialog, { timeoutMs: PATIENCE_MS });
  });
  afterAll(async () => {
    await stage?.strike();
    await mallorysModel?.close();
  });

  const seen = new Set<ModelRequest>();
  /** The model runs the command; resolves with the result that it got. */
  const runs = async (command: string): Promise<string> => {
    await stage.untilIdle("mallory");
    const prompt = `[[bash ${command}]]`;
    await typist.type(prompt);
    await mallory.terminal.waitForScreen((seen) => seen.includes(prompt.slice(-12)));
    typist.press("\r");
    const heard = await mallorysModel.waitForRequest(
      (request) => request.kind === "tool_result" && !seen.has(request),
      { timeoutMs: PATIENCE_MS },
    );
    seen.add(heard);
    return heard.toolResults.join();
  };
  const isUntouched = async () => {
    expect(showsClaudePermissionDialog(await alice.terminal.screen())).toBe(true);
    expect(existsSync(join(alice.repo, "answered"))).toBe(false);
  };

  it("cannot press a key in it", async () => {
    expect(await runs("bellhop send alice --raw --key Enter")).toContain('the right "raw" is missing');
    await isUntouched();
  });

  it("cannot dismiss it by an urgent message, which waits", async () => {
    const sent = JSON.parse(await runs("bellhop send alice stop --urgent --json")) as { messageId: string };
    await stage.held(sent, "blocked");
    expect((await stage.delivery(sent)).hold?.release).toContain('"dismiss"');
    await isUntouched();
  });
});
