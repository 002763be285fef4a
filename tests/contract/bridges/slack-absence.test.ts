import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallRefusal } from "../../../src/bridges/slack/rehearsal/refusal.ts";
import { TEAM } from "../../../src/bridges/slack/rehearsal/workspace.ts";
import type { Bridge } from "../../../src/ports/bridge.ts";
import { until } from "../../rig/scripted-agent.ts";
import { isConnected } from "./contract.ts";
import { KeptInbox } from "./kept-inbox.ts";
import { DIRECT, GENERAL, PERSON, SlackStage } from "./slack-stage.ts";

describe("after an absence that was too long for Slack's own repeats", () => {
  let stage: SlackStage;
  let inbox: KeptInbox;
  let bridge: Bridge;

  const general = (text: string, more = {}) => stage.slack.says(GENERAL, PERSON, text, more);
  const direct = (text: string) => stage.slack.says(DIRECT, PERSON, text);
  const forgotten = () => stage.slack.envelopes.forget();
  const reads = () => stage.slack.calls.filter(({ method }) => /history|replies/.test(method));

  async function start(): Promise<void> {
    bridge = stage.bridge();
    await bridge.open(inbox);
    await isConnected(bridge);
  }

  async function begin(): Promise<void> {
    await start();
    general("known");
    direct("known too");
    await inbox.has(2);
    await bridge.close();
  }

  beforeEach(async () => {
    stage = await SlackStage.open();
    inbox = new KeptInbox();
  });

  afterEach(async () => {
    await bridge.close();
    await stage.close();
  });

  it("what was said meanwhile comes in order, before what is said now, each once", async () => {
    await begin();
    general("one");
    direct("two");
    general("three");
    forgotten();
    stage.slack.plan("conversations.history", { status: 500 });
    direct("four");
    await start();
    general("five");
    await inbox.has(7);
    expect(inbox.texts()).toEqual(["known", "known too", "one", "two", "three", "four", "five"]);
    expect(inbox.taken[2]).toMatchObject({ path: `slack/${TEAM}/#general`, from: PERSON, fromName: "Ada" });
  });

  it("what cannot be read for a while is read later, and nothing that is said meanwhile hides it", async () => {
    await begin();
    general("one");
    direct("two");
    forgotten();
    const mark = inbox.kept("seen");
    stage.slack.plan("conversations.history", ...Array.from({ length: 18 }, () => ({ status: 500 })));
    await start();
    await until(() => reads().length >= 6, "the first attempts");
    general("meanwhile");
    await inbox.has(3);
    expect(inbox.texts().at(-1)).toBe("meanwhile");
    const marks = (text = "[]") => Object.fromEntries(JSON.parse(text));
    expect(marks(inbox.kept("seen"))).toEqual(marks(mark));
    await inbox.has(5);
    expect(inbox.texts().slice(2)).toEqual(["meanwhile", "one", "two"]);
    expect(marks(inbox.kept("seen"))).not.toEqual(marks(mark));
  });

  it("answers in threads come too, where Bellhop had spoken last", async () => {
    await start();
    const { ts: root } = general("build?");
    await inbox.has(1);
    const saying = {
      messageId: "m",
      path: `slack/${TEAM}/#general`,
      text: "green",
      partsSaid: 0,
      perhapsSaid: false,
    };
    const context = { signal: AbortSignal.timeout(20_000), saying: async () => {}, said: async () => {} };
    await bridge.say({ ...saying, answers: `${GENERAL}/${root}`, thread: root }, context);
    await bridge.close();
    general("and the tests?", { thread_ts: root });
    forgotten();
    await start();
    await inbox.has(2);
    expect(inbox.taken[1]).toMatchObject({ text: "and the tests?", thread: root });
    expect(inbox.texts()).toEqual(["build?", "and the tests?"]);
  });

  it("hundreds are read page by page", async () => {
    await begin();
    for (let index = 0; index < 450; index += 1) general(`line ${index}`);
    forgotten();
    await start();
    await inbox.has(452);
    expect(inbox.texts().slice(2)).toEqual(Array.from({ length: 450 }, (_, index) => `line ${index}`));
  });

  it("nothing is asked for on the first day, nor after a short break; after a long one it is", async () => {
    await start();
    expect(reads()).toEqual([]);
    general("known");
    await inbox.has(1);
    const again = async () => {
      const opened = () =>
        stage.slack.calls.filter(({ method }) => method === "apps.connections.open").length;
      const before = opened();
      stage.slack.outage(true);
      await until(() => bridge.health().state === "down", "the outage to be noticed");
      stage.clock.passedMs += stage.clock.passedMs === 0 ? 0 : 61_000;
      general(`said ${stage.clock.passedMs}`);
      forgotten();
      stage.slack.outage(false);
      await until(() => opened() > before, "another connection");
      await isConnected(bridge);
    };
    await again();
    expect(reads()).toEqual([]);
    stage.clock.passedMs = 1;
    await again();
    await inbox.has(3);
    expect(inbox.texts()).toEqual(["known", "said 0", "said 61001"]);
  });

  it("a conversation that cannot be read does not keep the others back", async () => {
    await begin();
    stage.slack.plan(
      "conversations.history",
      new CallRefusal("missing_scope", { needed: "channels:history" }),
    );
    direct("two");
    forgotten();
    await start();
    await inbox.has(3);
    expect(inbox.texts().at(-1)).toBe("two");
    expect(stage.lines).toContainEqual({
      event: "slack does not tell what was missed",
      fields: { channel: GENERAL, why: "missing_scope: it needs the scope channels:history" },
    });
  });
});
