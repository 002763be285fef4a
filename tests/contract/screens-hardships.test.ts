/** What goes wrong while somebody looks at a terminal or has its keyboard: nothing is kept, and nothing goes astray. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ResponseOf } from "../../src/wire/verbs/index.ts";
import { HostViewer } from "../rig/host-viewer.ts";
import type { ScreenPage } from "../rig/screen-page.ts";
import { type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { ScreensStage } from "./screens-stage.ts";

let stage: ScreensStage;
beforeEach(async () => {
  stage = await ScreensStage.open();
});
afterEach(() => stage.close());

interface Typing {
  readonly agent: ScriptedAgent;
  readonly id: string;
  readonly page: ScreenPage;
}

async function withKeyboard(): Promise<Typing> {
  const agent = await startScriptedAgent({ tmux: stage.tmux, name: "coder", cols: 100, rows: 30 });
  const id = await stage.found(agent.pane);
  const page = await stage.page();
  await page.look(1, id);
  expect(await page.keyboard(1, true)).toMatchObject({ type: "screen.keyboard.ok" });
  return { agent, id, page };
}

async function killDaemon(): Promise<void> {
  await stage.bellhop.stop("SIGKILL");
  await stage.bellhop.start();
}

describe("a daemon that is killed", () => {
  it("leaves no keyboard of a pane behind: what waited for it goes out after the restart", async () => {
    const { agent } = await withKeyboard();
    const sent = await stage.bellhop.json<ResponseOf<"send">>(["send", "coder", "hello"]);
    const holdOf = async () =>
      (await stage.bellhop.ask("show", { id: sent.messageId })).deliveries[0]?.hold?.reason;
    await until(async () => (await holdOf()) === "attached", "the hold");
    await killDaemon();
    await until(() => agent.prompts().length === 1, "the delivery");
    expect(agent.prompts()[0]).toContain("hello");
  });

  it("leaves no keyboard of a hosted terminal behind", async () => {
    const id = await stage.hosts(["bash", "--norc", "-i"]);
    const page = await stage.page();
    await page.look(1, id);
    expect(await page.keyboard(1, true)).toMatchObject({ type: "screen.keyboard.ok" });
    const { socket, token } = await stage.bellhop.ask("attach", { who: id });
    const person = await HostViewer.attach(socket, token, { cols: 80, rows: 24 });
    const owner = () =>
      person.told.flatMap((told) => (told.type === "state" ? [told.state.passthrough] : [])).at(-1);
    await until(() => typeof owner() === "number", "the page's keyboard");
    await killDaemon();
    await until(() => owner() === null, "the keyboard to be free");
    person.close();
  });
});

describe("a terminal that goes away under whoever types", () => {
  it("ends with its tmux server, and the number is free again", async () => {
    const { page } = await withKeyboard();
    await stage.tmux.run("kill-server");
    page.keys(1, "into the void");
    await page.hears("screen.ended", 1);
    expect(await page.ask({ type: "screen.close", screen: 1 })).toMatchObject({ code: "screen.unknown" });
  });

  it("gives nothing to what takes its pane over", async () => {
    const { agent, page } = await withKeyboard();
    await stage.tmux.run("respawn-pane", "-k", "-t", agent.pane, "bash", "--norc", "--noprofile", "-i");
    page.keys(1, "echo astray\r");
    await until(() => page.count("screen.keys.error", 1) + page.count("screen.ended", 1) > 0, "the refusal");
    await page.hears("screen.ended", 1);
    expect(await stage.tmux.capture(agent.pane)).not.toContain("astray");
  });
});

describe("whoever opens, closes and types without waiting", () => {
  it("leaves no client at tmux behind, and can look again", async () => {
    const agent = await startScriptedAgent({ tmux: stage.tmux, name: "coder", cols: 100, rows: 30 });
    const id = await stage.found(agent.pane);
    const page = await stage.page();
    // Bellhop's own clients come and go beside those through which somebody looks; only the latter may be paused.
    const lookers = async () =>
      (await stage.tmux.run("list-clients", "-F", "#{client_name} #{client_flags}"))
        .split("\n")
        .filter((client) => client.includes("pause-after"));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => [
        page.ask({ type: "screen.open", screen: 1 + (index % 3), who: id }),
        page.ask({ type: "screen.keyboard", screen: 1 + (index % 3), take: true }),
        page.ask({ type: "screen.close", screen: 1 + (index % 3) }),
      ]).flat(),
    );
    expect(answers.filter(({ code }) => code === "internal.bug")).toEqual([]);
    await until(async () => (await lookers()).length === 0, "the clients to leave");
    await page.look(7, id);
    expect(await lookers()).toHaveLength(1);
    expect(await page.keyboard(7, true)).toMatchObject({ type: "screen.keyboard.ok" });
  });

  it.each([
    ["NUL", "\u0000"],
    ["half a character", "\ud83d"],
    ["a paste without an end", "\x1b[200~"],
    ["an end without a paste", "\x1b[201~"],
    ["an empty paste", "\x1b[200~\x1b[201~"],
    ["pastes within a paste", "\x1b[200~a\x1b[200~b\x1b[201~c\x1b[201~"],
  ])("may type %s, and what follows is typed", async (_, keys) => {
    const { page } = await withKeyboard();
    page.keys(1, keys);
    page.keys(1, "after");
    await until(async () => (await page.text(1)).includes("after"), "what follows");
    expect(page.count("screen.keys.error", 1)).toBe(0);
  });
});
