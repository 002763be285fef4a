import { describe, expect, it } from "vitest";
import {
  deliveries,
  deskWith,
  OWNER,
  receive,
  route,
  sessionAddressOf,
  subscribe,
  taken,
} from "../../../tests/desk/broker-verbs.ts";
import { oneAgent } from "../../../tests/desk/desk.ts";

describe("route: who gets it", () => {
  it("goes to an agent by its address, without a subscription", async () => {
    const desk = await deskWith("researcher", "writer");
    const sent = await route(desk, "agent/researcher");
    expect(sent).toMatchObject({
      delivered: true,
      unmatched: false,
      deliveredTo: ["researcher"],
      deliveredToSessions: [],
    });
    expect(deliveries(desk, sent)).toEqual(["agent/researcher queued"]);
  });

  it("takes slashes at the ends of a path for nothing", async () => {
    const desk = await deskWith("researcher");
    const sent = await route(desk, "//agent/researcher/");
    expect(sent).toMatchObject({ deliveredTo: ["researcher"], message: { path: "agent/researcher" } });
  });

  it("goes to a session by its address, and not to its agent", async () => {
    const desk = await deskWith("researcher");
    await desk.use.session_add({ agent: "researcher", name: "slack-monitor" });
    const sent = await route(desk, sessionAddressOf(desk, "researcher:slack-monitor"));
    expect(sent).toMatchObject({
      deliveredTo: [],
      deliveredToSessions: [{ agentId: "researcher", sessionId: "slack-monitor" }],
    });
  });

  it("goes to a person's mailbox", async () => {
    const desk = await deskWith();
    const sent = await route(desk, "person/dev", { from: "ci" });
    expect(sent).toMatchObject({ delivered: true, deliveredTo: [], deliveredToSessions: [] });
    expect(deliveries(desk, sent)).toEqual(["person/dev queued"]);
  });

  it("goes to whoever subscribes to a path, whatever its root", async () => {
    const desk = await deskWith("researcher", "writer", "other");
    await subscribe(desk, "researcher", "slack/**");
    await subscribe(desk, "writer", "slack/*/#general");
    await subscribe(desk, "other", "slack/*/#*");
    const sent = await route(desk, "slack/team/#general", { from: "slack-bridge", channel: "slack" });
    expect(sent.deliveredTo).toEqual(["researcher", "writer"]);
  });

  it("goes the other way round too: a path with wildcards reaches those whose subscriptions it covers", async () => {
    const desk = await deskWith("researcher", "writer", "other");
    await subscribe(desk, "researcher", "slack/team/#general");
    await subscribe(desk, "writer:monitor", "slack/team/#random");
    const sent = await route(desk, "slack/team/*");
    expect(sent.deliveredTo).toEqual(["researcher", "writer"]);
    expect(sent.deliveredToSessions).toEqual([{ agentId: "writer", sessionId: "monitor" }]);
  });

  it("gives each subscriber one copy, however many of its patterns fit", async () => {
    const desk = await deskWith("researcher");
    for (const pattern of ["slack/**", "slack/*/*", "slack/team/#general"])
      await subscribe(desk, "researcher", pattern);
    expect(deliveries(desk, await route(desk, "slack/team/#general"))).toEqual(["agent/researcher queued"]);
  });

  it("reaches every agent by a broadcast, also one that came a moment ago", async () => {
    const desk = await deskWith("a", "b");
    await route(desk, "agent/**");
    await desk.use.agent_add({ name: "c" });
    expect((await route(desk, "agent/**")).deliveredTo).toEqual(["a", "b", "c"]);
    expect((await route(desk, "agent/*")).deliveredTo).toEqual(["a", "b", "c"]);
    expect((await route(desk, "agent/*/x")).unmatched).toBe(true);
  });

  it("keeps what nobody hears as a dead letter, and says why", async () => {
    const desk = await deskWith("a");
    const sent = await route(desk, "slack/team/#general");
    expect(sent).toMatchObject({
      delivered: false,
      unmatched: true,
      deliveredTo: [],
      reason: "nobody subscribes to this path",
      message: { status: "pending" },
    });
    expect(desk.store.read.isUnmatched(sent.messageId)).toBe(true);
    expect(await route(desk, "agent/nobody")).toMatchObject({ reason: "nobody has this address" });
  });

  it("refuses what is no path, and stores nothing", async () => {
    const desk = await deskWith("a");
    for (const path of ["", "/", "a//b", "a/../b", "a/\u0007", `${"a/".repeat(16)}a`])
      await expect(route(desk, path), path).rejects.toMatchObject({ code: "name.invalid" });
    await expect(route(desk, "**/a/**/b/**")).rejects.toMatchObject({ code: "pattern.invalid" });
    expect((await desk.use.unmatched({})).messages).toEqual([]);
  });
});

describe("route: the cascade", () => {
  it("marks an agent's copy as handled by the sessions that have it, and only that agent's", async () => {
    const desk = await deskWith("researcher", "writer");
    await subscribe(desk, "researcher:slack-monitor", "slack/team/#general");
    await subscribe(desk, "researcher:archive", "slack/**");
    await subscribe(desk, "writer", "slack/**");
    const sent = await route(desk, "slack/team/#general");
    expect(sent.deliveredTo).toEqual(["researcher", "writer"]);
    expect(sent.deliveredToSessions).toHaveLength(2);
    const [copy] = await receive(desk, "researcher");
    expect(copy).toMatchObject({ handled: true });
    expect(new Set(copy?.handledBy?.map(({ agentId, sessionId }) => `${agentId}:${sessionId}`))).toEqual(
      new Set(["researcher:slack-monitor", "researcher:archive"]),
    );
    const [other] = await receive(desk, "writer");
    expect(other).toMatchObject({ handled: false });
    expect(other).not.toHaveProperty("handledBy");
    const [own] = await receive(desk, "researcher:archive");
    expect(own).not.toHaveProperty("handled");
    expect(own).not.toHaveProperty("handledBy");
  });

  it("never types a handled copy, and lets it be received", async () => {
    const { desk, coder } = await oneAgent();
    await subscribe(desk, "coder:slack-monitor", "slack/**");
    const sent = await route(desk, "slack/team/#general", { body: "handled elsewhere" });
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
    expect(await taken(desk, "coder")).toEqual(["handled elsewhere"]);
    expect(deliveries(desk, sent)).toEqual([
      `${sessionAddressOf(desk, "coder:slack-monitor")} queued`,
      "agent/coder delivered handled",
    ]);
  });

  it("types the copy of the session that runs there, and never the agent's", async () => {
    const { desk, coder, session } = await oneAgent();
    await subscribe(desk, "coder:main", "slack/**");
    await subscribe(desk, "coder", "slack/**");
    const sent = await route(desk, "slack/team/#general");
    await desk.advance(60_000);
    expect(coder.program.submitted).toHaveLength(1);
    expect(deliveries(desk, sent)).toEqual([`session/${session} delivered`, "agent/coder queued handled"]);
  });

  it("never types a handled copy after a restart, a pause or a person's word", async () => {
    const { desk, coder } = await oneAgent();
    await subscribe(desk, "coder:slack-monitor", "slack/**");
    const sent = await route(desk, "slack/team/#general", { priority: "interrupt" });
    const copy = desk.store.read.deliveriesOf(sent.messageId).find(({ to }) => to === "agent/coder");
    await desk.use.pause({ who: "coder", paused: true });
    await desk.use.pause({ who: "coder", paused: false });
    await desk.use.queue_change({ id: copy?.id ?? "", change: "now" });
    await desk.ready();
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
    expect(await taken(desk, "coder")).toEqual(["hello"]);
  });

  it("says of a handled copy what it waits for, and does not show it before what goes out", async () => {
    const { desk, coder, session } = await oneAgent();
    await subscribe(desk, "coder:slack-monitor", "slack/**");
    const sent = await route(desk, "slack/team/#general");
    const { deliveries: explained } = await desk.use.explain({ id: sent.messageId });
    expect(explained.find(({ to }) => to === "agent/coder")?.because[0]).toMatch(
      /goes out when it is received \(bellhop inbox coder --take\)/u,
    );
    coder.program.becomes({ busy: true });
    await desk.send("coder", "waits");
    await desk.advance(3_000);
    expect((await desk.done(desk.use.ls({}))).sessions).toMatchObject([
      { id: session, hold: { reason: "busy" } },
    ]);
    expect((await desk.done(desk.use.session({ who: "coder" }))).deliveries).toMatchObject([
      { preview: "waits" },
    ]);
  });
});

describe("route: its sender", () => {
  it("is not in its own broadcast, nor are its sessions", async () => {
    const desk = await deskWith("writer", "reader");
    await subscribe(desk, "writer:monitor", "agent/**");
    const sent = await route(desk, "agent/**", { from: "writer" });
    expect(sent).toMatchObject({ deliveredTo: ["reader"], deliveredToSessions: [] });
  });

  it("alone subscribes: it is a dead letter that says so", async () => {
    const desk = await deskWith("writer");
    expect(await route(desk, "agent/**", { from: "writer" })).toMatchObject({
      unmatched: true,
      reason: "only its own sender subscribes to this path",
    });
  });

  it("may write to itself", async () => {
    const desk = await deskWith("writer");
    await route(desk, "agent/writer", { from: "writer", body: "note to self" });
    expect(await receive(desk, "writer")).toMatchObject([{ from: "writer", body: "note to self" }]);
  });

  it("hears what it says on a path of its own making, and not what it says to a channel outside", async () => {
    const desk = await deskWith("writer");
    await subscribe(desk, "writer", "notes/**");
    await subscribe(desk, "writer", "slack/**");
    expect((await route(desk, "notes/today", { from: "writer" })).deliveredTo).toEqual(["writer"]);
    expect((await route(desk, "slack/team/#general", { from: "writer" })).unmatched).toBe(true);
  });

  it("is a program by the name that it gives, when nobody is called so", async () => {
    const desk = await deskWith("reader");
    const sent = await route(desk, "agent/reader", { from: "slack-bridge", channel: "slack" });
    expect(sent.message.from).toBe("slack-bridge");
    expect(desk.store.read.message(sent.messageId)).toMatchObject({
      from: "program/slack-bridge",
      source: "bridge",
      channel: "slack",
    });
  });

  it("is shown to the reader with where it came from", async () => {
    const desk = await deskWith("reader");
    await subscribe(desk, "reader", "slack/**");
    const sent = await route(desk, "slack/team/#general", {
      from: "slack-bridge",
      channel: "slack",
      externalId: "ts-1234",
      command: "new_message",
      payload: { user: "U1" },
    });
    const shown = { from: "slack-bridge", source: "slack", externalId: "ts-1234", command: "new_message" };
    expect(sent.message).toMatchObject({ ...shown, path: "slack/team/#general", payload: { user: "U1" } });
    expect(await receive(desk, "reader")).toMatchObject([{ ...shown, status: "delivered" }]);
    expect((await desk.use.show({ id: sent.messageId })).message).toMatchObject({
      source: "bridge",
      channel: "slack",
      externalId: "ts-1234",
    });
  });

  it("from inside has no channel, also when it says so", async () => {
    const desk = await deskWith("reader");
    const sent = await route(desk, "agent/reader", { channel: "internal" });
    expect(sent.message).toMatchObject({ source: "internal", externalId: null });
    expect((await desk.use.show({ id: sent.messageId })).message).not.toHaveProperty("channel");
  });
});

describe("an agent's copy of what one of its sessions has", () => {
  it("is there to be received, and waits for nobody: it counts nowhere, and keeps no agent", async () => {
    const desk = await deskWith("reader");
    await subscribe(desk, "reader:monitor", "slack/**");
    const sent = await route(desk, "slack/team/#general");
    const counts = async () => ({
      status: (await desk.use.status({})).queued,
      agent: (await desk.use.agent_show({ name: "reader" })).queued,
      listed: (await desk.use.queue({ who: "reader" })).deliveries.map(({ to }) => to),
    });
    const monitor = sessionAddressOf(desk, "reader:monitor");
    expect(await counts()).toEqual({ status: 1, agent: 1, listed: [monitor] });
    await taken(desk, "reader:monitor");
    expect(await counts()).toEqual({ status: 0, agent: 0, listed: [] });
    expect((await desk.use.inbox({ who: "reader", claims: OWNER })).entries).toHaveLength(1);
    expect(await desk.done(desk.use.agent_remove({ name: "reader" }))).toMatchObject({ cancelled: 0 });
    expect(deliveries(desk, sent)).toEqual([`${monitor} delivered`, "agent/reader cancelled handled"]);
  });
});

describe("a broadcast that is to be told about", () => {
  it("tells of each delivery by itself, expires each by itself, and owes nothing for a handled copy", async () => {
    const { desk, coder } = await oneAgent();
    await desk.use.agent_add({ name: "absent" });
    await desk.use.agent_add({ name: "listening" });
    await subscribe(desk, "listening:monitor", "agent/**");
    const sent = await route(desk, "agent/**", { notifyOnDelivery: true, timeoutMs: 600_000 });
    await desk.advance(5_000);
    expect(coder.program.submitted).toHaveLength(1);
    await taken(desk, "listening:monitor");
    await taken(desk, "listening");
    await desk.advance(600_000);
    expect(deliveries(desk, sent)).toEqual([
      `${sessionAddressOf(desk, "listening:monitor")} delivered`,
      "agent/absent expired",
      "agent/coder delivered",
      "agent/listening delivered handled",
    ]);
    const told = desk.store.read.deliveries({ mailboxes: ["person/dev"] }).map(({ message }) => message.body);
    expect(told.map((body) => body.split("\n")[0])).toEqual([
      `[bellhop] Message delivered to coder (${desk.sessionOf(coder)})`,
      expect.stringMatching(/^\[bellhop\] Message delivered to /u),
      "[bellhop] Message to absent expired: nobody took it within 10m",
    ]);
  });
});
