/** One person on all their channels, and three real agents in tmux: two Claude Codes and a Codex. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHANNEL_NAMES, EveryChannel } from "../contract/bridges/channels.ts";
import { PERSON as CHAT } from "../contract/bridges/telegram-stage.ts";
import { bellhopOnPath } from "../rig/bellhop.ts";
import { startCodex } from "../rig/codex.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { PATIENCE_MS, Stage } from "./claude-stage.ts";

type Channel = (typeof CHANNEL_NAMES)[number];

let channels: EveryChannel;
let stage: Stage;
const agents = new Map<string, RunningAgent>();

beforeAll(assertInNamespace);

beforeAll(async () => {
  channels = await EveryChannel.open();
  stage = await Stage.set({ config: `desk: { classifier: { enabled: false } }\n${channels.config()}` });
  for (const name of ["shop-api", "shop-web"]) agents.set(name, await stage.enter(name));
  agents.set("docs", await codex("docs"));
  // Otherwise everything that ends is told as well.
  await stage.bellhop.json(["away", "off"]);
  const areUp = async () =>
    (await stage.client.call("bridges", {})).bridges.filter(({ state }) => state === "up").length === 5;
  await until(areUp, "five bridges", PATIENCE_MS);
}, 240_000);

afterAll(async () => {
  await stage?.strike();
  await channels?.close();
});

async function codex(name: string): Promise<RunningAgent> {
  const { tmux, model, bellhop } = stage;
  const agent = await startCodex({
    tmux,
    model,
    name,
    extraEnv: { BELLHOP_HOME: bellhop.home },
    pathFolders: [bellhopOnPath(join(tmux.folder, "bin"))],
    beforeStart: async (home) => {
      const installed = await bellhop.run(["hooks", "install", "codex", "--yes", "--allow-rules"], {
        env: { HOME: home },
      });
      if (installed.code !== 0) throw new Error(installed.stderr);
    },
  });
  await stage.untilIdle(name);
  return agent;
}

async function hears(channel: Channel, words: RegExp, since: number): Promise<string> {
  let told: readonly string[] = [];
  const has = async () => {
    told = (await channels.heard(channel)).slice(since);
    return told.some((text) => words.test(text));
  };
  await until(has, () => `${String(words)} on ${channel} in ${JSON.stringify(told)}`, PATIENCE_MS);
  return told.find((text) => words.test(text)) ?? "";
}

/** Who shows this prompt in its terminal. */
async function shownBy(text: string): Promise<readonly string[]> {
  const screens = await Promise.all(
    [...agents].map(async ([name, { terminal }]) => ({ name, screen: await terminal.screen() })),
  );
  return screens.filter(({ screen }) => screen.includes(text)).map(({ name }) => name);
}

const arrived = (text: string) => stage.model.prompts().filter((prompt) => prompt.includes(text));

/** The person writes, the model reads it once, in the right terminal, and the person is told. */
async function reaches(name: string, channel: Channel, text: string, word: string): Promise<void> {
  const since = (await channels.heard(channel)).length;
  await channels.says(channel, text);
  await hears(channel, new RegExp(`^✓ Delivered to \\[${name}[:\\]]`, "u"), since);
  await until(() => arrived(`📱 ${word}`).length > 0, `the model of ${name} to read it`, PATIENCE_MS);
  expect(arrived(word)).toHaveLength(1);
  // A program may draw its prompt after it has sent it to its model.
  await until(async () => (await shownBy(word)).includes(name), `${word} in ${name}`, PATIENCE_MS);
  expect(await shownBy(word)).toEqual([name]);
  await stage.untilIdle(name);
}

const FOR: Readonly<Record<Channel, string>> = {
  telegram: "shop-api",
  slack: "shop-web",
  email: "docs",
  imessage: "shop-web",
};

describe.each(CHANNEL_NAMES)("a person who writes by %s", (channel) => {
  it("reaches the agent they name, and hears that it was delivered", async () => {
    await reaches(FOR[channel], channel, `[${FOR[channel]}] apple-${channel}`, `apple-${channel}`);
  });

  it("hears who runs if nobody is called so, and chooses if several are", async () => {
    const since = (await channels.heard(channel)).length;
    await channels.says(channel, `[bakery] bread-${channel}`);
    await hears(channel, /^✗ Nobody is called "bakery"\.\nRunning: \[.*\]/u, since);
    await channels.says(channel, `[shop] cherry-${channel}`);
    const question = await hears(channel, /^Who is this for\? /u, since);
    const number = /^(\d)\. shop-web/mu.exec(question)?.[1] ?? "";
    await reaches("shop-web", channel, number, `cherry-${channel}`);
    expect(arrived(`bread-${channel}`)).toEqual([]);
  });
});

describe("a service that calls", () => {
  it("wakes the agent that subscribes to it, and nobody else", async () => {
    await stage.bellhop.json(["sub", "add", "shop-api", "webhook/ci/**"]);
    const { status } = await channels.calls("build", { text: "the build is red" });
    expect(status).toBeLessThan(300);
    await until(() => arrived("the build is red").length > 0, "the model to read it", PATIENCE_MS);
    expect(arrived("the build is red")).toHaveLength(1);
    expect(arrived("the build is red")[0]).toContain("webhook/ci/build");
    await stage.untilIdle("shop-api");
  });
});

describe("an agent that has ended", () => {
  it("gets nothing any more, and who writes to it hears so on every channel", async () => {
    await stage.bellhop.json(["send", `telegram/${CHAT}`, "Which colour?", "--from", "docs"]);
    await hears("telegram", /^\[docs\] Which colour\?$/u, 0);
    const question = channels.telegram.heard(CHAT).find(({ text }) => text === "[docs] Which colour?");
    await stage.tmux.run("kill-session", "-t", "=docs");
    await until(async () => (await stage.session("docs")) === undefined, "docs to be gone", PATIENCE_MS);
    agents.delete("docs");
    for (const channel of CHANNEL_NAMES) {
      const since = (await channels.heard(channel)).length;
      await channels.says(channel, `[docs] date-${channel}`);
      await hears(channel, /^✗ Nobody is called "docs"\.\nRunning: \[shop-api\] \[shop-web\]/u, since);
    }
    const since = channels.telegram.heard(CHAT).length;
    channels.telegram.says({
      chat: CHAT,
      from: CHAT,
      text: "date-blue",
      answers: question?.message_id ?? 0,
    });
    await hears("telegram", /^✗ docs is not running\.\nRunning: /u, since);
    expect(arrived("date-")).toEqual([]);
  });
});
