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
  unsubscribe,
} from "../../tests/desk/broker-verbs.ts";
import { type Desk, oneAgent, openDesk } from "../../tests/desk/desk.ts";
import type { DeclaredAgent } from "./agents.ts";
import { MOST_SUBSCRIPTIONS } from "./subscriptions.ts";

function declared(
  name: string,
  subscriptions: readonly string[] = [],
  sessions: Readonly<Record<string, readonly string[]>> = {},
): DeclaredAgent {
  return {
    name,
    subscriptions,
    sessions: Object.entries(sessions).map(([session, patterns]) => ({
      name: session,
      subscriptions: patterns,
    })),
  };
}

/** Everything the office says of agents and what they hear. */
async function everything(desk: Desk) {
  const { agents } = await desk.use.agent_list({});
  return agents.map(({ name, origin, subscriptions, sessions }) => ({
    name,
    origin,
    hears: subscriptions.map(({ pattern }) => pattern),
    sessions: Object.fromEntries(
      sessions.map((one) => [one.name ?? one.id, one.subscriptions.map(({ pattern }) => pattern)]),
    ),
  }));
}

describe("declared agents", () => {
  it("are there with what they hear, and so are their sessions", async () => {
    const desk = await deskWith();
    await desk.office.declare([declared("researcher", ["slack/**"], { monitor: ["email/**"] })]);
    expect(await everything(desk)).toEqual([
      { name: "researcher", origin: "declared", hears: ["slack/**"], sessions: { monitor: ["email/**"] } },
    ]);
    expect((await route(desk, "slack/a")).deliveredTo).toEqual(["researcher"]);
    expect((await route(desk, "email/a")).deliveredToSessions).toEqual([
      { agentId: "researcher", sessionId: "monitor" },
    ]);
  });

  it("hear what the file says now, each time it changes", async () => {
    const desk = await deskWith();
    await desk.office.declare([declared("a", ["x/1", "x/2"], { s: ["y/1"], t: ["y/2"] })]);
    await route(desk, "x/1");
    await desk.office.declare([declared("a", ["x/2", "x/3"], { s: ["y/3"] }), declared("b", ["x/1"])]);
    expect(await everything(desk)).toEqual([
      { name: "a", origin: "declared", hears: ["x/2", "x/3"], sessions: { s: ["y/3"], t: [] } },
      { name: "b", origin: "declared", hears: ["x/1"], sessions: {} },
    ]);
    expect((await route(desk, "x/1")).deliveredTo).toEqual(["b"]);
    expect((await route(desk, "y/2")).unmatched).toBe(true);
    expect(await receive(desk, "a")).toHaveLength(1);
  });

  it("said twice are as they were, and their subscriptions as old", async () => {
    const desk = await deskWith();
    const file = [declared("a", ["x/1"], { s: ["y/1"] })];
    await desk.office.declare(file);
    const before = await desk.use.agent_list({});
    await desk.advance(1_000);
    await desk.office.declare(file);
    expect(await desk.use.agent_list({})).toEqual(before);
  });

  it("that leave the file keep their mailbox and what they asked for themselves", async () => {
    const desk = await deskWith();
    await desk.office.declare([declared("a", ["x/1", "x/2"], { s: ["y/1"] })]);
    await subscribe(desk, "a", "z/1");
    await subscribe(desk, "a", "x/2");
    await subscribe(desk, "a:s", "z/2");
    await route(desk, "agent/a", { body: "waits" });
    await desk.office.declare([]);
    expect(await everything(desk)).toEqual([
      { name: "a", origin: "added", hears: ["x/2", "z/1"], sessions: { s: ["z/2"] } },
    ]);
    expect(await taken(desk, "a")).toEqual(["waits"]);
  });

  it("may have been there: one found in a terminal hears what is declared, until it is not any more", async () => {
    const { desk, coder } = await oneAgent();
    await subscribe(desk, "coder", "mine/*");
    await desk.office.declare([declared("coder", ["x/*"], { main: ["y/*"], monitor: ["z/*"] })]);
    const session = desk.sessionOf(coder);
    expect(await everything(desk)).toEqual([
      {
        name: "coder",
        origin: "declared",
        hears: ["mine/*", "x/*"],
        sessions: { [session]: ["y/*"], monitor: ["z/*"] },
      },
    ]);
    await route(desk, "x/1", { body: "to the agent" });
    await route(desk, "y/1", { body: "to its first session" });
    await desk.advance(5_000);
    expect(coder.program.submitted).toMatchObject([
      expect.stringContaining("to the agent"),
      expect.stringContaining("to its first session"),
    ]);
    await desk.office.declare([]);
    expect(await everything(desk)).toEqual([
      { name: "coder", origin: "added", hears: ["mine/*"], sessions: { [session]: [], monitor: [] } },
    ]);
    expect((await route(desk, "x/1")).unmatched).toBe(true);
  });

  it("find their main session where the program runs, not where it ran", async () => {
    const desk = await openDesk();
    const first = desk.agent("coder");
    await desk.ready();
    desk.ends(first);
    await desk.done(desk.use.ls({}));
    const second = desk.agent("elsewhere");
    await desk.done(desk.use.ls({}));
    await desk.done(desk.use.name({ who: "elsewhere", name: "coder", claims: OWNER }));
    await desk.office.declare([declared("coder", [], { main: ["y/*"] })]);
    expect(deliveries(desk, await route(desk, "y/1"))).toContain(`session/${desk.sessionOf(second)} queued`);
  });

  it("need no subscription to their own address", async () => {
    const desk = await deskWith();
    await desk.office.declare([declared("a", ["agent/a", "x/1"])]);
    expect((await shownAgent(desk, "a")).subscriptions.map(({ pattern }) => pattern)).toEqual(["x/1"]);
  });

  it.each([
    ["a pattern that cannot be", [declared("b", ["x//y"])]],
    ["a pattern that explodes", [declared("b"), declared("c", [], { s: ["**/a/**/b/**"] })]],
    ["a name that cannot be", [declared("b", ["x/9"]), declared("Not A Name")]],
    ["a session's name that cannot be", [declared("b", ["x/9"], { "Not A Name": [] })]],
    [
      "more subscriptions than one may have",
      [
        declared("b", ["x/9"]),
        declared("c", ["x/1"], { s: Array.from({ length: MOST_SUBSCRIPTIONS }, (_, at) => `x/${at}`) }),
      ],
    ],
  ])("with %s change nothing", async (_, file) => {
    const desk = await deskWith();
    await desk.office.declare([declared("a", ["x/*"])]);
    const before = await everything(desk);
    await expect(desk.office.declare(file)).rejects.toMatchObject({
      code: expect.stringMatching(/^(name\.invalid|pattern\.invalid|pattern\.too_many)$/u),
    });
    expect(await everything(desk)).toEqual(before);
    expect((await route(desk, "x/9")).deliveredTo).toEqual(["a"]);
  });

  it("may hear as much as anybody, and no more", async () => {
    const desk = await deskWith();
    const most = Array.from({ length: MOST_SUBSCRIPTIONS }, (_, at) => `x/${at}`);
    await desk.office.declare([declared("a", most)]);
    await expect(subscribe(desk, "a", "y/1")).rejects.toMatchObject({ code: "pattern.too_many" });
    await desk.office.declare([declared("a", most.slice(1))]);
    await subscribe(desk, "a", "y/1");
  });

  it("that a person unsubscribed hear it again when the file is read again", async () => {
    const desk = await deskWith();
    await desk.office.declare([declared("a", ["x/1"])]);
    await unsubscribe(desk, "a", "x/1");
    expect((await route(desk, "x/1")).unmatched).toBe(true);
    await desk.office.declare([declared("a", ["x/1"])]);
    expect((await route(desk, "x/1")).deliveredTo).toEqual(["a"]);
  });

  it("are heard in the moment in which they are declared", async () => {
    const desk = await deskWith("a");
    await route(desk, "x/1");
    const [, sent] = await desk.done(
      Promise.all([
        desk.office.declare([declared("a", ["x/*"])]),
        desk.use.route({ path: "x/1", body: "hello", claims: OWNER }),
      ]),
    );
    expect(sent.deliveredTo).toEqual(["a"]);
  });
});

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
    expect(sessions.map(({ id, name }) => [id, name]).toSorted()).toEqual([
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
    // Who was called so before is still there, with what it heard.
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
