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
  tokenOf,
  unsubscribe,
} from "../../../tests/desk/broker-verbs.ts";
import type { Desk } from "../../../tests/desk/desk.ts";
import { MOST_NAMED_SESSIONS } from "../arrivals/agents.ts";
import { MOST_SUBSCRIPTIONS } from "./subscriptions.ts";

async function patternsOf(desk: Desk, agent: string): Promise<readonly string[]> {
  const { subscriptions } = await desk.use.sub_list({ agent, claims: OWNER });
  return subscriptions.map(({ pattern }) => pattern);
}

describe("subscribing", () => {
  it("answers with all subscriptions of that owner, oldest first, without the one it was born with", async () => {
    const desk = await deskWith("researcher");
    await subscribe(desk, "researcher", "slack/team/#general");
    await desk.advance(10);
    const answer = await subscribe(desk, "researcher", "/email/**/");
    expect(answer).toMatchObject({
      agent: "researcher",
      subscriptions: [{ pattern: "slack/team/#general" }, { pattern: "email/**" }],
    });
    expect(answer).not.toHaveProperty("session");
    expect(await patternsOf(desk, "researcher")).toEqual(["slack/team/#general", "email/**"]);
  });

  it("twice is once", async () => {
    const desk = await deskWith("researcher");
    const first = await subscribe(desk, "researcher", "slack/**");
    await desk.advance(1_000);
    expect(await subscribe(desk, "researcher", "slack/**")).toEqual(first);
    await unsubscribe(desk, "researcher", "slack/**");
    expect((await route(desk, "slack/a")).unmatched).toBe(true);
  });

  it("to one's own address changes nothing, and cannot be undone", async () => {
    const desk = await deskWith("researcher");
    expect((await subscribe(desk, "researcher", "agent/researcher")).subscriptions).toEqual([]);
    await expect(unsubscribe(desk, "researcher", "agent/researcher")).rejects.toMatchObject({
      code: "pattern.own",
    });
    expect((await route(desk, "agent/researcher")).deliveredTo).toEqual(["researcher"]);
  });

  it("to the address of its own agent is a session's right: it gets a copy, and the agent's is handled", async () => {
    const desk = await deskWith("researcher");
    await subscribe(desk, "researcher:shadow", "agent/researcher");
    expect(deliveries(desk, await route(desk, "agent/researcher"))).toEqual([
      `${sessionAddressOf(desk, "researcher:shadow")} queued`,
      "agent/researcher queued handled",
    ]);
    await unsubscribe(desk, "researcher:shadow", "agent/researcher");
    expect(deliveries(desk, await route(desk, "agent/researcher"))).toEqual(["agent/researcher queued"]);
  });

  it("makes the session that it names, once, and says its name", async () => {
    const desk = await deskWith("researcher");
    const first = await subscribe(desk, "researcher:slack-monitor", "slack/team/#general");
    expect(first).toMatchObject({ agent: "researcher", session: "slack-monitor" });
    await subscribe(desk, "researcher:slack-monitor", "slack/team/#random");
    const { sessions, subscriptions } = await shownAgent(desk, "researcher");
    expect(subscriptions).toEqual([]);
    expect(sessions).toMatchObject([
      { name: "main", subscriptions: [] },
      {
        id: expect.stringMatching(/^[0-9a-f]{8}$/u),
        name: "slack-monitor",
        live: false,
        subscriptions: [{ pattern: "slack/team/#general" }, { pattern: "slack/team/#random" }],
      },
    ]);
  });

  it("makes nothing for a pattern or a name that cannot be", async () => {
    const desk = await deskWith("researcher");
    for (const pattern of ["a//b", "**/a/**/b/**", ""])
      await expect(subscribe(desk, "researcher:monitor", pattern)).rejects.toMatchObject({
        code: expect.stringMatching(/^(name|pattern)\.invalid$/u),
      });
    await expect(subscribe(desk, "researcher:Slack Monitor", "a/b")).rejects.toMatchObject({
      code: "name.invalid",
    });
    expect((await shownAgent(desk, "researcher")).sessions.map(({ name }) => name)).toEqual(["main"]);
  });

  it("says that there is no such agent, session or subscription", async () => {
    const desk = await deskWith("researcher");
    await expect(subscribe(desk, "nobody", "a/b")).rejects.toMatchObject({ code: "agent.unknown" });
    await expect(unsubscribe(desk, "researcher", "a/b")).rejects.toMatchObject({ code: "pattern.unknown" });
    await expect(unsubscribe(desk, "researcher:none", "a/b")).rejects.toMatchObject({
      code: "session.unknown",
    });
    await expect(
      desk.use.sub_list({ agent: "researcher", session: "none", claims: OWNER }),
    ).rejects.toMatchObject({ code: "session.unknown" });
  });

  it("takes an agent's path for its name", async () => {
    const desk = await deskWith("researcher");
    await desk.use.sub_add({ agent: "agent/researcher", pattern: "a/b", claims: OWNER });
    expect(await patternsOf(desk, "researcher")).toEqual(["a/b"]);
  });

  it("is remembered over a restart", async () => {
    const desk = await deskWith("researcher");
    await subscribe(desk, "researcher", "slack/**");
    await subscribe(desk, "researcher:monitor", "email/**");
    await desk.open();
    expect((await route(desk, "slack/a")).deliveredTo).toEqual(["researcher"]);
    expect((await route(desk, "email/a")).deliveredToSessions).toEqual([
      { agentId: "researcher", sessionId: "monitor" },
    ]);
  });
});

describe("the limits of subscribing", () => {
  it("are a thousand for an agent and all its sessions together", async () => {
    const desk = await deskWith("researcher", "other");
    await desk.store.write((tx) => {
      for (let count = 0; count < MOST_SUBSCRIPTIONS - 2; count += 1)
        tx.putSubscription({
          owner: { kind: "agent", agent: "researcher" },
          pattern: `a/${count}`,
          addedAt: 1,
          origin: "asked",
        });
    });
    await subscribe(desk, "researcher:monitor", "b/1");
    await subscribe(desk, "researcher", "b/1");
    for (const who of ["researcher", "researcher:monitor", "researcher:new"])
      await expect(subscribe(desk, who, "b/2")).rejects.toMatchObject({ code: "pattern.too_many" });
    expect((await route(desk, "b/2")).unmatched).toBe(true);
    // It may repeat a subscription it has, and other agents are not limited.
    await subscribe(desk, "researcher", "b/1");
    await subscribe(desk, "other", "b/2");
    await unsubscribe(desk, "researcher", "a/0");
    await subscribe(desk, "researcher", "b/2");
    expect((await route(desk, "b/2")).deliveredTo).toEqual(["other", "researcher"]);
  });

  it("are a thousand sessions by name", async () => {
    const desk = await deskWith("researcher", "other");
    const session = { agent: "researcher", main: false, program: "", label: "", title: "", hooked: false };
    await desk.store.write((tx) => {
      for (let count = 1; count < MOST_NAMED_SESSIONS; count += 1)
        tx.putSession({
          ...session,
          id: `f${count.toString(16).padStart(7, "0")}`,
          name: `s${count}`,
          startedAt: 1,
          lastActiveAt: 1,
          exitedAt: 1,
        });
    });
    const claims = tokenOf("researcher");
    await desk.use.sub_add({ agent: "researcher", session: "last", pattern: "a/b", claims });
    await expect(
      desk.use.sub_add({ agent: "researcher", session: "one-more", pattern: "a/b", claims }),
    ).rejects.toMatchObject({ code: "session.too_many" });
    await desk.use.sub_add({ agent: "researcher", session: "s7", pattern: "a/b", claims });
    await subscribe(desk, "other:one-more", "a/b");
  });

  it("are the length of a pattern", async () => {
    const desk = await deskWith("researcher");
    await subscribe(desk, "researcher", Array(16).fill("a").join("/"));
    await subscribe(desk, "researcher", "**/a/**");
    await expect(subscribe(desk, "researcher", Array(17).fill("a").join("/"))).rejects.toMatchObject({
      code: "name.invalid",
    });
    await expect(subscribe(desk, "researcher", "**/**/**")).rejects.toMatchObject({
      code: "pattern.invalid",
    });
  });
});

describe("what an agent hears", () => {
  it("follows it into a new name, with its sessions", async () => {
    const desk = await deskWith();
    const coder = desk.agent("coder");
    await desk.ready();
    await subscribe(desk, "coder", "slack/**");
    await subscribe(desk, "coder:monitor", "email/**");
    await desk.done(desk.use.name({ who: "coder", name: "builder", claims: OWNER }));
    const sent = await route(desk, "slack/a");
    expect(sent.deliveredTo).toEqual(["builder"]);
    expect((await route(desk, "email/a")).deliveredToSessions).toEqual([
      { agentId: "builder", sessionId: "monitor" },
    ]);
    expect((await route(desk, "agent/coder")).unmatched).toBe(true);
    await desk.advance(5_000);
    expect(coder.program.submitted).toHaveLength(1);
    expect(await patternsOf(desk, "builder")).toEqual(["slack/**"]);
    await expect(desk.use.sub_list({ agent: "coder", claims: OWNER })).rejects.toMatchObject({
      code: "agent.unknown",
    });
  });

  it("goes with it", async () => {
    const desk = await deskWith("a", "b");
    await subscribe(desk, "a", "x/*");
    await subscribe(desk, "a:monitor", "x/*");
    await subscribe(desk, "b", "x/*");
    await desk.use.agent_remove({ name: "a" });
    expect(await route(desk, "x/1")).toMatchObject({ deliveredTo: ["b"], deliveredToSessions: [] });
    expect(desk.store.read.subscriptions()).toHaveLength(1);
    await desk.use.agent_add({ name: "a" });
    expect((await route(desk, "x/1")).deliveredTo).toEqual(["b"]);
    expect(await receive(desk, "a")).toEqual([]);
  });
});
