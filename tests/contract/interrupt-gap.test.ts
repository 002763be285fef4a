/** A turn ends after Bellhop saw it and before it presses Escape, with the daemon as it is composed. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/system/clock.ts";
import { HostLink } from "../../src/terminals/pty/host-link.ts";
import type { ShowResponse } from "../../src/wire/shapes/messages.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { startHostedAgent } from "../rig/hosted-agent.ts";
import { SCRIPTED_PROFILE, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

const PRELOADED = fileURLToPath(new URL("programs/hold-escape.mjs", import.meta.url));

let tmux: TmuxServer;
let bellhop: Bellhop;
let held: string;
let release: string;

beforeEach(async () => {
  tmux = startTmuxServer();
  held = join(tmux.folder, "held");
  release = join(tmux.folder, "release");
  bellhop = new Bellhop({ config: `tmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}` });
  await bellhop.start({
    NODE_OPTIONS: `--import ${PRELOADED}`,
    HOLD_ESCAPE_HELD: held,
    HOLD_ESCAPE_RELEASE: release,
  });
});
afterEach(async () => {
  writeFileSync(release, "");
  await bellhop.dispose();
  await tmux.kill();
});

/** An agent and its screen, read without the daemon, whose connection is held up. */
async function seated(place: string) {
  if (place === "tmux") {
    const agent = await startScriptedAgent({ tmux, name: "coder" });
    return { ...agent, screen: () => tmux.capture(agent.pane) };
  }
  const agent = await startHostedAgent(bellhop, "coder");
  const link = new HostLink(agent.record(), systemClock);
  onTestFinished(() => link.close());
  const screen = async () => {
    const answer = await link.ask({ type: "read", packed: true });
    if (typeof answer === "string" || answer.type !== "screen") throw new Error("it cannot be read");
    return answer.screen.lines.map(({ text }) => text).join("\n");
  };
  return { ...agent, screen };
}

it.each(["tmux", "hosted"])("has no Escape pressed into the idle composer, in %s", async (place) => {
  const agent = await seated(place);
  const pid = agent.log()[0]?.started ?? 0;
  const isIdle = async () => (await bellhop.json<readonly ListedSession[]>(["ls"]))[0]?.readiness === "idle";
  await until(isIdle, "the agent to be idle");
  await bellhop.json(["send", "coder", "a long one [[busy 600]]"]);
  await until(async () => (await agent.screen()).includes("working…"), "its turn");
  const { messageId } = await bellhop.json<{ readonly messageId: string }>([
    "send",
    "coder",
    "stop",
    "--urgent",
  ]);
  await until(() => existsSync(held), "the press");
  process.kill(pid, "SIGUSR2");
  await until(async () => !(await agent.screen()).includes("working…"), "the turn's end");
  writeFileSync(release, "");
  const delivery = async () => (await bellhop.json<ShowResponse>(["show", messageId])).deliveries[0];
  await until(
    async () => !["queued", "delivering"].includes((await delivery())?.state ?? ""),
    "its delivery",
  );
  expect(agent.log().flatMap(({ escaped }) => escaped ?? [])).toEqual([]);
  expect(await delivery()).toMatchObject({ state: "delivered", attempts: 1 });
  expect((await delivery())?.interrupted ?? false).toBe(false);
  expect(agent.prompts()).toHaveLength(2);
});
