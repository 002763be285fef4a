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
  tokenOf,
} from "../../tests/desk/broker-verbs.ts";
import { oneAgent } from "../../tests/desk/desk.ts";

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

describe("an agent's token", () => {
  it("sends as that agent, and as nobody else", async () => {
    const desk = await deskWith("coder", "tester");
    const sent = await route(desk, "agent/tester", { claims: tokenOf("coder") });
    expect(sent.message.from).toBe("coder");
    for (const from of ["tester", "agent/tester", "slack-bridge", "person/dev", "program/coder"]) {
      await expect(route(desk, "agent/tester", { claims: tokenOf("coder"), from })).rejects.toMatchObject({
        code: "request.forbidden",
      });
    }
    await route(desk, "agent/tester", { claims: tokenOf("coder"), from: "coder" });
    await route(desk, "agent/tester", { claims: tokenOf("coder"), from: "agent/coder" });
  });

  it("brings nothing from outside", async () => {
    const desk = await deskWith("coder", "tester");
    await expect(
      route(desk, "agent/tester", { claims: tokenOf("coder"), channel: "slack" }),
    ).rejects.toMatchObject({ code: "request.forbidden" });
  });

  it("opens its own mailboxes, and no other", async () => {
    const desk = await deskWith("coder", "tester");
    await subscribe(desk, "tester:monitor", "x/**");
    await subscribe(desk, "coder:monitor", "x/**");
    const claims = tokenOf("coder");
    const sent = await route(desk, "x/y");
    const refused = [
      () => desk.use.receive({ agent: "tester", claims }),
      () => desk.use.receive({ agent: "tester", session: "monitor", claims }),
      () => desk.use.mailbox_history({ agent: "tester", claims }),
      () => desk.use.sub_add({ agent: "tester", pattern: "a/b", claims }),
      () => desk.use.sub_add({ agent: "tester", session: "new", pattern: "a/b", claims }),
      () => desk.use.sub_remove({ agent: "tester", pattern: "a/b", claims }),
      () => desk.use.sub_list({ agent: "tester", claims }),
      () => desk.use.inbox({ who: "tester", claims }),
      () => desk.use.inbox({ who: "tester", take: true, claims }),
      () => desk.use.inbox({ who: "person/dev", take: true, claims }),
      () => desk.use.ack({ id: sent.messageId, agent: "tester", claims }),
      () => desk.office.streams.listen({ agent: "tester", claims }, () => "gone"),
    ];
    for (const ask of refused) await expect(ask()).rejects.toMatchObject({ code: "request.forbidden" });
    await desk.use.ack({ id: sent.messageId, claims });
    expect(deliveries(desk, sent)).toEqual([
      `${sessionAddressOf(desk, "coder:monitor")} read`,
      `${sessionAddressOf(desk, "tester:monitor")} queued`,
      "agent/coder read handled",
      "agent/tester queued handled",
    ]);
    expect((await desk.use.sub_list({ agent: "coder", session: "monitor", claims })).subscriptions).toEqual([
      { pattern: "x/**", addedAt: expect.any(Number) },
    ]);
  });
});

describe("inbox", () => {
  it("only looks", async () => {
    const desk = await deskWith("coder");
    const sent = await route(desk, "agent/coder");
    for (let look = 0; look < 2; look += 1) {
      const { who, entries } = await desk.use.inbox({ who: "coder", claims: OWNER });
      expect(who).toBe("agent/coder");
      expect(entries).toMatchObject([{ message: { id: sent.messageId }, delivery: { state: "queued" } }]);
    }
    expect(desk.store.read.receiptsOf(`${sent.messageId}.1`)).toHaveLength(1);
  });

  it("takes when told to, once", async () => {
    const desk = await deskWith("coder");
    const sent = await route(desk, "agent/coder");
    const first = await desk.use.inbox({ who: "coder", take: true, claims: OWNER });
    expect(first.entries).toMatchObject([{ delivery: { state: "delivered", transport: "receive" } }]);
    expect((await desk.use.inbox({ who: "coder", take: true, claims: OWNER })).entries).toEqual([]);
    expect(deliveries(desk, sent)).toEqual(["agent/coder delivered"]);
  });

  it("is the person's own when a person asks", async () => {
    const desk = await deskWith("coder");
    await route(desk, "agent/coder");
    await route(desk, "person/dev", { from: "ci", body: "for you" });
    const { who, entries } = await desk.use.inbox({ claims: OWNER });
    expect(who).toBe("person/dev");
    expect(entries.map(({ message }) => message.body)).toEqual(["for you"]);
  });

  it("is the session's and its agent's when an agent asks, and not that of its other sessions", async () => {
    const { desk, coder, session } = await oneAgent();
    coder.program.becomes({ busy: true });
    await subscribe(desk, "coder:slack-monitor", "slack/**");
    await desk.send(`session/${session}`, "to this one");
    await desk.send("coder", "to the agent");
    await route(desk, "slack/team/#general", { body: "to the monitor" });
    const { server, pane } = coder.sighting.identity;
    const claims = { user: "dev", tmux: { socket: server, pane } };
    const { who, entries } = await desk.done(desk.use.inbox({ take: true, claims }));
    expect(who).toBe(`session/${session}`);
    expect(entries.map(({ delivery, message }) => `${delivery.to} ${message.body}`)).toEqual([
      `session/${session} to this one`,
      "agent/coder to the agent",
      "agent/coder to the monitor",
    ]);
    expect(await taken(desk, "coder:slack-monitor")).toEqual(["to the monitor"]);
    coder.program.becomes({ busy: false });
    await desk.advance(60_000);
    expect(coder.program.submitted).toEqual([]);
  });

  it("of a session is that session's alone, and of an agent that of its sessions too", async () => {
    const desk = await deskWith("coder");
    await subscribe(desk, "coder:a", "x/a");
    await subscribe(desk, "coder:b", "x/b");
    await route(desk, "x/a", { body: "a" });
    await route(desk, "x/b", { body: "b" });
    const who = sessionAddressOf(desk, "coder:a");
    const ofSession = await desk.use.inbox({ who, claims: OWNER });
    expect(ofSession.entries.map(({ delivery }) => delivery.to)).toEqual([who]);
    expect((await desk.use.inbox({ who: "coder", claims: OWNER })).entries).toHaveLength(4);
  });

  it("of nobody is an error, not an empty one", async () => {
    const desk = await deskWith();
    for (const who of ["nobody", "agent/nobody", "session/00000000", "slack/team/#general"])
      await expect(desk.use.inbox({ who, claims: OWNER }), who).rejects.toMatchObject({
        code: "recipient.unknown",
      });
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

describe("an agent's token", () => {
  it.each(["agent/writer", "agent/*", "**", "*/x", "person/dev", "session/**"])(
    "does not subscribe to what is addressed to others: %s",
    async (pattern) => {
      const desk = await deskWith("researcher", "writer");
      const asked = desk.use.sub_add({ agent: "researcher", pattern, claims: tokenOf("researcher") });
      await expect(asked).rejects.toMatchObject({ code: "request.forbidden" });
    },
  );

  it("does not answer what was neither from it nor to it", async () => {
    const desk = await deskWith("researcher", "writer", "reader");
    const { shortId } = await route(desk, "agent/writer", { body: "for writer" });
    const asked = desk.use.send({ to: "reader", body: "x", re: shortId, claims: tokenOf("researcher") });
    await expect(asked).rejects.toMatchObject({ code: "message.unknown" });
  });
});
