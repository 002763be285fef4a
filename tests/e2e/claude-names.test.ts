import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PLACES } from "../rig/agent-terminal.ts";
import { NO_SESSION } from "../rig/hosted-place.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { PATIENCE_MS, Stage } from "./claude-stage.ts";

beforeAll(assertInNamespace);

describe.each(PLACES)("Claude Code, started again in its folder, in %s", (where) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.set({ where });
  });
  afterAll(() => stage?.strike());

  const listed = () => stage.bellhop.json<{ id: string; agent: string }[]>(["ls"]);
  const ended = async ({ terminal }: RunningAgent): Promise<void> => {
    const pid = await terminal.program();
    if (pid !== "ended") process.kill(pid, "SIGKILL");
    await until(async () => (await listed()).length === 0, "its end to be seen", PATIENCE_MS);
  };

  it("is the same agent with a new conversation, and reads what was sent while it was gone", async () => {
    const folder = join(stage.tmux.folder, "coder");
    const home = join(stage.tmux.folder, "coder-home");
    // The rig starts hosted programs from another agent's session; a person starts this one.
    const options = { home, repo: folder, extraEnv: NO_SESSION };
    const first = await stage.enter("coder", options);
    const before = await listed();
    await ended(first);
    const sent = await stage.send("coder", "Sent while nobody was there.");
    expect(sent.deliveries).toMatchObject([{ to: "agent/coder", state: "queued" }]);
    await stage.enter("coder-again", options);
    expect(await listed()).toMatchObject(before.map(({ id, agent }) => ({ id, agent })));
    const reads = (text: string): boolean => text.includes("Sent while nobody was there.");
    await stage.model.waitForRequest(({ userText }) => reads(userText), { timeoutMs: PATIENCE_MS });
    await stage.reaches(sent, "delivered");
    const agents = await stage.bellhop.json<{ name: string }[]>(["agent", "list"]);
    expect(agents.map((one) => one.name)).toEqual(["coder"]);
  });
});
