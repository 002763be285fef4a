import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RefusedCall, tooManyRequests } from "../../../src/bridges/telegram/rehearsal/refusal.ts";
import type { Bridge, Saying, SayingOutcome } from "../../../src/ports/bridge.ts";
import { until } from "../../rig/scripted-agent.ts";
import { isConnected } from "./contract.ts";
import { KeptInbox } from "./kept-inbox.ts";
import { FORUM, PERSON, TelegramStage } from "./telegram-stage.ts";

const STRANGER = 666;
const BUTTONS = [
  { label: "Approve", nonce: "nonce-approve" },
  { label: "Deny", nonce: "nonce-deny" },
];

describe("Telegram's messages", () => {
  let stage: TelegramStage;
  let inbox: KeptInbox;
  let bridge: Bridge;

  function say(saying: Partial<Saying> = {}, signal = AbortSignal.timeout(20_000)): Promise<SayingOutcome> {
    const path = `telegram/${PERSON}`;
    const whole = { messageId: "m1", path, text: "Done.", partsSaid: 0, perhapsSaid: false, ...saying };
    return bridge.say(whole, { signal, saying: async () => {}, said: async () => {} });
  }

  const inForum = (agent: string, text = "Done.") => say({ path: `telegram/${FORUM}`, agent, text });
  const topics = () => [...stage.telegram.chat(FORUM).topics.values()];
  const lastIn = (chat: number) => stage.telegram.heard(chat).at(-1);

  async function restart(): Promise<void> {
    await bridge.close();
    bridge = stage.bridge();
    await bridge.open(inbox);
    await isConnected(bridge);
  }

  beforeEach(async () => {
    stage = await TelegramStage.open();
    inbox = new KeptInbox();
    bridge = stage.bridge();
    await bridge.open(inbox);
    await isConnected(bridge);
  });

  afterEach(async () => {
    await bridge.close();
    await stage.close();
  });

  it("are plain text, without previews of the links in them", async () => {
    const text = "*not bold* _nor this_ [nor](https://example.org) <b>this</b> `x`";
    await say({ text });
    const sent = stage.telegram.calls.find(({ method }) => method === "sendMessage");
    expect(sent?.args).toEqual({
      chat_id: String(PERSON),
      text,
      link_preview_options: { is_disabled: true },
    });
  });

  it("reach a chat's number and nothing else", () => {
    for (const path of ["telegram/1", `telegram/${FORUM}`]) expect(bridge.reaches(path), path).toBe(true);
    for (const path of [
      "telegram/",
      "telegram/0",
      "telegram/@channel",
      "telegram/1/2",
      "telegram/01",
      "telegram/1e3",
    ])
      expect(bridge.reaches(path), path).toBe(false);
  });

  it("come even if what they answer was deleted", async () => {
    const { message } = stage.telegram.says({ chat: PERSON, from: PERSON, text: "?" });
    stage.telegram.chat(PERSON).removeMessage(message.message_id);
    expect(await say({ answers: `${PERSON}/${message.message_id}` })).toEqual({ kind: "said" });
    expect(lastIn(PERSON)).not.toHaveProperty("reply_to_message");
  });

  it("wait as long as Telegram asks", async () => {
    stage.telegram.plan("sendMessage", tooManyRequests(7));
    expect(await say()).toMatchObject({ kind: "outage", retryAfterMs: 7_000 });
  });

  it("are perhaps said if the answer is lost, and surely not if there was no connection", async () => {
    stage.telegram.plan("sendMessage", "lost");
    expect(await say()).toMatchObject({ kind: "outage", perhapsSaid: true });
    expect(stage.telegram.heard(PERSON)).toHaveLength(1);
    stage.telegram.plan("sendMessage", "garbage");
    expect(await say()).toMatchObject({
      kind: "outage",
      perhapsSaid: true,
      why: "an answer that is no JSON",
    });
    await stage.close();
    expect(await say()).toEqual({ kind: "outage", why: "ECONNREFUSED" });
  });

  it("that end with the bridge, or before, are an outage", async () => {
    expect(await say({}, AbortSignal.abort())).toMatchObject({ kind: "outage" });
    await bridge.close();
    expect(await say()).toEqual({ kind: "outage", why: "the bridge is not open" });
  });

  it("to a person who blocked the bot are refused in Telegram's words", async () => {
    stage.telegram.chat(PERSON).isBlocked = true;
    expect(await say()).toEqual({ kind: "refused", why: "Forbidden: bot was blocked by the user" });
  });

  it("to a group that moved say where it is now", async () => {
    const moved = "Bad Request: group chat was upgraded to a supergroup chat";
    stage.telegram.plan("sendMessage", new RefusedCall(400, moved, { migrate_to_chat_id: FORUM }));
    expect(await say()).toEqual({ kind: "refused", why: `${moved}; it is telegram/${FORUM} now` });
  });

  it("wait for a token that is accepted", async () => {
    stage.telegram.plan("sendMessage", new RefusedCall(401, "Unauthorized"));
    expect(await say()).toEqual({ kind: "outage", why: "Unauthorized" });
  });

  describe("in a group with topics", () => {
    it("stand in the topic of the agent who speaks, which is made once", async () => {
      await Promise.all([inForum("api", "one"), inForum("api", "two"), inForum("web", "three")]);
      await restart();
      await inForum("api", "four");
      expect(topics().sort()).toEqual(["api", "web"]);
      const named = stage.telegram.chat(FORUM).topics;
      const said = stage.telegram.heard(FORUM).map((m) => [named.get(m.message_thread_id ?? 0), m.text]);
      expect(said.sort()).toEqual([
        ["api", "four"],
        ["api", "one"],
        ["api", "two"],
        ["web", "three"],
      ]);
    });

    it("make a topic again that was deleted", async () => {
      await inForum("api");
      const [before] = stage.telegram.chat(FORUM).topics.keys();
      stage.telegram.chat(FORUM).deleteTopic(before ?? 0);
      expect(await inForum("api", "again")).toEqual({ kind: "said" });
      const [after] = stage.telegram.chat(FORUM).topics.keys();
      expect(after).not.toBe(before);
      expect(lastIn(FORUM)).toMatchObject({ text: "again", message_thread_id: after });
      expect(inbox.kept(`topic-owner/${FORUM}/${before}`)).toBeUndefined();
      expect(inbox.kept(`topic-owner/${FORUM}/${after}`)).toBe("api");
    });

    it("stand in the conversation that they answer, not in their agent's topic", async () => {
      await inForum("api");
      const asked = stage.telegram.says({ chat: FORUM, from: PERSON, text: "to all?" }).message;
      const path = `telegram/${FORUM}`;
      await say({ path, agent: "api", text: "yes", answers: `${FORUM}/${asked.message_id}` });
      expect(lastIn(FORUM)).not.toHaveProperty("message_thread_id");
      const [topic = 0] = stage.telegram.chat(FORUM).topics.keys();
      const other = stage.telegram.says({ chat: FORUM, from: PERSON, text: "web?", topic }).message;
      const thread = String(topic);
      await say({ path, agent: "web", text: "here", answers: `${FORUM}/${other.message_id}`, thread });
      expect(lastIn(FORUM)).toMatchObject({ message_thread_id: topic, text: "here" });
      expect(topics()).toEqual(["api"]);
    });

    it("go to their agent's topic if the conversation was deleted", async () => {
      const answers = `${FORUM}/999`;
      await say({ path: `telegram/${FORUM}`, agent: "api", answers, thread: "998" });
      expect(topics()).toEqual(["api"]);
      expect(lastIn(FORUM)?.message_thread_id).toBeDefined();
    });

    it("go to the group itself if the bot may not make topics, or if Bellhop speaks", async () => {
      await say({ path: `telegram/${FORUM}` });
      stage.telegram.chat(FORUM).mayManageTopics = false;
      expect(await inForum("api")).toEqual({ kind: "said" });
      for (const message of stage.telegram.heard(FORUM))
        expect(message).not.toHaveProperty("message_thread_id");
      expect(topics()).toEqual([]);
      expect(stage.lines.map(({ event }) => event)).toContain("telegram makes no topic");
    });

    it("are an outage if Telegram cannot be asked for a topic", async () => {
      stage.telegram.plan("createForumTopic", tooManyRequests(3));
      expect(await inForum("api")).toMatchObject({ kind: "outage", retryAfterMs: 3_000 });
      stage.telegram.plan("getChat", "lost");
      stage.telegram.plan("createForumTopic", "garbage");
      await restart();
      expect(await inForum("api")).toEqual({ kind: "outage", why: "ECONNRESET" });
      expect(await inForum("api")).toEqual({ kind: "outage", why: "an answer that is no JSON" });
      expect(stage.telegram.heard(FORUM)).toEqual([]);
    });
  });

  it("are an outage if a topic's number cannot be kept", async () => {
    inbox.fails = true;
    const why = "Bellhop cannot write down which topic is whose";
    expect(await inForum("api")).toEqual({ kind: "outage", why });
    expect(stage.telegram.heard(FORUM)).toEqual([]);
  });

  describe("with buttons", () => {
    const shownButtons = () =>
      lastIn(PERSON)
        ?.reply_markup?.inline_keyboard.flat()
        .map(({ text }) => text);
    const answered = () => stage.telegram.api.answeredPresses;

    async function press(from: number): Promise<void> {
      stage.telegram.presses(PERSON, lastIn(PERSON)?.message_id ?? 0, "nonce-approve", from);
    }

    it("have them under their last part", async () => {
      await say({ text: `${"x".repeat(4_500)}`, buttons: BUTTONS });
      const [first, last] = stage.telegram.heard(PERSON);
      expect(first).not.toHaveProperty("reply_markup");
      expect(last?.reply_markup?.inline_keyboard).toEqual([
        [
          { text: "Approve", callback_data: "nonce-approve" },
          { text: "Deny", callback_data: "nonce-deny" },
        ],
      ]);
    });

    it("bring a press with its nonce, then answer it and take the buttons away", async () => {
      await say({ buttons: BUTTONS });
      const id = `${PERSON}/${lastIn(PERSON)?.message_id}`;
      await press(PERSON);
      const [arrival] = await inbox.has(1);
      expect(arrival).toMatchObject({
        button: "nonce-approve",
        text: "Approve",
        from: String(PERSON),
        answers: [id],
      });
      await until(() => shownButtons() === undefined, "the buttons to go");
      expect(answered()).toHaveLength(1);
    });

    it("answer a press only when it is on disk", async () => {
      await say({ buttons: BUTTONS });
      inbox.fails = true;
      await press(PERSON);
      await until(() => inbox.failed > 1, "two tries");
      expect(answered()).toEqual([]);
      inbox.fails = false;
      await until(() => shownButtons() === undefined, "the buttons to go");
      expect(answered()).toHaveLength(1);
    });

    it("keep them when a stranger presses", async () => {
      await say({ buttons: BUTTONS });
      inbox.answer = "stranger";
      await press(STRANGER);
      await until(() => answered().length === 1, "the press to be answered");
      expect(shownButtons()).toEqual(["Approve", "Deny"]);
    });

    it("do not mind a press that is too old to be answered", async () => {
      await say({ buttons: BUTTONS });
      const tooOld = "Bad Request: query is too old and response timeout expired or query ID is invalid";
      stage.telegram.plan("answerCallbackQuery", new RefusedCall(400, tooOld));
      await press(PERSON);
      await stage.says("next");
      await inbox.has(2);
      await until(() => stage.lines.some(({ event }) => /button/.test(event)), "a line in the log");
      expect(bridge.health().state).toBe("connected");
    });
  });
});
