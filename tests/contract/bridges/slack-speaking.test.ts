import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallRefusal } from "../../../src/bridges/slack/rehearsal/refusal.ts";
import { TEAM } from "../../../src/bridges/slack/rehearsal/workspace.ts";
import type { Bridge, Saying, SayingOutcome } from "../../../src/ports/bridge.ts";
import { until } from "../../rig/scripted-agent.ts";
import { isConnected } from "./contract.ts";
import { KeptInbox } from "./kept-inbox.ts";
import { DIRECT, GENERAL, PERSON, SlackStage } from "./slack-stage.ts";

const STRANGER = "U0BOB";
const BUTTONS = [
  { label: "Approve", nonce: "nonce-approve" },
  { label: "Deny", nonce: "nonce-deny" },
];

describe("Slack's messages", () => {
  let stage: SlackStage;
  let inbox: KeptInbox;
  let bridge: Bridge;

  function say(saying: Partial<Saying> = {}, signal = AbortSignal.timeout(20_000)): Promise<SayingOutcome> {
    const whole = {
      messageId: "m1",
      path: stage.path,
      text: "Done.",
      partsSaid: 0,
      perhapsSaid: false,
      ...saying,
    };
    return bridge.say(whole, { signal, saying: async () => {}, said: async () => {} });
  }

  const general = () => stage.slack.heard(GENERAL);
  const direct = () => stage.slack.heard(DIRECT);
  const inGeneral = (saying: Partial<Saying> = {}) => say({ path: `slack/${TEAM}/#general`, ...saying });

  async function restart(): Promise<void> {
    await bridge.close();
    bridge = stage.bridge();
    await bridge.open(inbox);
    await isConnected(bridge);
  }

  beforeEach(async () => {
    stage = await SlackStage.open();
    inbox = new KeptInbox();
    bridge = stage.bridge();
    await bridge.open(inbox);
    await isConnected(bridge);
  });

  afterEach(async () => {
    await bridge.close();
    await stage.close();
  });

  it("are plain text: they ping nobody, link nothing and show no previews", async () => {
    const text =
      "*not bold* <!channel> <!here> <@U0BOB> <https://example.org|click> @channel & &lt;!channel&gt;";
    await inGeneral({ text });
    const [message] = general();
    expect(message?.shown).toBe(text);
    expect(message?.pings).toEqual([]);
    const sent = stage.slack.calls.find(({ method }) => method === "chat.postMessage");
    expect(sent?.args).toEqual({
      channel: "#general",
      text: "*not bold* &lt;!channel&gt; &lt;!here&gt; &lt;@U0BOB&gt; &lt;https://example.org|click&gt; @channel &amp; &amp;lt;!channel&amp;gt;",
      mrkdwn: "false",
      parse: "none",
      link_names: "false",
      unfurl_links: "false",
      unfurl_media: "false",
    });
  });

  it("do not come back in", async () => {
    await inGeneral();
    await say();
    stage.slack.says(DIRECT, PERSON, "after");
    await inbox.has(1);
    await until(() => stage.slack.envelopes.count === 0, "all acknowledgements");
    expect(inbox.texts()).toEqual(["after"]);
  });

  it("reach channels and people of this workspace", () => {
    for (const place of ["#general", `#${GENERAL}`, `@${PERSON}`, "#日本語"])
      expect(bridge.reaches(`slack/${TEAM}/${place}`), place).toBe(true);
    for (const path of [
      "slack",
      "slack/T",
      `slack/${TEAM}`,
      `slack/${TEAM}/general`,
      `slack/${TEAM}/#a/b`,
      "slack/OTHER/#general",
    ])
      expect(bridge.reaches(path), path).toBe(false);
  });

  it("to a person whose id it is not are refused, with what to write", async () => {
    expect(await say({ path: `slack/${TEAM}/@ada` })).toEqual({
      kind: "refused",
      why: expect.stringContaining("member ID"),
    });
  });

  it("stand in the thread of what they answer, though the channel was renamed", async () => {
    const { ts } = stage.slack.says(GENERAL, PERSON, "build?");
    await inbox.has(1);
    stage.slack.workspace.channel(GENERAL).name = "everyone";
    expect(await inGeneral({ answers: `${GENERAL}/${ts}`, thread: ts })).toEqual({ kind: "said" });
    expect(general()).toMatchObject([{ thread_ts: ts }]);
  });

  it("are answered in a thread that the person began: it is known who spoke there last", async () => {
    const { ts: root } = stage.slack.says(GENERAL, PERSON, "build?");
    await inbox.has(1);
    await inGeneral({ answers: `${GENERAL}/${root}`, thread: root, text: "green" });
    const said = general()[0]?.ts;
    await restart();
    stage.slack.says(GENERAL, PERSON, "and the tests?", { thread_ts: root });
    const answer = (await inbox.has(2))[1];
    expect(answer).toMatchObject({ thread: root, answers: [`${GENERAL}/${said}`, `${GENERAL}/${root}`] });
  });

  it("stand in the channel if the thread is gone", async () => {
    stage.slack.plan("chat.postMessage", new CallRefusal("thread_not_found"));
    expect(await inGeneral({ answers: `${GENERAL}/1.1`, thread: "1.1" })).toEqual({ kind: "said" });
    expect(general()[0]).not.toHaveProperty("thread_ts");
  });

  it("wait as long as Slack asks", async () => {
    stage.slack.plan("chat.postMessage", { retryAfterSeconds: 7 });
    expect(await say()).toEqual({ kind: "outage", why: "ratelimited", retryAfterMs: 7_000 });
  });

  it("are perhaps said if the answer is lost, and surely not if there was no connection", async () => {
    stage.slack.plan("chat.postMessage", "lost");
    expect(await say()).toMatchObject({ kind: "outage", perhapsSaid: true });
    expect(direct()).toHaveLength(1);
    stage.slack.plan("chat.postMessage", "garbage");
    expect(await say()).toEqual({ kind: "outage", why: "an answer that cannot be read", perhapsSaid: true });
    stage.slack.plan("chat.postMessage", { status: 503 });
    expect(await say()).toEqual({ kind: "outage", why: "HTTP status 503", perhapsSaid: true });
    stage.slack.plan("chat.postMessage", new CallRefusal("fatal_error"));
    expect(await say()).toMatchObject({ kind: "outage", perhapsSaid: true });
    await stage.close();
    expect(await say()).toEqual({ kind: "outage", why: "ECONNREFUSED" });
  });

  it("that end with the bridge, or before, are an outage", async () => {
    expect(await say({}, AbortSignal.abort())).toMatchObject({ kind: "outage" });
    await bridge.close();
    expect(await say()).toEqual({ kind: "outage", why: "the bridge is not open" });
  });

  it.each([
    ["#other", "not_in_channel (invite the bot into the channel (/invite, then its name))"],
    ["#nowhere", "channel_not_found (check the name, and invite the bot into the channel if it is private)"],
    ["@U0NOBODY", "channel_not_found (check the name, and invite the bot into the channel if it is private)"],
  ])("to %s are refused in Slack's words, with what to do", async (place, why) => {
    expect(await say({ path: `slack/${TEAM}/${place}` })).toEqual({ kind: "refused", why });
  });

  it("wait for a token that is accepted", async () => {
    stage.slack.plan("chat.postMessage", new CallRefusal("token_revoked"));
    expect(await say()).toEqual({ kind: "outage", why: "token_revoked" });
  });

  describe("with buttons", () => {
    const last = () => direct().at(-1) ?? expect.fail("nothing was said");
    const shown = () => stage.slack.buttonsUnder(last());

    it("have them under their last part", async () => {
      await say({ text: "x".repeat(4_500), buttons: BUTTONS });
      expect(direct().map((message) => stage.slack.buttonsUnder(message))).toEqual([
        [],
        ["nonce-approve", "nonce-deny"],
      ]);
    });

    it("bring a press with its nonce, then take the buttons away and keep the words", async () => {
      await say({ text: "May I <rm>?", buttons: BUTTONS });
      const id = `${DIRECT}/${last().ts}`;
      stage.slack.presses(last(), "nonce-approve", PERSON);
      const [arrival] = await inbox.has(1);
      expect(arrival).toMatchObject({
        path: stage.path,
        button: "nonce-approve",
        text: "Approve",
        from: PERSON,
        answerable: id,
        answers: [id],
      });
      await until(() => shown().length === 0, "the buttons to go");
      expect(last().shown).toBe("May I <rm>?");
      expect(stage.slack.envelopes.count).toBe(0);
    });

    it("acknowledge a press only when it is on disk", async () => {
      await say({ buttons: BUTTONS });
      await until(() => stage.slack.envelopes.count === 0, "its echo to be acknowledged");
      inbox.fails = true;
      const id = stage.slack.presses(last(), "nonce-deny", PERSON);
      await until(() => inbox.failed > 1, "two tries");
      expect(stage.slack.envelopes.acknowledged).not.toContain(id);
      expect(shown()).toHaveLength(2);
      inbox.fails = false;
      await until(() => stage.slack.envelopes.acknowledged.includes(id), "the acknowledgement");
      expect(inbox.taken).toHaveLength(1);
    });

    it("keep them when a stranger presses", async () => {
      await say({ buttons: BUTTONS });
      inbox.answer = "stranger";
      const id = stage.slack.presses(last(), "nonce-approve", STRANGER);
      await until(() => stage.slack.envelopes.acknowledged.includes(id), "the acknowledgement");
      expect(shown()).toHaveLength(2);
    });

    it("do not mind that a message is gone when its buttons should go", async () => {
      await say({ buttons: BUTTONS });
      stage.slack.plan("chat.update", new CallRefusal("message_not_found"));
      stage.slack.presses(last(), "nonce-approve", PERSON);
      await until(() => stage.lines.some(({ event }) => event === "slack keeps buttons"), "a line");
      expect(bridge.health().state).toBe("connected");
    });
  });
});
