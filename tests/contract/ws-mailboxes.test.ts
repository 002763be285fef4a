/** What the protocol's document says of messages and mailboxes. */
import { describe, expect, it } from "vitest";
import { GENERAL, MONITOR, message, RESEARCHER, SLACK, stageWith } from "./ws-frames.ts";

describe("the message format", () => {
  it("has the defaults of its table", async () => {
    const { caller } = await stageWith("writer", "researcher");
    const { message: sent } = await caller.ask({ type: "msg.send", from: "writer", to: "researcher" });
    expect(sent).toEqual(message({ command: "message", payload: {} }));
  });

  it("shows a sender that is no agent under the name it gave", async () => {
    const { caller } = await stageWith("researcher");
    const { message: sent } = await caller.ask({ type: "msg.send", from: "cron-job", to: "researcher" });
    expect(sent).toMatchObject({ from: "cron-job" });
  });

  it("keeps an arbitrary payload as it is", async () => {
    const { caller } = await stageWith("writer", "researcher");
    const payload = { snake_case: [1, { deepCamel: null }], "": "ü 👩‍👩‍👧", nested: { a: { b: [] } } };
    await caller.ask({ type: "msg.send", from: "writer", to: "researcher", payload });
    const { messages } = await caller.ask({ type: "msg.receive", ...RESEARCHER });
    expect(messages).toEqual([message({ payload, status: "delivered", handled: false })]);
  });

  it("takes words as well, and gives them as the payload's text", async () => {
    const { caller } = await stageWith("writer", "researcher");
    const { message: sent } = await caller.ask({
      type: "msg.send",
      from: "writer",
      to: "researcher",
      body: "look at this",
    });
    expect(sent).toEqual(message({ body: "look at this", payload: { text: "look at this" } }));
  });

  it("stores a message of the same key once", async () => {
    const { caller } = await stageWith("writer", "researcher");
    const frame = { type: "msg.send", from: "writer", to: "researcher", command: "x", idempotencyKey: "k" };
    const first = await caller.ask(frame);
    expect((await caller.ask(frame)).messageId).toBe(first.messageId);
    expect(await caller.ask({ ...frame, command: "y" })).toMatchObject({
      type: "msg.send.error",
      code: "message.conflict",
    });
  });
});

describe("receiving", () => {
  it("gives each message once, oldest first, and shows it in the history ever after", async () => {
    const { caller } = await stageWith("writer", "researcher");
    for (const command of ["one", "two", "three"])
      await caller.ask({ type: "msg.send", from: "writer", to: "researcher", command });
    const { messages } = await caller.ask({ type: "msg.receive", ...RESEARCHER });
    expect(messages).toMatchObject([{ command: "one" }, { command: "two" }, { command: "three" }]);
    expect((await caller.ask({ type: "msg.receive", ...RESEARCHER })).messages).toEqual([]);
    const { messages: all } = await caller.ask({ type: "msg.history", ...RESEARCHER });
    expect(all).toMatchObject([{ status: "delivered" }, { status: "delivered" }, { status: "delivered" }]);
  });

  it("history of many gives the newest, and can be asked by time", async () => {
    const { caller } = await stageWith("writer", "researcher");
    for (const command of ["one", "two", "three"])
      await caller.ask({ type: "msg.send", from: "writer", to: "researcher", command });
    const history = async (options: object) =>
      (await caller.ask({ type: "msg.history", ...RESEARCHER, options })).messages as {
        command: string;
        timestamp: number;
      }[];
    expect(await history({ limit: 2 })).toMatchObject([{ command: "two" }, { command: "three" }]);
    const [first] = await history({});
    expect(await history({ toTime: first?.timestamp })).toEqual([]);
    expect(await history({ fromTime: Date.now() + 1_000 })).toEqual([]);
  });

  it("a push changes nothing: what was heard can still be received", async () => {
    const { caller } = await stageWith("writer", "researcher");
    await caller.ask({ type: "msg.listen", ...RESEARCHER });
    await caller.ask({ type: "msg.send", from: "writer", to: "researcher" });
    const heard = await caller.heard();
    expect(heard.status).toBe("pending");
    const { messages } = await caller.ask({ type: "msg.receive", ...RESEARCHER });
    expect(messages).toMatchObject([{ id: heard.id, status: "delivered" }]);
  });

  it("an unknown agent or session is told by its code", async () => {
    const { caller } = await stageWith("researcher");
    const nobody = { agentId: "nobody" };
    for (const type of ["msg.receive", "msg.history", "msg.listen", "msg.sub.list"])
      expect(await caller.ask({ type, ...nobody })).toMatchObject({
        type: `${type}.error`,
        code: "agent.unknown",
        message: expect.any(String),
        next: expect.any(String),
      });
    for (const type of ["msg.session.receive", "msg.session.history", "msg.session.listen"])
      expect(await caller.ask({ type, ...RESEARCHER, sessionId: "none" })).toMatchObject({
        type: `${type}.error`,
        code: "session.unknown",
      });
  });

  it("a session may be named by its id too", async () => {
    const { stage, caller } = await stageWith("researcher");
    await caller.ask({ type: "msg.session.sub.add", ...MONITOR, ...GENERAL });
    await caller.ask(SLACK);
    const { sessions } = await stage.use.agent_show({ name: "researcher" });
    const sessionId = sessions.find(({ name }) => name === MONITOR.sessionId)?.id ?? "";
    expect(sessionId).toMatch(/^[0-9a-f]{8}$/);
    const { messages } = await caller.ask({ type: "msg.session.receive", ...RESEARCHER, sessionId });
    expect(messages).toHaveLength(1);
  });

  it("everything survives: mailboxes, subscriptions and dead letters are on disk when the answer comes", async () => {
    const { stage, caller } = await stageWith("writer", "researcher");
    await caller.ask({ type: "msg.sub.add", ...RESEARCHER, pattern: "email/**" });
    const { messageId } = await caller.ask({ type: "msg.send", from: "writer", to: "researcher" });
    const { messageId: lost } = await caller.ask(SLACK);
    const { read } = stage.store;
    expect(read.deliveriesOf(String(messageId))).toMatchObject([{ to: "agent/researcher", state: "queued" }]);
    expect(read.isUnmatched(String(lost))).toBe(true);
    expect(read.subscriptionsOf({ kind: "agent", agent: "researcher" })).toMatchObject([
      { pattern: "email/**" },
    ]);
  });
});
