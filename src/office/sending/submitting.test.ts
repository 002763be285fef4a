import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deskWith, listen, receive, route, subscribe } from "../../../tests/desk/broker-verbs.ts";
import { openDesk } from "../../../tests/desk/desk.ts";

const FROM_SLACK = { from: "slack-bridge", channel: "slack" } as const;

describe("a message from outside", () => {
  it.each([{ raw: true }, { raw: true, keys: ["Enter"] }, { priority: "interrupt" }, { priority: "urgent" }])(
    "stops no turn and answers no dialog: %j is refused",
    async (more) => {
      const desk = await deskWith("coder");
      for (const from of [FROM_SLACK, { from: "ci", channel: "webhook" }])
        await expect(route(desk, "agent/coder", { ...from, ...more })).rejects.toMatchObject({
          code: "request.forbidden",
        });
      expect(await receive(desk, "coder")).toEqual([]);
    },
  );

  it("may have every other priority", async () => {
    const desk = await deskWith("coder");
    for (const priority of ["normal", "idle", "idle-first"])
      await route(desk, "agent/coder", { ...FROM_SLACK, priority });
    expect(await receive(desk, "coder")).toHaveLength(3);
  });

  it("is no agent's message", async () => {
    const desk = await deskWith("coder", "tester");
    await expect(route(desk, "agent/coder", { from: "tester", channel: "slack" })).rejects.toMatchObject({
      code: "request.forbidden",
    });
  });

  it("is labelled by where it came from, whoever brings it", async () => {
    const desk = await deskWith("coder");
    const sources = [];
    for (const channel of ["slack", "webhook", "email"]) {
      const { messageId } = await route(desk, "agent/coder", { from: "bringer", channel });
      sources.push(desk.store.read.message(messageId)?.source);
    }
    expect(sources).toEqual(["bridge", "webhook", "bridge"]);
  });

  it("goes the same way by send", async () => {
    const desk = await deskWith("coder");
    const sent = await desk.send("coder", "hello", { ...FROM_SLACK, externalId: "ts-1" });
    expect(desk.store.read.message(sent.messageId)).toMatchObject({
      from: "program/slack-bridge",
      source: "bridge",
      channel: "slack",
      externalId: "ts-1",
    });
  });
});

describe("the file of a body", () => {
  it("is written only where a terminal takes it", async () => {
    const desk = await openDesk();
    desk.agent("coder");
    await desk.ready();
    await desk.use.agent_add({ name: "absent" });
    await subscribe(desk, "coder:monitor", "x/*");
    const fileOf = async (path: string) => {
      const { messageId } = await route(desk, path);
      await desk.advance(100);
      const file = desk.store.read.message(messageId)?.file ?? "";
      return existsSync(`${desk.folder}/${file}`);
    };
    expect(await fileOf("agent/coder")).toBe(true);
    expect(await fileOf("agent/absent")).toBe(false);
    expect(await fileOf("person/dev")).toBe(false);
    // The agent's copy is handled, and its session has no program.
    expect(await fileOf("x/1")).toBe(false);
    expect(await fileOf("agent/**")).toBe(true);
  });

  it("is there for whoever asks for the message", async () => {
    const desk = await deskWith("absent");
    const { messageId } = await route(desk, "agent/absent");
    const { message } = await desk.use.show({ id: messageId });
    expect(existsSync(message.file)).toBe(true);
  });
});

describe("a broadcast", () => {
  it("is typed into every terminal, and pushed to every listener", async () => {
    const desk = await openDesk();
    const agents = [desk.agent("coder"), desk.agent("tester")];
    await desk.ready();
    await desk.use.agent_add({ name: "absent" });
    const ear = await listen(desk, "absent");
    await route(desk, "agent/**", { body: "stand-up" });
    await desk.advance(5_000);
    for (const { program } of agents) expect(program.submitted).toHaveLength(1);
    expect(ear.texts()).toEqual(["stand-up"]);
  });

  it("of an agent at a terminal is not typed into its own", async () => {
    const desk = await openDesk();
    const [coder, tester] = [desk.agent("coder"), desk.agent("tester")];
    await desk.ready();
    const { server, pane } = coder.sighting.identity;
    const claims = { user: "dev", tmux: { socket: server, pane } };
    const sent = await route(desk, "agent/**", { claims });
    expect(sent).toMatchObject({ deliveredTo: ["tester"], message: { from: "coder" } });
    await desk.advance(5_000);
    expect([coder.program.submitted.length, tester.program.submitted.length]).toEqual([0, 1]);
  });

  it("to nobody at all is a dead letter", async () => {
    const desk = await deskWith();
    expect(await route(desk, "agent/**")).toMatchObject({
      unmatched: true,
      reason: "nobody subscribes to this path",
    });
  });
});

describe("an agent at its terminal", () => {
  it("does not pass for a script or a bridge under a name that nobody has", async () => {
    const desk = await openDesk();
    const coder = desk.agent("coder");
    desk.agent("tester");
    await desk.ready();
    const { server, pane } = coder.sighting.identity;
    const claims = { user: "dev", tmux: { socket: server, pane } };
    const asked = desk.use.route({ path: "agent/tester", from: "slack-bridge", body: "x", claims });
    await expect(asked).rejects.toMatchObject({ code: "request.forbidden" });
  });
});

describe("waiting for a message that a session handles", () => {
  it("does not wait for the agent's copy, which nobody has to take", async () => {
    const desk = await deskWith("writer");
    await subscribe(desk, "writer:monitor", "slack/**");
    const { messageId } = await route(desk, "slack/team/x", { body: "hi" });
    await receive(desk, "writer:monitor");
    const waited = await desk.done(desk.use.wait({ id: messageId, state: "delivered", timeoutMs: 1_000 }));
    expect(waited).toMatchObject({ reached: true, state: "delivered" });
  });
});

describe("keys for a dialog that its sender names", () => {
  it.each(["Allow reading?", "k7x2q", "thanks", "none"])("%s is no code", async (dialog) => {
    const desk = await deskWith("coder");
    const sent = desk.send("coder", "", { raw: true, keys: ["1"], dialog });
    await expect(sent).rejects.toMatchObject({ code: "usage.invalid" });
  });
});
