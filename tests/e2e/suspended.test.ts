/** The real programs, suspended with Ctrl-Z: what stands in front of them gets nothing, and they get it when they are back. */
import { afterEach, beforeAll, expect, it } from "vitest";
import { showsClaudeComposer } from "../rig/claude.ts";
import { showsCodexComposer } from "../rig/codex.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import type { TmuxServer } from "../rig/tmux-server.ts";
import { PATIENCE_MS, Stage } from "./claude-stage.ts";
import { CodexDesk } from "./codex-desk.ts";

let close: (() => Promise<void>) | undefined;

beforeAll(assertInNamespace);
afterEach(async () => {
  await close?.();
  close = undefined;
});

const press = (tmux: TmuxServer, { pane }: RunningAgent, ...keys: readonly string[]) =>
  tmux.run("send-keys", "-t", pane, ...keys);

async function enter(tmux: TmuxServer, agent: RunningAgent, line: string): Promise<void> {
  await press(tmux, agent, "-l", line);
  await press(tmux, agent, "Enter");
}

const inFront = (tmux: TmuxServer, { pane }: RunningAgent, name: string) =>
  until(
    async () => (await tmux.ask(pane, "#{pane_current_command}")) === name,
    `${name} in front`,
    PATIENCE_MS,
  );

/** Ctrl-Z, and a REPL whose prompt is a composer for whoever looks no closer. */
async function suspend(tmux: TmuxServer, agent: RunningAgent): Promise<void> {
  await press(tmux, agent, "C-z");
  await inFront(tmux, agent, "bash");
  await enter(tmux, agent, "clear; node");
  await agent.terminal.waitForScreen((screen) => /^> *$/mu.test(screen), { timeoutMs: PATIENCE_MS });
}

async function bringBack(
  tmux: TmuxServer,
  agent: RunningAgent,
  isBack: (screen: string) => boolean,
): Promise<void> {
  await enter(tmux, agent, ".exit");
  await inFront(tmux, agent, "bash");
  await enter(tmux, agent, "fg");
  await agent.terminal.waitForScreen(isBack, { timeoutMs: PATIENCE_MS });
}

it("holds for a suspended Claude Code, types nothing into what is in front, and delivers once it is back", async () => {
  const stage = await Stage.set();
  close = () => stage.strike();
  const { tmux } = stage;
  const coder = await stage.enter("coder", { under: "shell" });
  const before = await stage.session("coder");
  await suspend(tmux, coder);
  const sent = await stage.send("coder", "1 + 1");
  const urgent = await stage.send("coder", "2 + 2", { priority: "interrupt" });
  await stage.held(sent, "suspended");
  await stage.held(urgent, "suspended");
  expect((await stage.queued(sent))?.hold?.release).toContain("fg");
  expect(await stage.session("coder")).toMatchObject({ id: before?.id, hold: { reason: "suspended" } });
  expect(await tmux.capture(coder.pane)).not.toContain(sent.shortId);
  await bringBack(tmux, coder, showsClaudeComposer);
  for (const one of [sent, urgent]) {
    await stage.isRead(one);
    // One prompt or two: they may go in together.
    expect(stage.readings().filter((text) => text.includes(`#${one.shortId}`))).toHaveLength(1);
  }
  expect((await stage.session("coder"))?.id).toBe(before?.id);
}, 240_000);

it("holds for a suspended Codex, types nothing into what is in front, and delivers once it is back", async () => {
  const desk = await CodexDesk.open("transports: [paste]");
  close = () => desk.close();
  const { tmux } = desk;
  const coder = await desk.seat("coder", { under: "shell" });
  await suspend(tmux, coder);
  const sent = await desk.send("coder", "1 + 1");
  await desk.isHeld(sent, "suspended");
  expect(await tmux.capture(coder.pane)).not.toContain(sent.shortId);
  await bringBack(tmux, coder, showsCodexComposer);
  await desk.reaches(sent, "read");
  expect(desk.copiesOf(sent)).toBe(1);
}, 240_000);
