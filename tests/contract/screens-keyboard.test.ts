/** The keyboard of a tmux pane that is looked at: one owner, the same lock and gate as every key, seen by everyone. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ResponseOf } from "../../src/wire/verbs/index.ts";
import type { ScreenPage, ScreenTold } from "../rig/screen-page.ts";
import { type ScriptedAgent, scriptedCommand, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { ScreensStage } from "./screens-stage.ts";
import { expected, turnsOf, WS_BLOCKS } from "./ws-blocks.ts";

let stage: ScreensStage;
beforeEach(async () => {
  stage = await ScreensStage.open();
});
afterEach(() => stage.close());

interface Two {
  readonly agent: ScriptedAgent;
  readonly id: string;
  readonly one: ScreenPage;
  readonly other: ScreenPage;
}

async function twoPages(): Promise<Two> {
  const agent = await startScriptedAgent({ tmux: stage.tmux, name: "coder", cols: 100, rows: 30 });
  const id = await stage.found(agent.pane);
  const [one, other] = [await stage.page(), await stage.page()];
  await Promise.all([one.look(1, id), other.look(1, id)]);
  return { agent, id, one, other };
}

const isAt = (at: string) => (told: ScreenTold) => told.keyboard === at;

describe("the keyboard of a pane", () => {
  it("has one owner; the others are told who, and type nothing", async () => {
    const { agent, one, other } = await twoPages();
    await one.hears("screen.state", 1, isAt("free"));
    one.keys(1, "unasked");
    expect(await one.hears("screen.keys.error", 1)).toMatchObject({ code: "keyboard.not_taken" });
    expect(await one.keyboard(1, true)).toMatchObject({ type: "screen.keyboard.ok", screen: 1, take: true });
    await one.hears("screen.state", 1, isAt("mine"));
    const taken = await other.hears("screen.state", 1, isAt("taken"));
    expect(taken.holder).toMatch(/. in another window$/);
    const refused = await other.keyboard(1, true);
    expect(refused).toMatchObject({ type: "screen.keyboard.error", code: "keyboard.taken" });
    expect(refused.message).toContain(String(taken.holder));
    other.keys(1, "not mine");
    expect(await other.hears("screen.keys.error", 1)).toMatchObject({ code: "keyboard.not_taken" });
    for (const key of "größer 日本") one.keys(1, key);
    await until(async () => (await other.text(1)).includes("größer 日本"), "the keys, in their order");
    expect(await stage.tmux.capture(agent.pane)).not.toMatch(/unasked|not mine/);
    one.close();
    await other.hears("screen.state", 1, ({ keyboard, viewers }) => keyboard === "free" && viewers === 1);
    expect(await other.keyboard(1, true)).toMatchObject({ type: "screen.keyboard.ok" });
  });

  it("holds messages as attached while it is taken, for everyone to see, and lets them go after", async () => {
    const { agent, id, one } = await twoPages();
    await one.keyboard(1, true);
    one.keys(1, "half");
    await until(async () => (await one.text(1)).includes("half"), "the keys");
    const sent = await stage.bellhop.json<ResponseOf<"send">>(["send", "coder", "hello"]);
    const holdOf = async () =>
      (await stage.bellhop.ask("show", { id: sent.messageId })).deliveries[0]?.hold?.reason;
    await until(async () => (await holdOf()) === "attached", "the hold");
    const { sessions } = await stage.bellhop.ask("ls", {});
    expect(sessions.find((session) => session.id === id)?.hold?.reason).toBe("attached");
    expect(agent.prompts()).toEqual([]);
    one.keys(1, "\x15");
    await until(async () => !(await one.text(1)).includes("half"), "the empty composer");
    expect(await holdOf()).toBe("attached");
    await one.keyboard(1, false);
    await until(() => agent.prompts().length === 1, "the delivery");
    expect(agent.prompts()[0]).toContain("hello");
  });

  it("types a marked paste as one, whole, and presses what a key bar sends", async () => {
    const { agent, one } = await twoPages();
    await one.keyboard(1, true);
    one.keys(1, "\x1b[200~several words\x1b[201~");
    await until(async () => (await one.text(1)).includes("several words"), "the paste");
    expect(await one.text(1)).not.toContain("[200~");
    one.keys(1, "\x15once more");
    await until(async () => (await one.text(1)).includes("> once more"), "what replaced it");
    one.keys(1, "\x1b[13u");
    await until(() => agent.prompts().includes("once more"), "the prompt");
  });

  it("is refused to an agent, which may look", async () => {
    const { agent, id } = await twoPages();
    const page = await stage.page("coder");
    await page.look(1, id);
    expect(await page.keyboard(1, true)).toMatchObject({ code: "rights.missing" });
    page.keys(1, "mine");
    expect(await page.hears("screen.keys.error", 1)).toMatchObject({ code: "rights.missing" });
    expect(await stage.tmux.capture(agent.pane)).not.toContain("mine");
  });

  it.each([
    ["has ended", "SIGKILL"],
    ["is suspended", "SIGTSTP"],
  ])("never reaches the shell under an agent that %s, and is taken away", async (_, signal) => {
    const { tmux } = stage;
    const shell = ["bash", "--norc", "--noprofile", "-i"];
    const pane = await tmux.newSession({
      name: "shell",
      command: shell,
      cwd: tmux.folder,
      cols: 100,
      rows: 30,
    });
    const command = scriptedCommand("coder", `${tmux.folder}/log.jsonl`).join(" ");
    await tmux.run("send-keys", "-t", pane, command, "Enter");
    const id = await stage.found(pane);
    const page = await stage.page();
    await page.look(1, id);
    expect(await page.keyboard(1, true)).toMatchObject({ type: "screen.keyboard.ok" });
    process.kill(await childOf(await tmux.ask(pane, "#{pane_pid}")), signal);
    await tmux.waitForScreen(pane, (screen) => /bash-[\d.]+[#$] *\n*$/.test(screen.trimEnd()));
    page.keys(1, "echo reached-the-shell\r");
    await until(() => page.count("screen.keys.error", 1) + page.count("screen.ended", 1) > 0, "the refusal");
    if (page.count("screen.ended", 1) === 0)
      await page.hears("screen.state", 1, (told) => told.keyboard === "free" && page.told.indexOf(told) > 3);
    expect(await tmux.capture(pane)).not.toContain("reached-the-shell");
  });
});

async function childOf(pid: string): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "pid=", "--ppid", pid]);
  return Number(stdout.trim().split("\n")[0]);
}

describe("a connection", () => {
  it("looks at eight terminals and no more, each under its own number", async () => {
    const agent = await startScriptedAgent({ tmux: stage.tmux, name: "coder" });
    const id = await stage.found(agent.pane);
    const page = await stage.page();
    for (let screen = 1; screen <= 8; screen += 1) await page.look(screen, id);
    expect(await page.ask({ type: "screen.open", screen: 9, who: id })).toMatchObject({
      type: "screen.open.error",
      code: "screen.too_many",
    });
    await page.ask({ type: "screen.close", screen: 8 });
    expect(await page.ask({ type: "screen.open", screen: 1, who: id })).toMatchObject({
      code: "request.malformed",
    });
    expect(await page.ask({ type: "screen.close", screen: 8 })).toMatchObject({ code: "screen.unknown" });
    expect(await page.ask({ type: "screen.open", screen: 8, who: "nobody" })).toMatchObject({
      type: "screen.open.error",
      code: "recipient.unknown",
    });
    expect(await page.ask({ type: "screen.open", screen: 0, who: id })).toMatchObject({
      code: "request.malformed",
    });
  });
});

describe("docs/websocket.md", () => {
  it("shows what is told of a terminal", async () => {
    const agent = await startScriptedAgent({ tmux: stage.tmux, name: "researcher", cols: 120, rows: 40 });
    const id = await stage.found(agent.pane);
    const page = await stage.page();
    const block = WS_BLOCKS.find((text) => text.includes('"screen.open"')) ?? "";
    for (const { said, heard } of turnsOf(block)) {
      page.socket.send(said);
      for (const shown of heard) {
        const wanted = expected({
          ...(shown as object),
          ...("sessionId" in (shown as object) ? { sessionId: id } : {}),
        });
        const isTold = () => page.told.some((told) => matches(told, wanted));
        await until(isTold, () => `${JSON.stringify(shown)} in ${JSON.stringify(page.told).slice(0, 2_000)}`);
      }
    }
  });
});

function matches(told: ScreenTold, wanted: unknown): boolean {
  try {
    expect(told).toMatchObject(wanted as object);
    return true;
  } catch {
    return false;
  }
}
