import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MOST_WAITING } from "../../../src/bridges/slack/inflow.ts";
import { BOT, TEAM } from "../../../src/bridges/slack/rehearsal/workspace.ts";
import { LookingInbox } from "../../../src/cli/local/bridges/trial.ts";
import type { Bridge, OutsideInbox } from "../../../src/ports/bridge.ts";
import { until } from "../../rig/scripted-agent.ts";
import { isConnected } from "./contract.ts";
import { KeptInbox } from "./kept-inbox.ts";
import { DIRECT, GENERAL, PERSON, SlackStage } from "./slack-stage.ts";

describe("Slack's events", () => {
  let stage: SlackStage;
  let inbox: KeptInbox;

  const open = (settings = {}, into: OutsideInbox = inbox) => stage.opened(into, settings);

  async function connected(): Promise<Bridge> {
    const bridge = await open();
    await isConnected(bridge);
    return bridge;
  }

  const acknowledged = (count: number) =>
    until(() => stage.slack.envelopes.acknowledged.length >= count, `${count} acknowledgements`);

  beforeEach(async () => {
    stage = await SlackStage.open();
    inbox = new KeptInbox();
  });

  afterEach(async () => {
    await stage.close();
    expect(stage.secretsLogged).toEqual([]);
  });

  it("stay with Slack while somebody only looks at them", async () => {
    const looking = new LookingInbox();
    looking.code = "bellhop-123456";
    const bridge = await open({}, looking);
    await isConnected(bridge);
    await stage.says("before");
    await stage.says("bellhop-123456");
    await until(() => looking.writer !== undefined, "the writer of the code");
    await bridge.close();
    expect(stage.slack.envelopes.acknowledged).toEqual([]);
    await connected();
    await acknowledged(2);
    expect(inbox.texts()).toEqual(["before", "bellhop-123456"]);
  });

  it("that mention the bot come twice and are one arrival, without the mention", async () => {
    await connected();
    const { ts } = stage.slack.saysMarkup(GENERAL, PERSON, `<@${BOT.id}> how is the build?`);
    await acknowledged(2);
    expect(inbox.taken).toEqual([
      {
        externalId: `${GENERAL}/${ts}`,
        path: `slack/${TEAM}/#general`,
        from: PERSON,
        fromName: "Ada",
        text: "how is the build?",
        thread: ts,
      },
    ]);
    expect(inbox.repeated).toHaveLength(1);
  });

  it("name the thread, and its first message as what they answer", async () => {
    await connected();
    const { ts: root } = stage.slack.says(GENERAL, PERSON, "first");
    stage.slack.says(GENERAL, PERSON, "second", { thread_ts: root });
    const [, second] = await inbox.has(2);
    expect(second).toMatchObject({ thread: root, answers: [`${GENERAL}/${root}`] });
  });

  it("have the workspace's word if there is one", async () => {
    await isConnected(await open({ workspace: "acme" }));
    stage.slack.says(GENERAL, PERSON, "hello");
    expect((await inbox.has(1))[0]?.path).toBe("slack/acme/#general");
  });

  it("that are no new words of others are passed over, and acknowledged", async () => {
    await connected();
    const { slack } = stage;
    const where = { type: "message", channel: GENERAL, user: PERSON, ts: "1.1", text: "x" };
    slack.event({ ...where, subtype: "message_changed", hidden: true, message: { text: "y" } });
    slack.event({ ...where, subtype: "message_deleted", hidden: true, deleted_ts: "1.0" });
    slack.event({ ...where, subtype: "channel_join", text: `<@${PERSON}> has joined` });
    slack.event({ ...where, user: BOT.id, text: "own, by its user" });
    slack.event({
      ...where,
      user: undefined,
      bot_id: BOT.botId,
      subtype: "bot_message",
      text: "own, by its bot",
    });
    slack.event({ type: "reaction_added", user: PERSON, reaction: "eyes" });
    slack.event({ ...where, ts: "no time" });
    slack.event({ ...where, channel: "../../etc" });
    slack.event({ ...where, user: { id: PERSON } });
    slack.event({ ...where, text: { toString: 1 } });
    slack.envelopes.add({ type: "slash_commands", payload: { command: "/x" } });
    slack.envelopes.add({ type: "interactive", payload: { type: "view_submission" } });
    slack.envelopes.add({ type: "interactive", payload: { type: "block_actions", actions: [null] } });
    slack.says(GENERAL, PERSON, "words");
    await acknowledged(14);
    expect(inbox.texts()).toEqual(["words"]);
    await until(() => stage.lines.some(({ event }) => event === "slack skips envelopes"), "a line");
  });

  it("of other bots come with who they are: allow-lists decide", async () => {
    await connected();
    stage.slack.event({
      type: "message",
      subtype: "bot_message",
      channel: GENERAL,
      bot_id: "B0ALERTS",
      username: "Alerts",
      ts: "5.5",
      text: "disk full",
    });
    expect((await inbox.has(1))[0]).toMatchObject({
      from: "B0ALERTS",
      fromName: "Alerts",
      text: "disk full",
    });
  });

  it("say which files came with them", async () => {
    await connected();
    const files = [{ name: "report.pdf" }, {}, null];
    stage.slack.event({
      type: "message",
      subtype: "file_share",
      channel: DIRECT,
      user: PERSON,
      ts: "5.5",
      text: "look",
      files,
    });
    expect((await inbox.has(1))[0]?.text).toBe("look\n(file report.pdf)\n(file)\n(file)");
  });

  it("are acknowledged only when they are on disk", async () => {
    const bridge = await connected();
    inbox.fails = true;
    stage.slack.says(DIRECT, PERSON, "one");
    stage.slack.says(DIRECT, PERSON, "two");
    await until(() => inbox.failed > 1, "two tries");
    expect(stage.slack.envelopes.acknowledged).toEqual([]);
    expect(bridge.health()).toMatchObject({
      state: "down",
      error: expect.stringContaining("bellhop doctor"),
    });
    inbox.fails = false;
    await acknowledged(2);
    expect(inbox.texts()).toEqual(["one", "two"]);
    expect(bridge.health().state).toBe("connected");
  });

  it("are acknowledged when Slack sends them again because it heard nothing", async () => {
    await connected();
    inbox.fails = true;
    stage.slack.says(DIRECT, PERSON, "one");
    await until(() => stage.slack.envelopes.repeats > 0, "Slack to repeat it");
    inbox.fails = false;
    await acknowledged(1);
    await until(() => stage.slack.envelopes.count === 0, "nothing to be owed");
    expect(inbox.texts()).toEqual(["one"]);
  });

  it("beyond what may wait are left to Slack, which sends them again", async () => {
    await connected();
    inbox.fails = true;
    const count = MOST_WAITING + 50;
    for (let index = 0; index < count; index += 1) stage.slack.says(DIRECT, PERSON, `line ${index}`);
    const isFull = () => stage.lines.some(({ event }) => event.startsWith("slack brings more"));
    await until(isFull, "the queue to be full");
    inbox.fails = false;
    await until(() => stage.slack.envelopes.count === 0, "all acknowledgements");
    expect(new Set(inbox.texts()).size).toBe(count);
    expect(inbox.taken).toHaveLength(count);
  });

  it("of a channel that was renamed come from its new name", async () => {
    await connected();
    stage.slack.says(GENERAL, PERSON, "one");
    await inbox.has(1);
    stage.slack.event({ type: "channel_rename", channel: { id: GENERAL, name: "everyone", created: 1 } });
    stage.slack.says(GENERAL, PERSON, "two");
    const arrivals = await inbox.has(2);
    expect(arrivals.map(({ path }) => path)).toEqual([`slack/${TEAM}/#general`, `slack/${TEAM}/#everyone`]);
    expect(stage.callsOf("conversations.info")).toHaveLength(1);
    expect(inbox.kept(`channel/${GENERAL}`)).toBe("everyone");
  });

  it("come from the channel's id if the bot may not know its name, and without people's names", async () => {
    stage.slack.api.knowsChannels = false;
    stage.slack.api.knowsPeople = false;
    await connected();
    stage.slack.says(GENERAL, PERSON, "one");
    stage.slack.says(GENERAL, PERSON, "two");
    const [one, two] = await inbox.has(2);
    expect([one?.path, two?.path]).toEqual(Array(2).fill(`slack/${TEAM}/#${GENERAL}`));
    expect(one).not.toHaveProperty("fromName");
    expect(stage.callsOf("conversations.info")).toHaveLength(1);
    expect(stage.callsOf("users.info")).toHaveLength(1);
  });

  it("wait a little for the channel's name, and come from the id if Slack does not tell it", async () => {
    await connected();
    stage.slack.plan("conversations.info", { status: 500 }, "garbage");
    stage.slack.says(GENERAL, PERSON, "one");
    expect((await inbox.has(1))[0]?.path).toBe(`slack/${TEAM}/#general`);
    stage.slack.workspace.directWith(PERSON);
    stage.slack.plan("conversations.info", { status: 500 }, { status: 500 }, { status: 500 });
    stage.slack.event({ type: "message", channel: "C0OTHER", user: PERSON, ts: "7.7", text: "two" });
    expect((await inbox.has(2))[1]?.path).toBe(`slack/${TEAM}/#C0OTHER`);
  });

  it("come from the name that is known from before if Slack cannot be asked", async () => {
    await inbox.keep({ [`channel/${GENERAL}`]: "general" });
    stage.slack.plan("conversations.info", { status: 500 });
    await connected();
    stage.slack.says(GENERAL, PERSON, "one");
    expect((await inbox.has(1))[0]?.path).toBe(`slack/${TEAM}/#general`);
    expect(stage.callsOf("conversations.info")).toHaveLength(1);
  });

  it("that are none of Slack's do not harm", async () => {
    const bridge = await connected();
    const event = (type: unknown) =>
      JSON.stringify({ type: "events_api", envelope_id: "e", payload: { event: { type } } });
    for (const text of [
      "",
      "null",
      "[]",
      "no JSON",
      "{}",
      '{"type":"close"}',
      '{"type":"error"}',
      '{"type":"events_api"}',
    ])
      stage.slack.sendRaw(text);
    stage.slack.sendRaw('{"type":"events_api","envelope_id":"e","payload":{}}');
    stage.slack.sendRaw('{"type":"events_api","envelope_id":"e","payload":{"event":null}}');
    stage.slack.sendRaw('{"type":"interactive","envelope_id":"e","payload":null}');
    for (const type of ["close", "error", "disconnected", "ws_message", "slack_event", 5, "__proto__"])
      stage.slack.sendRaw(event(type));
    stage.slack.says(DIRECT, PERSON, "after all that");
    expect((await inbox.has(1))[0]?.text).toBe("after all that");
    expect(bridge.health().state).toBe("connected");
  });
});
