import { describe, expect, it } from "vitest";
import {
  deliveries,
  deskWith,
  OWNER,
  receive,
  route,
  sessionAddressOf,
  shownAgent,
  subscribe,
  taken,
} from "../../../tests/desk/broker-verbs.ts";
import { oneAgent, openDesk } from "../../../tests/desk/desk.ts";

describe("a session by name", () => {
  it("is made once, and has an id of its own", async () => {
    const desk = await deskWith("a", "b");
    const made = await desk.use.session_add({ agent: "a", name: "monitor" });
    expect(made).toEqual({ agent: "a", sessionId: expect.stringMatching(/^[0-9a-f]{8}$/u), name: "monitor" });
    expect(await desk.use.session_add({ agent: "agent/a", name: "monitor" })).toEqual(made);
    expect((await desk.use.session_add({ agent: "b", name: "monitor" })).sessionId).not.toBe(made.sessionId);
    await expect(desk.use.session_add({ agent: "nobody", name: "x" })).rejects.toMatchObject({
      code: "agent.unknown",
    });
    await expect(desk.use.session_add({ agent: "a", name: "No!" })).rejects.toMatchObject({
      code: "name.invalid",
    });
  });

  it("called main is the agent's first, by whichever way it came", async () => {
    const { desk, coder } = await oneAgent();
    await desk.use.agent_add({ name: "absent" });
    expect((await desk.use.session_add({ agent: "coder", name: "main" })).sessionId).toBe(
      desk.sessionOf(coder),
    );
    const made = await desk.use.session_add({ agent: "absent", name: "main" });
    await subscribe(desk, "absent:main", "x/*");
    await route(desk, "x/1");
    expect(await taken(desk, `absent:${made.sessionId}`)).toEqual(["hello"]);
  });

  it("gets what waited for it typed when a program is started for it", async () => {
    const desk = await deskWith("coder");
    const { sessionId } = await desk.use.session_add({ agent: "coder", name: "monitor" });
    await subscribe(desk, "coder:monitor", "x/*");
    await route(desk, "x/1", { body: "waited" });
    const program = desk.agent("anywhere", { environment: { BELLHOP_SESSION_ID: sessionId } });
    await desk.ready();
    await desk.advance(5_000);
    expect(program.program.submitted).toMatchObject([expect.stringContaining("waited")]);
    expect((await shownAgent(desk, "coder")).sessions).toMatchObject([
      { id: sessionId, name: "monitor", live: true },
      { name: "main", live: false },
    ]);
    expect(await taken(desk, "coder")).toEqual(["waited"]);
  });

  it("that moves to an agent where another has its name goes without it", async () => {
    const desk = await deskWith("old", "new");
    const { sessionId } = await desk.use.session_add({ agent: "old", name: "monitor" });
    const there = await desk.use.session_add({ agent: "new", name: "monitor" });
    desk.agent("anywhere", { environment: { BELLHOP_SESSION_ID: sessionId } });
    await desk.ready();
    await desk.done(desk.use.name({ who: sessionId, name: "new", claims: OWNER }));
    const { sessions } = await shownAgent(desk, "new");
    expect(
      sessions
        .filter(({ isDefault }) => !isDefault)
        .map(({ id, name }) => [id, name])
        .toSorted(),
    ).toEqual([
      [sessionId, undefined],
      [there.sessionId, "monitor"],
    ]);
  });
});

describe("a mailbox stays with its agent", () => {
  it("when the daemon is killed and started again", async () => {
    const desk = await deskWith("a");
    await subscribe(desk, "a:monitor", "x/*");
    const sent = await route(desk, "x/1");
    await desk.open();
    expect(deliveries(desk, sent)).toEqual([
      `${sessionAddressOf(desk, "a:monitor")} queued`,
      "agent/a queued handled",
    ]);
    expect(await receive(desk, "a")).toMatchObject([
      { handled: true, handledBy: [{ agentId: "a", sessionId: "monitor" }] },
    ]);
    expect(await receive(desk, "a:monitor")).toHaveLength(1);
  });

  it("when its program ends and its conversation goes on in another process", async () => {
    const desk = await openDesk();
    const registry = { programSessionId: "conversation" };
    const first = desk.agent("coder", { registry });
    await desk.ready();
    await subscribe(desk, "coder", "x/*");
    desk.ends(first);
    await desk.done(desk.use.ls({}));
    await route(desk, "x/1", { body: "while away" });
    const second = desk.agent("elsewhere", { registry });
    await desk.done(desk.use.ls({}));
    await desk.advance(5_000);
    expect(second.program.submitted).toMatchObject([expect.stringContaining("while away")]);
    expect((await desk.use.agent_list({})).agents.map(({ name }) => name)).toEqual(["coder"]);
  });

  it("when it is renamed, with everything that waits and was handled", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    await subscribe(desk, "coder:monitor", "x/*");
    await route(desk, "x/1", { body: "handled" });
    await route(desk, "agent/coder", { body: "waits" });
    await desk.done(desk.use.name({ who: "coder", name: "builder", claims: OWNER }));
    expect((await receive(desk, "builder", { limit: 1 }))[0]).toMatchObject({
      body: "handled",
      path: "x/1",
      handledBy: [{ agentId: "builder", sessionId: "monitor" }],
    });
    expect(await taken(desk, "builder:monitor")).toEqual(["handled"]);
    coder.program.becomes({ busy: false });
    await desk.advance(60_000);
    expect(coder.program.submitted).toMatchObject([expect.stringContaining("waits")]);
  });

  it("when its program ends: a copy for reading goes on waiting for its reader", async () => {
    const { desk, coder } = await oneAgent();
    await subscribe(desk, "coder:monitor", "x/*");
    await route(desk, "x/1", { body: "handled" });
    const holds = () =>
      desk.store.read
        .deliveries({ mailboxes: ["agent/coder"], states: ["queued"] })
        .map(({ delivery }) => delivery.hold?.release);
    const before = holds();
    expect(before).toEqual([expect.stringContaining("when it is received")]);
    desk.ends(coder);
    await desk.done(desk.use.ls({}));
    expect(holds()).toEqual(before);
  });

  it("when another program takes it over by its name", async () => {
    const desk = await deskWith("reviewer");
    await subscribe(desk, "reviewer", "x/*");
    await subscribe(desk, "reviewer:monitor", "y/*");
    await route(desk, "x/1", { body: "waited" });
    await route(desk, "y/1", { body: "handled" });
    const program = desk.agent("anywhere");
    await desk.ready();
    await subscribe(desk, "anywhere", "z/*");
    await desk.done(desk.use.name({ who: "anywhere", name: "reviewer", claims: OWNER }));
    await desk.advance(5_000);
    expect(program.program.submitted).toMatchObject([expect.stringContaining("waited")]);
    expect(await taken(desk, "reviewer")).toEqual(["handled"]);
    // The agent that had the session before still exists, with its subscriptions.
    expect((await route(desk, "z/1")).deliveredTo).toEqual(["anywhere"]);
  });
});

describe("removing an agent", () => {
  it("cancels what waits for it and its sessions, handled copies too", async () => {
    const desk = await deskWith("a", "b");
    await subscribe(desk, "a:monitor", "x/*");
    await subscribe(desk, "b", "x/*");
    const sent = await route(desk, "x/1");
    await expect(desk.use.agent_remove({ name: "a" })).rejects.toMatchObject({
      code: "agent.busy",
      message: '1 message(s) wait for "a".',
    });
    const session = sessionAddressOf(desk, "a:monitor");
    expect(await desk.use.agent_remove({ name: "a", force: true })).toEqual({
      name: "a",
      cancelled: 1,
      reminders: 0,
    });
    expect(deliveries(desk, sent)).toEqual([
      `${session} cancelled`,
      "agent/a cancelled handled",
      "agent/b queued",
    ]);
    const { messages } = await desk.use.mailbox_history({ agent: "b", claims: OWNER });
    expect(messages).toHaveLength(1);
  });

  it("is not undone by a message that comes in that moment", async () => {
    const desk = await deskWith("a");
    const [, sent] = await desk.done(
      Promise.all([
        desk.use.agent_remove({ name: "a" }),
        desk.use.route({ path: "agent/a", body: "hello", claims: OWNER }),
      ]),
    );
    expect(sent).toMatchObject({ unmatched: true, reason: "nobody has this address" });
  });

  it("leaves a session that it would have made unmade", async () => {
    const desk = await deskWith("a");
    const [, adding] = await desk.done(
      Promise.allSettled([
        desk.use.agent_remove({ name: "a" }),
        desk.use.session_add({ agent: "a", name: "monitor" }),
      ]),
    );
    expect(adding).toMatchObject({ status: "rejected", reason: { code: "agent.unknown" } });
    expect(desk.store.read.sessions({ exitedSince: 0 })).toEqual([]);
  });
});
