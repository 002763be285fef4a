import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tooManyRequests } from "../../../src/bridges/telegram/rehearsal/refusal.ts";
import { LookingInbox } from "../../../src/cli/local/bridges/trial.ts";
import type { Bridge, OutsideInbox } from "../../../src/ports/bridge.ts";
import { until } from "../../rig/scripted-agent.ts";
import { isConnected } from "./contract.ts";
import { KeptInbox } from "./kept-inbox.ts";
import { FORUM, PERSON, TelegramStage } from "./telegram-stage.ts";

const GROUP = -1_009_876_543_210;

describe("Telegram's updates", () => {
  let stage: TelegramStage;
  let inbox: KeptInbox;
  const bridges: Bridge[] = [];

  async function start(token?: string, into: OutsideInbox = inbox): Promise<Bridge> {
    const bridge = stage.bridge(token);
    bridges.push(bridge);
    await bridge.open(into);
    return bridge;
  }

  const becomes = (bridge: Bridge, state: string) =>
    until(
      () => bridge.health().state === state,
      () => `${state}: ${JSON.stringify(bridge.health())}`,
    );
  const add = (fields: Readonly<Record<string, unknown>>, id?: number) =>
    stage.telegram.api.updates.add(fields, id);
  const confirmed = () => until(() => stage.telegram.api.updates.count === 0, "every update to be confirmed");

  beforeEach(async () => {
    stage = await TelegramStage.open();
    inbox = new KeptInbox();
  });

  afterEach(async () => {
    await Promise.all(bridges.splice(0).map((bridge) => bridge.close()));
    await stage.close();
  });

  it("are confirmed only once they are on disk", async () => {
    await isConnected(await start());
    inbox.fails = true;
    await stage.says("not yet");
    await until(() => inbox.failed > 1, "two tries");
    expect(stage.telegram.api.updates.count).toBe(1);
    inbox.fails = false;
    await confirmed();
    expect(inbox.texts()).toEqual(["not yet"]);
  });

  it("stay with Telegram while somebody only looks at them", async () => {
    const looking = new LookingInbox();
    looking.code = "bellhop-123456";
    await stage.says("before");
    add({ poll: {} });
    stage.telegram.says({ chat: PERSON, from: PERSON, text: "/start bellhop-123456" });
    add({ poll: {} });
    const bridge = await start(undefined, looking);
    await until(() => looking.writer !== undefined, "the writer of the code");
    await stage.says("after");
    const asked = () => stage.clock.waitsMs.length;
    const before = asked();
    await until(() => asked() > before + 2, "some more questions");
    await bridge.close();
    expect(looking.writer).toBe(`telegram/${PERSON}`);
    await start();
    await confirmed();
    expect(inbox.texts()).toEqual(["before", "/start bellhop-123456", "after"]);
  });

  it("are taken with where the bridge stands, in one transaction", async () => {
    await isConnected(await start());
    const id = Number(await stage.says("one"));
    await inbox.has(1);
    expect(inbox.kept("offset/7000000001")).toBe(String(id + 1));
  });

  it("tell apart messages with the same number in different chats", async () => {
    await isConnected(await start());
    stage.telegram.says({ chat: GROUP, from: PERSON, text: "in the group" });
    stage.telegram.says({ chat: PERSON, from: PERSON, text: "to the bot" });
    const [group, direct] = await inbox.has(2);
    expect(group).toMatchObject({ path: `telegram/${GROUP}`, answerable: `${GROUP}/1`, fromName: "Ada" });
    expect(direct).toMatchObject({ path: `telegram/${PERSON}`, answerable: `${PERSON}/1` });
  });

  it("go on when their numbers start anew with lower ones, as after a silent week", async () => {
    await isConnected(await start());
    await stage.says("before");
    await inbox.has(1);
    await confirmed();
    const message = (id: number, text: string) => ({
      message: { message_id: id, from: { id: PERSON }, chat: { id: PERSON, type: "private" }, text },
    });
    add(message(50, "a week later"), 1_000);
    add(message(51, "and again"));
    await inbox.has(3);
    await confirmed();
    expect(inbox.texts()).toEqual(["before", "a week later", "and again"]);
    expect(inbox.repeated).toEqual([]);
  });

  it("that cannot be read, or are of no interest, hold nothing up", async () => {
    await isConnected(await start());
    const chat = { id: PERSON, type: "private" };
    const from = { id: PERSON, first_name: "Ada" };
    const hostile: Record<string, unknown>[] = [
      { edited_message: { message_id: 1, chat, from, text: "edited" } },
      { message: null },
      { message: "text" },
      { message: [] },
      { message: { message_id: "1", chat, from, text: "a number as text" } },
      { message: { message_id: 1, chat: { id: "../../etc" }, from, text: "a path as chat" } },
      { message: { message_id: 1, chat, from: { id: 1.5 }, text: "half a person" } },
      { message: { message_id: 1, chat, text: "from nobody" } },
      { message: { message_id: 1, chat, from, text: 7 } },
      { message: { message_id: 1, chat, from, text: "x".repeat(100_000) } },
      { message: { message_id: 1, chat, from, new_chat_members: [from] } },
      { callback_query: { id: "1", from, data: "n", inline_message_id: "x" } },
      { callback_query: { id: "1", from, message: { message_id: 1, chat, date: 0 }, data: "x".repeat(65) } },
      JSON.parse('{"__proto__": {"message": {}}, "constructor": 1}'),
      {},
    ];
    for (const fields of hostile) add(fields);
    await stage.says("after them");
    await inbox.has(1);
    expect(inbox.texts()).toEqual(["after them"]);
    add({ poll_answer: {} });
    await confirmed();
  });

  it("without any number are asked for again, with pauses", async () => {
    add({ update_id: "none" });
    const bridge = await start();
    await becomes(bridge, "down");
    expect(bridge.health().error).toContain("an answer that cannot be read");
    expect(inbox.taken).toEqual([]);
  });

  it("arrive all of them, in order, when there are ten thousand", async () => {
    const texts = Array.from({ length: 10_000 }, (_, index) => `update ${index}`);
    for (const text of texts) await stage.says(text);
    await start();
    await inbox.has(10_000);
    expect(inbox.texts()).toEqual(texts);
    await confirmed();
  });

  it("are refused to two programs at once: the bridge says so, and goes on when the other is gone", async () => {
    const bridge = await start();
    await isConnected(bridge);
    const other = await start(undefined, new KeptInbox());
    await becomes(bridge, "refused");
    expect(bridge.health().error).toMatch(/^Another program receives this bot's messages\. Stop it/u);
    await other.close();
    await stage.says("only one is left");
    await inbox.has(1);
    await isConnected(bridge);
  });

  it("are refused while there is a webhook, which the bridge leaves alone", async () => {
    stage.telegram.api.updates.hasWebhook = true;
    const bridge = await start();
    await becomes(bridge, "refused");
    expect(bridge.health().error).toMatch(/^A webhook receives this bot's messages\. Remove it/u);
    stage.telegram.api.updates.hasWebhook = false;
    await stage.says("removed");
    await inbox.has(1);
    await isConnected(bridge);
  });

  it("are refused for a wrong token, which nobody gets to see", async () => {
    const secret = "7000000001:a-token-that-was-revoked";
    const bridge = await start(secret);
    await becomes(bridge, "refused");
    expect(bridge.health().error).toMatch(
      /^Telegram refuses the bot's token \(Unauthorized\)\. Ask @BotFather/u,
    );
    await stage.outage(true);
    await becomes(bridge, "down");
    expect(JSON.stringify([bridge.health(), stage.lines])).not.toContain("revoked");
  });

  it("wait as long as Telegram asks", async () => {
    const bridge = await start();
    await isConnected(bridge);
    stage.telegram.plan("getUpdates", tooManyRequests(7));
    await stage.says("makes it ask again");
    await becomes(bridge, "down");
    expect(bridge.health().error).toBe("Telegram asks to wait 7 seconds.");
    await isConnected(bridge);
    expect(stage.clock.waitsMs).toContain(7_000);
    expect(inbox.texts()).toEqual(["makes it ask again"]);
  });

  it("are asked for with growing pauses while there is only a gateway that fails", async () => {
    for (let times = 0; times < 4; times += 1) stage.telegram.plan("getUpdates", "garbage");
    const bridge = await start();
    await isConnected(bridge);
    expect(stage.clock.waitsMs).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it("say whose topic they were written in, and do not take its beginning for an answer", async () => {
    const bridge = await start();
    await isConnected(bridge);
    const context = { signal: AbortSignal.timeout(10_000), saying: async () => {}, said: async () => {} };
    const saying = { messageId: "m", path: `telegram/${FORUM}`, partsSaid: 0, perhapsSaid: false } as const;
    await bridge.say({ ...saying, text: "Done.", agent: "api" }, context);
    const [said] = stage.telegram.heard(FORUM);
    const topic = said?.message_thread_id ?? 0;
    stage.telegram.says({ chat: FORUM, from: PERSON, text: "good", topic });
    stage.telegram.says({ chat: FORUM, from: PERSON, text: "this", topic, answers: said?.message_id ?? 0 });
    stage.telegram.says({ chat: FORUM, from: PERSON, text: "to all" });
    const [inTopic, answer, general] = await inbox.has(3);
    expect(inTopic).toMatchObject({ topic: "api", thread: String(topic) });
    expect(inTopic).not.toHaveProperty("answers");
    expect(answer).toMatchObject({ topic: "api", answers: [`${FORUM}/${said?.message_id}`] });
    expect(general).not.toHaveProperty("topic");
    expect(general).not.toHaveProperty("thread");
  });
});
