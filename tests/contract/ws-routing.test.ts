/** What the protocol's document says of paths: wildcards, the steps of a delivery, broadcasts. */
import { describe, expect, it } from "vitest";
import { FROM_SLACK, GENERAL, MONITOR, message, RESEARCHER, SLACK, stageWith, UUID } from "./ws-frames.ts";

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
    // A name is most often misspelt: it is kept, and yet no yes.
    expect(await caller.ask({ type: "msg.send", from: "writer", to: "nobody" })).toEqual({
      type: "msg.send.error",
      code: "recipient.unknown",
      message: expect.stringMatching(
        /^There is no agent "nobody": #[a-z0-9]{6} is kept among the dead letters\.$/,
      ),
      next: expect.any(String),
    });
    const { messages } = await caller.ask({ type: "msg.unmatched" });
    expect(messages).toMatchObject([{ path: "slack/team/#general" }, { path: "agent/nobody" }]);
    await caller.ask({ type: "msg.unmatched.clear" });
    expect((await caller.ask({ type: "msg.unmatched" })).messages).toEqual([]);
  });

  it("a name with a slash is a path: agent/researcher is the agent itself", async () => {
    const { caller } = await stageWith("researcher");
    expect(await caller.ask({ type: "msg.send", from: "writer", to: "agent/researcher" })).toEqual({
      type: "msg.send.ok",
      messageId: UUID,
      message: message({ path: "agent/researcher" }),
    });
    expect(await caller.ask({ type: "msg.send", from: "writer", to: "slack/team/#general" })).toEqual({
      type: "msg.send.ok",
      messageId: UUID,
      message: message({ path: "slack/team/#general", state: undefined }),
      delivered: false,
      unmatched: true,
      reason: "nobody subscribes to this path",
    });
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

  it("who is alone has nobody to hear it: a dead letter", async () => {
    const { caller } = await stageWith("writer");
    expect(await caller.ask({ type: "msg.broadcast", from: "writer" })).toMatchObject({
      type: "msg.broadcast.ok",
      delivered: false,
      unmatched: true,
    });
  });
});
