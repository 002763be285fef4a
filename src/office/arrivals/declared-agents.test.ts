import { describe, expect, it } from "vitest";
import {
  deliveries,
  deskWith,
  OWNER,
  receive,
  route,
  shownAgent,
  subscribe,
  taken,
  unsubscribe,
} from "../../../tests/desk/broker-verbs.ts";
import { type Desk, oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import { MOST_SUBSCRIPTIONS } from "../broker/subscriptions.ts";
import type { DeclaredAgent } from "./agents.ts";

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

/** Everything the office reports about agents and their subscriptions. */
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
      {
        name: "researcher",
        origin: "declared",
        hears: ["slack/**"],
        sessions: { main: [], monitor: ["email/**"] },
      },
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
      { name: "a", origin: "declared", hears: ["x/2", "x/3"], sessions: { main: [], s: ["y/3"], t: [] } },
      { name: "b", origin: "declared", hears: ["x/1"], sessions: { main: [] } },
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
      { name: "a", origin: "added", hears: ["x/2", "z/1"], sessions: { main: [], s: ["z/2"] } },
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
