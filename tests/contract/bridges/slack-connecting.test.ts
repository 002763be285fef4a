import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallRefusal } from "../../../src/bridges/slack/rehearsal/refusal.ts";
import type { Bridge } from "../../../src/ports/bridge.ts";
import { until } from "../../rig/scripted-agent.ts";
import { isConnected } from "./contract.ts";
import { KeptInbox } from "./kept-inbox.ts";
import { DIRECT, PERSON, SlackStage } from "./slack-stage.ts";

describe("the connection on which Slack's events come", () => {
  let stage: SlackStage;
  let inbox: KeptInbox;

  const open = (settings = {}) => stage.opened(inbox, settings);

  async function connected(): Promise<Bridge> {
    const bridge = await open();
    await isConnected(bridge);
    return bridge;
  }

  const refused = (bridge: Bridge) =>
    until(
      () => bridge.health().state === "refused",
      () => JSON.stringify(bridge.health()),
    );

  beforeEach(async () => {
    stage = await SlackStage.open();
    inbox = new KeptInbox();
  });

  afterEach(async () => {
    await stage.close();
    expect(stage.secretsLogged).toEqual([]);
  });

  it("goes on after Slack asked for a new connection", async () => {
    const bridge = await connected();
    stage.slack.saysGoodbye("refresh_requested");
    stage.slack.says(DIRECT, PERSON, "meanwhile");
    await until(() => stage.callsOf("apps.connections.open").length > 1, "another connection");
    await isConnected(bridge);
    stage.slack.says(DIRECT, PERSON, "then");
    await until(() => stage.slack.envelopes.count === 0, "acknowledgements");
    expect(inbox.texts()).toEqual(["meanwhile", "then"]);
  });

  it("is tried less and less often while Slack cannot be reached", async () => {
    stage.slack.outage(true);
    const bridge = await open();
    await until(() => stage.clock.waitsMs.filter((ms) => ms < 30_000).length >= 6, "six tries");
    expect(stage.clock.waitsMs.slice(0, 6)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000]);
    expect(bridge.health()).toMatchObject({
      state: "down",
      error: expect.stringMatching(
        /^Slack cannot be reached .* check the network and https:\/\/status.slack.com\.$/,
      ),
    });
  });

  it("waits as long as Slack asks", async () => {
    stage.slack.plan("auth.test", { retryAfterSeconds: 7 });
    const bridge = await open();
    await isConnected(bridge);
    expect(stage.clock.waitsMs[0]).toBe(7_000);
  });

  it.each([
    ["botToken", "xoxb-wrong", "Slack does not accept the bot's token (invalid_auth). Install the app again"],
    [
      "appToken",
      "xapp-wrong",
      "Slack does not accept the app-level token (invalid_auth). Make an app-level token",
    ],
  ])("needs a right %s, and says how to get one", async (which, wrong, words) => {
    const bridge = await open({ [which]: wrong });
    await refused(bridge);
    expect(bridge.health().error).toContain(words);
    expect(bridge.health().error).toContain("bellhop bridge add slack");
  });

  it("needs Socket Mode, and says how to switch it on", async () => {
    const bridge = await connected();
    stage.slack.saysGoodbye("link_disabled");
    await refused(bridge);
    expect(bridge.health().error).toContain("Socket Mode is switched off");
    await isConnected(bridge);
  });

  it("needs the scope, and says which", async () => {
    stage.slack.plan(
      "apps.connections.open",
      new CallRefusal("missing_scope", { needed: "connections:write" }),
    );
    const bridge = await open();
    await refused(bridge);
    expect(bridge.health().error).toContain("missing_scope: it needs the scope connections:write");
  });

  it("on which the server says no hello is an outage, and closing is quick", async () => {
    stage.slack.isSilent = true;
    const bridge = await open();
    await until(() => bridge.health().state === "down", "it to be noticed");
    expect(bridge.health().error).toContain("it does not answer");
    stage.slack.isSilent = false;
    await isConnected(bridge);
  });

  it("that is one of several is warned of", async () => {
    stage.slack.claimedConnections = 2;
    await connected();
    expect(stage.lines).toContainEqual({
      event: "slack has several connections: each gets only a part of the messages",
      fields: { connections: 2 },
    });
  });
});
