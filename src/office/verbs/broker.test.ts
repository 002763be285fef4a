import { describe, expect, it } from "vitest";
import {
  deliveries,
  deskWith,
  OWNER,
  route,
  sessionAddressOf,
  subscribe,
  taken,
  tokenOf,
} from "../../../tests/desk/broker-verbs.ts";
import { oneAgent } from "../../../tests/desk/desk.ts";

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
    for (const ask of refused) await expect(ask()).rejects.toMatchObject({ code: "rights.missing" });
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

  it.each(["agent/writer", "agent/*", "**", "*/x", "person/dev", "session/**"])(
    "does not subscribe to what is addressed to others: %s",
    async (pattern) => {
      const desk = await deskWith("researcher", "writer");
      const asked = desk.use.sub_add({ agent: "researcher", pattern, claims: tokenOf("researcher") });
      await expect(asked).rejects.toMatchObject({ code: "rights.missing" });
    },
  );

  it("does not answer what was neither from it nor to it", async () => {
    const desk = await deskWith("researcher", "writer", "reader");
    const { shortId } = await route(desk, "agent/writer", { body: "for writer" });
    const asked = desk.use.send({ to: "reader", body: "x", re: shortId, claims: tokenOf("researcher") });
    await expect(asked).rejects.toMatchObject({ code: "rights.missing" });
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
