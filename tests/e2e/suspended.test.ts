/** The real programs, suspended with Ctrl-Z: the program in front gets nothing, and they get the message when resumed. */
import { afterEach, beforeAll, expect, it } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import { processesOn } from "../../src/processes/processes.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { runsIn } from "../rig/agent-terminal.ts";
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

/** Ctrl-Z, and a REPL whose prompt looks like a composer at first sight. */
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
    // One prompt or two: they may be typed together.
    expect(stage.readings().filter((text) => text.includes(`#${one.shortId}`))).toHaveLength(1);
  }
  expect((await stage.session("coder"))?.id).toBe(before?.id);
}, 240_000);

async function innerCodex(tmux: TmuxServer, { pane }: RunningAgent): Promise<number> {
  const tree = await processesOn(process.platform).tree(Number(await tmux.ask(pane, "#{pane_pid}")));
  const inner = tree.find(({ foreground, command }) => foreground === true && command === "codex");
  if (inner === undefined) throw new Error(`No inner process: ${JSON.stringify(tree)}`);
  return inner.pid;
}

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
  await desk.untilIdle(coder);
  // Its wrapper, the process that Bellhop recognises, keeps running.
  const inner = await innerCodex(tmux, coder);
  process.kill(inner, "SIGSTOP");
  const later = await desk.send("coder", "2 + 2");
  await desk.isHeld(later, "suspended");
  process.kill(inner, "SIGCONT");
  await desk.reaches(later, "read");
  expect(desk.copiesOf(later)).toBe(1);
}, 240_000);

interface Scene {
  readonly tmux: TmuxServer;
  readonly client: Client;
}

async function untilIdle(
  { client }: Scene,
  isIt: (session: ListedSession) => boolean,
): Promise<ListedSession> {
  let found: ListedSession | undefined;
  const isIdle = async () => {
    found = (await client.call("ls", {})).sessions.find(isIt);
    return found?.readiness === "idle";
  };
  await until(isIdle, () => `an idle session, not ${JSON.stringify(found)}`, PATIENCE_MS);
  if (found === undefined) throw new Error("there is no such session");
  return found;
}

/** Ctrl-Z, and the same command again: a second copy, in front of the first. */
async function startAgainInFront(
  scene: Scene,
  agent: RunningAgent,
  first: ListedSession,
): Promise<ListedSession> {
  await press(scene.tmux, agent, "C-z");
  await inFront(scene.tmux, agent, "bash");
  await enter(scene.tmux, agent, "clear; !!");
  return untilIdle(scene, (session) => runsIn(session, agent.pane) && session.id !== first.id);
}

async function endSecond(
  scene: Scene,
  agent: RunningAgent,
  second: ListedSession,
  ways: { readonly quit: string; readonly isBack: (screen: string) => boolean },
): Promise<void> {
  const { tmux } = scene;
  await untilIdle(scene, ({ id }) => id === second.id);
  await press(tmux, agent, "-l", ways.quit);
  // Codex takes an Enter right after a text for a new line in it.
  await agent.terminal.waitForScreen((screen) => screen.includes(ways.quit), { timeoutMs: PATIENCE_MS });
  await press(tmux, agent, "Enter");
  await inFront(tmux, agent, "bash");
  await enter(tmux, agent, "clear; fg");
  await agent.terminal.waitForScreen(ways.isBack, { timeoutMs: PATIENCE_MS });
}

async function sessionsLeft({ client }: Scene): Promise<readonly string[]> {
  return (await client.call("ls", {})).sessions.map(({ id }) => id);
}

it("takes a second Claude Code in front of the first for another, and each gets its own mail", async () => {
  const stage = await Stage.set();
  close = () => stage.strike();
  const { tmux } = stage;
  const coder = await stage.enter("coder", { under: "shell" });
  const first = await stage.session("coder");
  if (first === undefined) throw new Error("there is no first copy");
  const second = await startAgainInFront(stage, coder, first);
  expect(second.agent).not.toBe(first.agent);
  const toFirst = await stage.send(`session/${first.id}`, "for the first");
  await stage.held(toFirst, "suspended");
  const toSecond = await stage.send(`session/${second.id}`, "for the second");
  await stage.isRead(toSecond);
  await stage.held(toFirst, "suspended");
  // What it shows may be drawn a moment after its hook has told the end of the turn.
  await coder.terminal.waitForScreen((screen) => screen.includes(toSecond.shortId), {
    timeoutMs: PATIENCE_MS,
  });
  expect(stage.copiesOf(toFirst)).toBe(0);
  await endSecond(stage, coder, second, { quit: "/exit", isBack: showsClaudeComposer });
  await stage.isRead(toFirst);
  expect([stage.copiesOf(toFirst), stage.copiesOf(toSecond)]).toEqual([1, 1]);
  expect(await tmux.capture(coder.pane)).not.toContain(toSecond.shortId);
  await expect.poll(() => sessionsLeft(stage), { timeout: PATIENCE_MS }).toEqual([first.id]);
}, 240_000);

it("takes a second Codex in front of the first for another, and each gets its own mail", async () => {
  const desk = await CodexDesk.open("transports: [paste]");
  close = () => desk.close();
  const { tmux } = desk;
  const coder = await desk.seat("coder", { under: "shell" });
  const first = await desk.sessionIn(coder);
  if (first === undefined) throw new Error("there is no first copy");
  const second = await startAgainInFront(desk, coder, first);
  expect(second.agent).not.toBe(first.agent);
  const toFirst = await desk.send(`session/${first.id}`, "for the first");
  await desk.isHeld(toFirst, "suspended");
  const toSecond = await desk.send(`session/${second.id}`, "for the second");
  await desk.reaches(toSecond, "read");
  await desk.isHeld(toFirst, "suspended");
  // What it shows may be drawn a moment after its hook has told the end of the turn.
  await coder.terminal.waitForScreen((screen) => screen.includes(toSecond.shortId), {
    timeoutMs: PATIENCE_MS,
  });
  expect(desk.copiesOf(toFirst)).toBe(0);
  await endSecond(desk, coder, second, { quit: "/quit", isBack: showsCodexComposer });
  await desk.reaches(toFirst, "read");
  expect([desk.copiesOf(toFirst), desk.copiesOf(toSecond)]).toEqual([1, 1]);
  expect(await tmux.capture(coder.pane)).not.toContain(toSecond.shortId);
  await expect.poll(() => sessionsLeft(desk), { timeout: PATIENCE_MS }).toEqual([first.id]);
}, 240_000);
