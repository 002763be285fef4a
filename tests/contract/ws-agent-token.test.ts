/** An agent's token speaks for that agent, over WebSocket and HTTP; naming an agent without it does not. */
import { describe, expect, it } from "vitest";
import { agentToken } from "../../src/home/token.ts";
import { BrokerStage } from "./broker-stage.ts";
import { askHttp } from "./http-harness.ts";
import { refused } from "./ws-refused.ts";

describe("an agent's own token", () => {
  async function agentStage() {
    const stage = await BrokerStage.open();
    await stage.agents("coder", "writer");
    return { stage, coder: await stage.ws(stage.tokenOf("coder")), owner: await stage.ws() };
  }

  it("may be shown either way", async () => {
    const { stage } = await agentStage();
    const caller = await stage.ws(null);
    expect(await caller.ask({ type: "auth", token: stage.tokenOf("coder") })).toEqual({ type: "auth.ok" });
    expect(await caller.ask({ type: "msg.receive", agentId: "coder" })).toMatchObject({
      type: "msg.receive.ok",
    });
  });

  it("is the sender, whether it says so or not", async () => {
    const { coder } = await agentStage();
    for (const from of [{}, { from: "coder" }, { from: "agent/coder" }])
      expect(await coder.ask({ type: "msg.send", to: "writer", command: "x", ...from })).toMatchObject({
        message: { from: "coder" },
      });
  });

  it.each([
    ["another agent", { type: "msg.send", from: "writer", to: "coder" }],
    ["a person", { type: "msg.send", from: "person/dev", to: "writer" }],
    ["a name that nobody has", { type: "msg.route", from: "slack-bridge", path: "agent/writer" }],
    ["another agent, to all", { type: "msg.broadcast", from: "writer" }],
    ["a system outside", { type: "msg.route", path: "agent/writer", source: "slack" }],
  ])("does not speak for %s", async (_, frame) => {
    const { coder, stage } = await agentStage();
    expect(await coder.ask(frame)).toMatchObject({
      type: `${frame.type}.error`,
      code: "request.forbidden",
      next: expect.any(String),
    });
    expect(stage.store.read.countQueued()).toBe(0);
  });

  it.each([
    ["another's mailbox", { type: "msg.receive", agentId: "writer" }],
    ["another's history", { type: "msg.history", agentId: "writer" }],
    ["another's ears", { type: "msg.listen", agentId: "writer" }],
    ["another's ears, taking", { type: "msg.listen", agentId: "writer", consume: true }],
    ["another's subscriptions", { type: "msg.sub.list", agentId: "writer" }],
    ["subscribing another", { type: "msg.sub.add", agentId: "writer", pattern: "x/**" }],
    [
      "another's session",
      { type: "msg.session.sub.add", agentId: "writer", sessionId: "s", pattern: "x/**" },
    ],
    ["the dead letters", { type: "msg.unmatched" }],
    ["clearing the dead letters", { type: "msg.unmatched.clear" }],
  ])("has no right to %s", async (_, frame) => {
    const { coder, stage } = await agentStage();
    await stage.use.session_add({ agent: "writer", name: "s" });
    expect(await coder.ask(frame)).toMatchObject({
      type: `${frame.type}.error`,
      code: "rights.missing",
      next: expect.any(String),
    });
    expect(stage.store.read.countQueued()).toBe(0);
  });

  it("acknowledges its own copy and nobody else's", async () => {
    const { stage, coder, owner } = await agentStage();
    await coder.ask({ type: "msg.sub.add", agentId: "coder", pattern: "news" });
    await owner.ask({ type: "msg.sub.add", agentId: "writer", pattern: "news" });
    const { messageId } = await owner.ask({ type: "msg.route", path: "news", command: "x" });
    expect(await coder.ask({ type: "msg.ack", messageId, agentId: "writer" })).toMatchObject({
      code: "rights.missing",
    });
    await coder.ask({ type: "msg.ack", messageId });
    const states = stage.store.read.deliveriesOf(String(messageId)).map(({ to, state }) => `${to} ${state}`);
    expect(states).toEqual(["agent/coder read", "agent/writer queued"]);
  });

  it("over HTTP speaks for itself too, and steers nothing", async () => {
    const { stage } = await agentStage();
    const headers = { authorization: `Bearer ${stage.tokenOf("coder")}`, "content-type": "application/json" };
    const ask = (path: string, body: object) =>
      askHttp({ port: stage.port }, { method: "POST", path, headers, body: JSON.stringify(body) });
    expect((await ask("/sessions/writer/send", { text: "hello" })).status).toBe(200);
    const [item] = stage.store.read.deliveries({ mailboxes: ["agent/writer"] });
    expect(item?.message).toMatchObject({ from: "agent/coder", source: "agent" });
    expect((await ask("/sessions/coder/send", { text: "hello", sender_session_id: "writer" })).status).toBe(
      403,
    );
    const queue = { path: "/sessions/writer/send-queue", headers };
    expect((await askHttp({ port: stage.port }, queue)).status).toBe(403);
  });

  it("speaks for nobody when its agent is removed", async () => {
    const { stage, coder } = await agentStage();
    await stage.use.agent_remove({ name: "coder" });
    for (const frame of [
      { type: "msg.send", to: "writer" },
      { type: "msg.receive", agentId: "coder" },
    ])
      expect(await coder.ask(frame)).toMatchObject({ type: `${frame.type}.error`, code: "agent.unknown" });
    expect(stage.store.read.countQueued()).toBe(0);
  });

  it("is nobody's who makes one up", async () => {
    const { stage } = await agentStage();
    for (const token of [`coder.${"0".repeat(64)}`, agentToken("0".repeat(64), "coder"), "coder", "coder."])
      expect(await refused(stage.url, { authorization: `Bearer ${token}` })).toMatchObject({ status: 401 });
  });
});

describe("who asks on the Unix socket", () => {
  it("cannot say that a token made it an agent", async () => {
    const stage = await BrokerStage.open();
    await stage.agents("coder", "writer");
    const caller = await stage.unix();
    const claims = { user: "root", agent: "coder" };
    const answer = await caller.ask({ type: "route", path: "agent/writer", body: "x", claims });
    expect(answer).toMatchObject({ ok: true, result: { message: { from: "person/dev" } } });
  });
});
