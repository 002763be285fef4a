/** A person on Telegram answers agents in real tmux, through the daemon as it is built. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TelegramRehearsal } from "../../src/bridges/telegram/rehearsal/server.ts";
import type { Bellhop } from "../rig/bellhop.ts";
import { type ScriptedAgent, until } from "../rig/scripted-agent.ts";
import { SPEAKING_CHANNELS } from "./bridges/channels.ts";
import { OutsideStage } from "./bridges/outside-stage.ts";
import { PERSON } from "./bridges/telegram-stage.ts";

let stage: OutsideStage<Awaited<ReturnType<typeof SPEAKING_CHANNELS.telegram>>>;
let telegram: TelegramRehearsal;
let bellhop: Bellhop;
let agents: readonly ScriptedAgent[];

const PATH = `telegram/${PERSON}`;
const heard = () => telegram.heard(PERSON).map(({ text }) => text ?? "");
const says = (text: string, answers?: number) =>
  telegram.says({ chat: PERSON, from: PERSON, text, ...(answers === undefined ? {} : { answers }) });

async function hears(text: string | RegExp): Promise<void> {
  const has = () => heard().some((one) => (typeof text === "string" ? one === text : text.test(one)));
  await until(has, () => `${String(text)} in ${JSON.stringify(heard())}`);
}

beforeAll(async () => {
  stage = await OutsideStage.open(await SPEAKING_CHANNELS.telegram(), ["api", "web", "docs"]);
  ({ bellhop, agents } = stage);
  ({ telegram } = stage.channel.stage);
});

afterAll(() => stage.close());

describe("a person on Telegram", () => {
  it("reaches the right one of three agents, and hears when it was delivered", async () => {
    says("[web] How is the build?");
    await hears(/^✓ Delivered to \[/u);
    expect(agents.map((agent) => agent.prompts().length)).toEqual([0, 1, 0]);
    expect(agents[1]?.prompts()[0]).toContain("📱 How is the build?");
  });

  it("is told who runs if nobody is called so", async () => {
    says("[shop] hello");
    await hears(/^✗ Nobody is called "shop"\.\nRunning: /u);
  });

  it("gets what an agent says, and answers that agent by answering its message", async () => {
    await bellhop.json(["send", PATH, "Which colour?", "--from", "docs"]);
    await hears("[docs] Which colour?");
    const question = telegram.heard(PERSON).find(({ text }) => text === "[docs] Which colour?");
    says("blue", question?.message_id);
    await until(
      () => agents[2]?.prompts().some((prompt) => prompt.includes("📱 blue")) === true,
      "an answer",
    );
  });

  it("hears the answer of the agent that replies, as an answer to what they wrote", async () => {
    const web = agents[1];
    says("[web] Is it green?");
    const prompt = () => web?.prompts().find((one) => one.includes("Is it green?"));
    await until(() => prompt() !== undefined, "the question");
    const id = /#([a-z0-9]{6})\]/u.exec(prompt() ?? "")?.[1] ?? "";
    const env = { TMUX: `${stage.tmux.socket},1,0`, TMUX_PANE: web?.pane ?? "" };
    const sent = await bellhop.json(["reply", id, "Yes, all of it."], { env });
    expect(sent).toMatchObject({ bound: "explicit", deliveries: [{ to: "bridge/telegram" }] });
    await hears("[web] Yes, all of it.");
    const answer = telegram.heard(PERSON).find(({ text }) => text === "[web] Yes, all of it.");
    expect(answer?.reply_to_message?.text).toBe("[web] Is it green?");
  });

  it("gets what was held back once it is released, though the daemon slept", async () => {
    telegram.outage(true);
    const { shortId } = await bellhop.json<{ shortId: string }>(["send", PATH, "held back"]);
    // Not while it is being tried.
    await until(async () => (await bellhop.run(["queue", "hold", shortId])).code === 0, "it to be held");
    telegram.outage(false);
    await bellhop.json(["send", PATH, "before it"]);
    await hears("before it");
    expect(heard()).not.toContain("held back");
    await bellhop.json(["queue", "now", shortId]);
    await hears("held back");
  });

  it("does not hear a stranger", async () => {
    telegram.says({ chat: 666, from: 666, text: "[api] rm -rf /" });
    says("[api] mine");
    await until(() => (agents[0]?.prompts().length ?? 0) > 0, "the person's own");
    expect(agents[0]?.prompts().filter((prompt) => prompt.includes("rm -rf"))).toEqual([]);
    expect(telegram.heard(666)).toEqual([]);
  });

  it("is heard after the daemon was killed, once", async () => {
    await bellhop.stop("SIGKILL");
    says("[api] while you were away");
    await bellhop.start();
    const got = () => agents[0]?.prompts().filter((prompt) => prompt.includes("while you were away")) ?? [];
    await until(() => got().length > 0, "what was said meanwhile");
    expect(got()).toHaveLength(1);
  });
});
