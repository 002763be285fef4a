import { describe, expect, it } from "vitest";
import { deskWith, receive, route, subscribe } from "../../../tests/desk/broker-verbs.ts";
import { oneAgent } from "../../../tests/desk/desk.ts";
import { bodyOf } from "./broker-shape.ts";

describe("a message in the broker's protocol", () => {
  it("has every field, and the defaults of those that were not said", async () => {
    const desk = await deskWith("researcher", "writer");
    const sent = await route(desk, "agent/researcher", { from: "writer", payload: {} });
    expect(sent.message).toEqual({
      id: sent.messageId,
      shortId: sent.shortId,
      from: "writer",
      path: "agent/researcher",
      command: "message",
      payload: {},
      body: "message",
      status: "pending",
      state: "queued",
      timestamp: desk.clock.now(),
      source: "internal",
      externalId: null,
    });
    expect(await receive(desk, "researcher")).toEqual([
      { ...sent.message, status: "delivered", state: "delivered", handled: false },
    ]);
  });

  it("without a payload shows its text as one", async () => {
    const desk = await deskWith("researcher");
    const sent = await route(desk, "agent/researcher", { body: "look at this" });
    expect(sent.message).toMatchObject({ command: "message", payload: { text: "look at this" } });
  });

  it("has its text there also where it is a reminder, which says who set it", async () => {
    const desk = await deskWith("researcher");
    await desk.use.remind({ text: "look", afterMs: 60_000, to: "researcher", claims: { user: "dev" } });
    await desk.advance(61_000);
    const [came] = await receive(desk, "researcher");
    expect(came?.payload).toEqual({ text: came?.body, setBy: "person/dev" });
    expect(came?.body).toContain("look");
  });

  it.each([{ payload: null }, { payload: 0 }, { payload: false }, { payload: [] }, { payload: "text" }])(
    "keeps a payload as it was: %j",
    async ({ payload }) => {
      const desk = await deskWith("researcher");
      const sent = await route(desk, "agent/researcher", { payload });
      expect(sent.message.payload).toEqual(payload);
      expect((await receive(desk, "researcher"))[0]?.payload).toEqual(payload);
    },
  );

  it("keeps its text beside its command and payload", async () => {
    const desk = await deskWith("researcher");
    const said = { body: "please", command: "analyze", payload: { topic: "AI safety" } };
    expect((await route(desk, "agent/researcher", said)).message).toMatchObject(said);
  });

  it.each([
    ["queued", "pending"],
    ["delivering", "pending"],
    ["delivered", "delivered"],
    ["read", "delivered"],
    ["replied", "delivered"],
    ["unconfirmed", "delivered"],
    ["expired", "expired"],
    ["cancelled", "cancelled"],
    ["failed", "failed"],
  ] as const)("that is %s has the status %s, and says the state itself", async (state, status) => {
    const desk = await deskWith("researcher");
    const { messageId } = await route(desk, "agent/researcher");
    const way = state === "queued" ? [] : state === "replied" ? (["read", "replied"] as const) : [state];
    await desk.store.write((tx) => {
      for (const { id } of tx.deliveriesOf(messageId))
        for (const next of way) tx.moveDelivery(id, { at: desk.clock.now(), state: next });
    });
    const { messages } = await desk.use.mailbox_history({ agent: "researcher", claims: { user: "dev" } });
    expect(messages).toMatchObject([{ status, state }]);
  });

  it("that ran out of time is not shown as delivered", async () => {
    const desk = await deskWith("researcher");
    await route(desk, "agent/researcher", { timeoutMs: 1_000 });
    await desk.advance(2_000);
    const { messages } = await desk.use.mailbox_history({ agent: "researcher", claims: { user: "dev" } });
    expect(messages).toMatchObject([{ status: "expired", state: "expired" }]);
  });

  it("names an agent bare, and everybody else by their address", async () => {
    const { desk, coder } = await oneAgent();
    await desk.use.agent_add({ name: "researcher" });
    await desk.sendAs(coder, "researcher", "from a terminal");
    await route(desk, "agent/researcher");
    await route(desk, "agent/researcher", { from: "slack-bridge" });
    await route(desk, "agent/researcher", { from: "person/ann" });
    expect((await receive(desk, "researcher")).map(({ from }) => from)).toEqual([
      "coder",
      "person/dev",
      "slack-bridge",
      "person/ann",
    ]);
  });

  it("names the sessions that handled it as they are called now, and leaves out those that are gone", async () => {
    const desk = await deskWith("researcher");
    await subscribe(desk, "researcher:monitor", "x/*");
    const sent = await route(desk, "x/1");
    await desk.use.agent_remove({ name: "researcher", force: true });
    await desk.use.agent_add({ name: "researcher" });
    const { messages } = await desk.use.mailbox_history({ agent: "researcher", claims: { user: "dev" } });
    expect(messages).toMatchObject([{ id: sent.messageId, handled: true, handledBy: [] }]);
  });
});

describe("what an agent reads of a command and a payload", () => {
  it.each([
    [undefined, "analyze", { topic: "AI safety" }, 'analyze {"topic":"AI safety"}'],
    ["", "analyze", {}, "analyze"],
    ["", "analyze", undefined, "analyze"],
    ["", "analyze", null, "analyze"],
    ["", "message", { a: 1 }, '{"a":1}'],
    ["", undefined, { a: [1, "ü"] }, '{"a":[1,"ü"]}'],
    ["", undefined, "just words", "just words"],
    ["", "say", "just words", "say just words"],
    ["", undefined, { text: "just words" }, "just words"],
    ["", "message", { text: "just words" }, "just words"],
    ["", "stop", { text: "the deploy" }, "stop the deploy"],
    ["", "new_message", { text: "hi", user: "U1" }, 'new_message {"text":"hi","user":"U1"}'],
    ["", undefined, { text: "  " }, '{"text":"  "}'],
    ["", undefined, {}, "message"],
    ["", undefined, null, "message"],
    ["", "message", undefined, "message"],
    ["", undefined, 7, "7"],
    ["said", "analyze", { text: "other" }, "said"],
    ["", undefined, undefined, ""],
  ] as const)("%j %j %j is %j", (body, command, payload, text) => {
    expect(bodyOf(body, command, payload)).toBe(text);
  });

  it("is typed into its terminal", async () => {
    const { desk, coder } = await oneAgent();
    const sent = await route(desk, "agent/coder", { command: "analyze", payload: { topic: "AI safety" } });
    await desk.advance(5_000);
    expect(coder.program.submitted).toEqual([
      `[message from: dev #${sent.shortId}] analyze {"topic":"AI safety"}`,
    ]);
  });
});
