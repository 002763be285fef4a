/** The broker's protocol as its document has it: each type with its request and answer, each row of its tables. */
import { describe, expect, it } from "vitest";
import { BrokerStage, type Frame, type WsCaller } from "./broker-stage.ts";

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const TIME = expect.any(Number);

/** A message as the format's table has it, with what Bellhop adds: a short id, and the words an agent reads. */
const message = (fields: Record<string, unknown>) => ({
  id: UUID,
  shortId: expect.stringMatching(/^[a-z0-9]{6}$/),
  from: "writer",
  path: "agent/researcher",
  command: "message",
  payload: {},
  body: expect.any(String),
  status: "pending",
  timestamp: TIME,
  source: "internal",
  externalId: null,
  ...fields,
});
const subscription = (pattern: string) => ({ pattern, addedAt: TIME });

async function stageWith(...agents: readonly string[]): Promise<{ stage: BrokerStage; caller: WsCaller }> {
  const stage = await BrokerStage.open();
  await stage.agents(...agents);
  return { stage, caller: await stage.ws() };
}

const RESEARCHER = { agentId: "researcher" };
const MONITOR = { agentId: "researcher", sessionId: "slack-monitor" };
const GENERAL = { pattern: "slack/team/#general" };
const SLACK = {
  type: "msg.route",
  from: "slack-bridge",
  path: "slack/team/#general",
  command: "new_message",
  payload: {},
  source: "slack",
  externalId: "ts-1234",
};
const FROM_SLACK = {
  from: "slack-bridge",
  path: "slack/team/#general",
  command: "new_message",
  source: "slack",
  externalId: "ts-1234",
};

interface Row {
  readonly before?: readonly Frame[];
  readonly request: Frame;
  readonly answer: Frame;
  /** What is done after it, and what is then pushed. */
  readonly afterwards?: { readonly request: Frame; readonly push: Frame };
}

/** The seventeen types, in the document's order and words. */
const ROWS: Readonly<Record<string, Row>> = {
  "msg.send": {
    request: { type: "msg.send", from: "writer", to: "researcher", command: "analyze", payload: {} },
    answer: { type: "msg.send.ok", messageId: UUID, message: message({ command: "analyze" }) },
  },
  "msg.route": {
    before: [{ type: "msg.sub.add", ...RESEARCHER, ...GENERAL }],
    request: SLACK,
    answer: { type: "msg.route.ok", delivered: true, deliveredTo: ["researcher"], messageId: UUID },
  },
  "msg.broadcast": {
    request: { type: "msg.broadcast", from: "writer", command: "announce", payload: {} },
    answer: {
      type: "msg.broadcast.ok",
      messageId: UUID,
      message: message({ path: "agent/**", command: "announce" }),
    },
  },
  "msg.receive": {
    before: [
      {
        type: "msg.send",
        from: "writer",
        to: "researcher",
        command: "analyze",
        payload: { topic: "AI safety" },
      },
    ],
    request: { type: "msg.receive", ...RESEARCHER },
    answer: {
      type: "msg.receive.ok",
      ...RESEARCHER,
      messages: [
        message({ command: "analyze", payload: { topic: "AI safety" }, status: "delivered", handled: false }),
      ],
    },
  },
  "msg.listen": {
    request: { type: "msg.listen", ...RESEARCHER },
    answer: { type: "msg.listen.ok", ...RESEARCHER },
    afterwards: {
      request: { type: "msg.send", from: "writer", to: "researcher", command: "analyze", payload: {} },
      push: { type: "msg.push", message: message({ command: "analyze", handled: false }) },
    },
  },
  "msg.history": {
    before: [
      { type: "msg.send", from: "writer", to: "researcher", command: "first" },
      { type: "msg.receive", ...RESEARCHER },
      { type: "msg.send", from: "writer", to: "researcher", command: "second" },
    ],
    request: { type: "msg.history", ...RESEARCHER, options: { limit: 50 } },
    answer: {
      type: "msg.history.ok",
      ...RESEARCHER,
      messages: [
        message({ command: "first", status: "delivered", handled: false }),
        message({ command: "second", handled: false }),
      ],
    },
  },
  "msg.sub.add": {
    request: { type: "msg.sub.add", ...RESEARCHER, ...GENERAL },
    answer: {
      type: "msg.sub.add.ok",
      ...RESEARCHER,
      ...GENERAL,
      subscriptions: [subscription("slack/team/#general")],
    },
  },
  "msg.sub.remove": {
    before: [
      { type: "msg.sub.add", ...RESEARCHER, ...GENERAL },
      { type: "msg.sub.add", ...RESEARCHER, pattern: "email/**" },
    ],
    request: { type: "msg.sub.remove", ...RESEARCHER, ...GENERAL },
    answer: {
      type: "msg.sub.remove.ok",
      ...RESEARCHER,
      ...GENERAL,
      subscriptions: [subscription("email/**")],
    },
  },
  "msg.sub.list": {
    before: [{ type: "msg.sub.add", ...RESEARCHER, pattern: "slack/**" }],
    request: { type: "msg.sub.list", ...RESEARCHER },
    answer: { type: "msg.sub.list.ok", ...RESEARCHER, subscriptions: [subscription("slack/**")] },
  },
  "msg.unmatched": {
    before: [SLACK],
    request: { type: "msg.unmatched", options: { limit: 50 } },
    answer: {
      type: "msg.unmatched.ok",
      messages: [message({ ...FROM_SLACK, reason: "nobody subscribes to this path" })],
    },
  },
  "msg.unmatched.clear": {
    before: [SLACK],
    request: { type: "msg.unmatched.clear" },
    answer: { type: "msg.unmatched.clear.ok", cleared: true },
  },
  "msg.session.sub.add": {
    request: { type: "msg.session.sub.add", ...MONITOR, ...GENERAL },
    answer: {
      type: "msg.session.sub.add.ok",
      ...MONITOR,
      subscriptions: [subscription("slack/team/#general")],
    },
  },
  "msg.session.sub.remove": {
    before: [{ type: "msg.session.sub.add", ...MONITOR, ...GENERAL }],
    request: { type: "msg.session.sub.remove", ...MONITOR, ...GENERAL },
    answer: { type: "msg.session.sub.remove.ok", ...MONITOR, subscriptions: [] },
  },
  "msg.session.sub.list": {
    before: [{ type: "msg.session.sub.add", ...MONITOR, ...GENERAL }],
    request: { type: "msg.session.sub.list", ...MONITOR },
    answer: { type: "msg.session.sub.list.ok", subscriptions: [subscription("slack/team/#general")] },
  },
  "msg.session.listen": {
    before: [{ type: "msg.session.sub.add", ...MONITOR, ...GENERAL }],
    request: { type: "msg.session.listen", ...MONITOR },
    answer: { type: "msg.session.listen.ok", ...MONITOR },
    afterwards: {
      request: SLACK,
      push: { type: "msg.session.push", ...MONITOR, message: message(FROM_SLACK) },
    },
  },
  "msg.session.receive": {
    before: [{ type: "msg.session.sub.add", ...MONITOR, ...GENERAL }, SLACK],
    request: { type: "msg.session.receive", ...MONITOR },
    answer: {
      type: "msg.session.receive.ok",
      messages: [message({ ...FROM_SLACK, status: "delivered" })],
    },
  },
  "msg.session.history": {
    before: [{ type: "msg.session.sub.add", ...MONITOR, ...GENERAL }, SLACK],
    request: { type: "msg.session.history", ...MONITOR, options: { limit: 50 } },
    answer: { type: "msg.session.history.ok", messages: [message(FROM_SLACK)] },
  },
};

describe("every type of the WebSocket protocol", () => {
  it("is in the table: eleven of msg.*, six of msg.session.*", () => {
    const types = Object.keys(ROWS);
    expect(types.filter((type) => type.startsWith("msg.session."))).toHaveLength(6);
    expect(types).toHaveLength(17);
  });

  for (const [type, { before = [], request, answer, afterwards }] of Object.entries(ROWS)) {
    it(`${type}: the document's request has the document's answer`, async () => {
      const { caller } = await stageWith("writer", "researcher");
      for (const frame of before) expect((await caller.ask(frame)).type).toMatch(/\.ok$/);
      expect(await caller.ask(request)).toEqual(answer);
      if (afterwards === undefined) return;
      await caller.ask(afterwards.request);
      expect(await caller.pushes.next()).toEqual(afterwards.push);
    });

    it.each([7, "seven", 0, ""])(`${type}: echoes reqId %j`, async (reqId) => {
      const { caller } = await stageWith("writer", "researcher");
      for (const frame of before) await caller.ask(frame);
      expect(await caller.ask({ ...request, reqId })).toEqual({ ...answer, reqId });
    });
  }

  it("ping: pong", async () => {
    const { caller } = await stageWith();
    expect(await caller.ask({ type: "ping" })).toEqual({ type: "pong" });
    expect(await caller.ask({ type: "ping", reqId: 3 })).toEqual({ type: "pong", reqId: 3 });
  });

  it("msg.ack: a listener says that it has it", async () => {
    const { stage, caller } = await stageWith("writer", "researcher");
    await caller.ask({ type: "msg.listen", ...RESEARCHER });
    await caller.ask({ type: "msg.send", from: "writer", to: "researcher" });
    const { id } = await caller.heard();
    expect(await caller.ask({ type: "msg.ack", messageId: id, ...RESEARCHER })).toEqual({
      type: "msg.ack.ok",
      messageId: id,
    });
    expect(stage.store.read.deliveriesOf(id).map(({ state }) => state)).toEqual(["read"]);
    expect((await caller.ask({ type: "msg.receive", ...RESEARCHER })).messages).toEqual([]);
  });
});

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

/** The document's table, word by word, and both directions of its rule. */
const WILDCARDS: readonly (readonly [pattern: string, path: string, matches: boolean])[] = [
  ["agent/researcher", "agent/researcher", true],
  ["agent/*", "agent/researcher", true],
  ["agent/*", "agent/a/b", false],
  ["agent/**", "agent/a/b/c", true],
  ["agent/**", "agent", true],
  ["slack/*/*", "slack/team/#general", true],
  ["email/**", "email/to@co.com/from@x.com", true],
  // "#*" is a literal string, not a partial wildcard.
  ["slack/*/#*", "slack/team/#general", false],
  ["slack/*/#*", "slack/team/#*", true],
  // The delivery path as the pattern, the subscription as the path.
  ["slack/team/#general", "slack/**", true],
  ["slack/team/#general", "slack/*/*", true],
  ["slack/team/#general", "slack/*", false],
  ["custom/a", "custom/**", true],
];

describe("wildcards, through the door", () => {
  it.each(WILDCARDS)("a subscription to %s hears %s: %s", async (pattern, path, matches) => {
    const { caller } = await stageWith("listener");
    await caller.ask({ type: "msg.sub.add", agentId: "listener", pattern });
    const answer = await caller.ask({ type: "msg.route", from: "script", path });
    expect(answer).toEqual(
      matches
        ? { type: "msg.route.ok", delivered: true, deliveredTo: ["listener"], messageId: UUID }
        : { type: "msg.route.ok", delivered: false, unmatched: true, messageId: UUID },
    );
    const { messages } = await caller.ask({ type: "msg.receive", agentId: "listener" });
    expect(messages).toHaveLength(matches ? 1 : 0);
  });

  it("hears its own address without a subscription, and cannot give it up", async () => {
    const { caller } = await stageWith("researcher");
    expect(await caller.ask({ type: "msg.sub.list", ...RESEARCHER })).toMatchObject({ subscriptions: [] });
    expect(
      await caller.ask({ type: "msg.sub.remove", ...RESEARCHER, pattern: "agent/researcher" }),
    ).toMatchObject({ type: "msg.sub.remove.error", code: "pattern.own" });
    expect(await caller.ask({ type: "msg.route", from: "x", path: "agent/researcher" })).toMatchObject({
      deliveredTo: ["researcher"],
    });
  });

  it("refuses a pattern that could explode", async () => {
    const { caller } = await stageWith("researcher");
    expect(await caller.ask({ type: "msg.sub.add", ...RESEARCHER, pattern: "**/a/**/b/**" })).toMatchObject({
      type: "msg.sub.add.error",
      code: "pattern.invalid",
    });
  });

  it("an agent that is made later is reached by a broadcast at once", async () => {
    const { stage, caller } = await stageWith("writer");
    await stage.agents("newcomer");
    await caller.ask({ type: "msg.broadcast", from: "writer", command: "announce" });
    expect((await caller.ask({ type: "msg.receive", agentId: "newcomer" })).messages).toHaveLength(1);
  });
});

describe("the delivery flow", () => {
  it("1: normalises the path", async () => {
    const { caller } = await stageWith("researcher");
    await caller.ask({ type: "msg.sub.add", ...RESEARCHER, ...GENERAL });
    expect(await caller.ask({ ...SLACK, path: "//slack/team/#general/" })).toMatchObject({ delivered: true });
    const { messages } = await caller.ask({ type: "msg.receive", ...RESEARCHER });
    expect(messages).toMatchObject([{ path: "slack/team/#general" }]);
  });

  it("2: builds the message with its id, time and defaults", async () => {
    const { caller } = await stageWith("researcher");
    const before = Date.now();
    const { message: built } = await caller.ask({ type: "msg.send", from: "writer", to: "researcher" });
    expect(built).toEqual(message({}));
    const { timestamp } = built as { timestamp: number };
    expect(timestamp).toBeGreaterThanOrEqual(before);
    expect(timestamp).toBeLessThanOrEqual(Date.now());
  });

  it("3: finds agents by their own address, by subscription, and sessions with their agents", async () => {
    const { caller } = await stageWith("auto", "custom", "parent");
    await caller.ask({ type: "msg.sub.add", agentId: "custom", pattern: "agent/*" });
    await caller.ask({
      type: "msg.session.sub.add",
      agentId: "parent",
      sessionId: "watch",
      pattern: "agent/auto",
    });
    expect(await caller.ask({ type: "msg.route", from: "script", path: "agent/auto" })).toEqual({
      type: "msg.route.ok",
      delivered: true,
      deliveredTo: ["auto", "custom", "parent"],
      deliveredToSessions: [{ agentId: "parent", sessionId: "watch" }],
      messageId: UUID,
    });
  });

  it("4: what nobody matches is a dead letter, and says so", async () => {
    const { caller } = await stageWith("researcher");
    expect(await caller.ask(SLACK)).toEqual({
      type: "msg.route.ok",
      delivered: false,
      unmatched: true,
      messageId: UUID,
    });
    expect(await caller.ask({ type: "msg.send", from: "writer", to: "nobody" })).toEqual({
      type: "msg.send.ok",
      messageId: UUID,
      message: message({ path: "agent/nobody" }),
      delivered: false,
      unmatched: true,
    });
    const { messages } = await caller.ask({ type: "msg.unmatched" });
    expect(messages).toMatchObject([{ path: "slack/team/#general" }, { path: "agent/nobody" }]);
    await caller.ask({ type: "msg.unmatched.clear" });
    expect((await caller.ask({ type: "msg.unmatched" })).messages).toEqual([]);
  });

  it("5 and 6: each matched session and agent has its copy, the agent's with handled and handledBy", async () => {
    const { caller } = await stageWith("researcher", "other");
    await caller.ask({ type: "msg.session.sub.add", ...MONITOR, ...GENERAL });
    await caller.ask({ type: "msg.session.sub.add", ...MONITOR, sessionId: "second", pattern: "slack/**" });
    await caller.ask({ type: "msg.sub.add", agentId: "other", ...GENERAL });
    for (const frame of [
      { type: "msg.listen", ...RESEARCHER },
      { type: "msg.session.listen", ...MONITOR },
      { type: "msg.listen", agentId: "other" },
    ])
      await caller.ask(frame);
    await caller.ask(SLACK);
    const pushed = [await caller.pushes.next(), await caller.pushes.next(), await caller.pushes.next()].map(
      (push) => JSON.stringify(push),
    );
    const handledBy = [MONITOR, { ...MONITOR, sessionId: "second" }];
    const expected = [
      { type: "msg.session.push", ...MONITOR, message: message(FROM_SLACK) },
      {
        type: "msg.push",
        message: message({ ...FROM_SLACK, handled: true, handledBy: expect.arrayContaining(handledBy) }),
      },
      { type: "msg.push", message: message({ ...FROM_SLACK, handled: false }) },
    ];
    for (const push of expected) expect(pushed.map((text) => JSON.parse(text))).toContainEqual(push);

    const { messages } = await caller.ask({ type: "msg.receive", ...RESEARCHER });
    expect(messages).toEqual([
      message({
        ...FROM_SLACK,
        status: "delivered",
        handled: true,
        handledBy: expect.arrayContaining(handledBy),
      }),
    ]);
    const ofSession = await caller.ask({ type: "msg.session.receive", ...MONITOR });
    expect(ofSession.messages).toEqual([message({ ...FROM_SLACK, status: "delivered" })]);
  });

  it("6: an agent whose sessions did not match has handled: false and no handledBy", async () => {
    const { caller } = await stageWith("researcher");
    await caller.ask({ type: "msg.session.sub.add", ...MONITOR, ...GENERAL });
    await caller.ask({ type: "msg.send", from: "writer", to: "researcher" });
    const { messages } = await caller.ask({ type: "msg.receive", ...RESEARCHER });
    expect(messages).toEqual([message({ status: "delivered", handled: false })]);
  });

  it("7: says to whom it went", async () => {
    const { caller } = await stageWith("researcher");
    await caller.ask({ type: "msg.session.sub.add", ...MONITOR, ...GENERAL });
    expect(await caller.ask(SLACK)).toEqual({
      type: "msg.route.ok",
      delivered: true,
      deliveredTo: ["researcher"],
      deliveredToSessions: [MONITOR],
      messageId: UUID,
    });
  });
});

describe("the sender of a broadcast", () => {
  it("does not hear it, and neither do its sessions", async () => {
    const { caller } = await stageWith("writer", "researcher", "editor");
    await caller.ask({
      type: "msg.session.sub.add",
      agentId: "writer",
      sessionId: "own",
      pattern: "agent/**",
    });
    expect(await caller.ask({ type: "msg.route", from: "writer", path: "agent/**" })).toMatchObject({
      deliveredTo: ["editor", "researcher"],
    });
    expect((await caller.ask({ type: "msg.receive", agentId: "writer" })).messages).toEqual([]);
    const own = { type: "msg.session.receive", agentId: "writer", sessionId: "own" };
    expect((await caller.ask(own)).messages).toEqual([]);
  });

  it("is left out of agent/* too", async () => {
    const { caller } = await stageWith("writer", "researcher");
    expect(await caller.ask({ type: "msg.route", from: "writer", path: "agent/*" })).toMatchObject({
      deliveredTo: ["researcher"],
    });
  });

  it("can write to itself", async () => {
    const { caller } = await stageWith("researcher");
    const sent = await caller.ask({ type: "msg.send", from: "researcher", to: "researcher" });
    expect(sent).toMatchObject({ type: "msg.send.ok", message: { from: "researcher" } });
    expect(sent).not.toHaveProperty("unmatched");
    expect((await caller.ask({ type: "msg.receive", ...RESEARCHER })).messages).toHaveLength(1);
  });

  it("who is alone has nobody to hear him: a dead letter", async () => {
    const { caller } = await stageWith("writer");
    expect(await caller.ask({ type: "msg.broadcast", from: "writer" })).toMatchObject({
      type: "msg.broadcast.ok",
      delivered: false,
      unmatched: true,
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
    const sessionId = sessions[0]?.id ?? "";
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
