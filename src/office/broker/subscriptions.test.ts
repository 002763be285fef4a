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
  tokenOf,
  unsubscribe,
} from "../../../tests/desk/broker-verbs.ts";
import type { Desk } from "../../../tests/desk/desk.ts";
import { parsePattern } from "../../core/routing/pattern.ts";
import type { Store, StoreReader } from "../../ports/store.ts";
import { openStore } from "../../store/sqlite/store.ts";
import { MOST_NAMED_SESSIONS } from "../arrivals/agents.ts";
import type { OfficeContext } from "../base/context.ts";
import { MOST_SUBSCRIPTIONS, Subscriptions } from "./subscriptions.ts";

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

describe("subscriptions and messages of one moment", () => {
  it("are in the order in which they came, whether the index stood or not", async () => {
    for (const index of ["stands", "is not built yet"]) {
      const desk = await deskWith("a", "b");
      if (index === "stands") await route(desk, "x/0");
      const say = () => desk.use.route({ path: "x/1", body: "hello", claims: OWNER });
      const asked = { agent: "a", pattern: "x/*", claims: OWNER };
      const [, heard] = await desk.done(Promise.all([desk.use.sub_add(asked), say()]));
      expect(heard.deliveredTo).toEqual(["a"]);
      // If it were indexed twice, it would be heard after its removal.
      const [, missed] = await desk.done(Promise.all([desk.use.sub_remove(asked), say()]));
      expect(missed.deliveredTo).toEqual([]);
      expect((await route(desk, "x/1")).unmatched).toBe(true);
    }
  });

  it("go to nobody who was removed in that moment", async () => {
    const desk = await deskWith("a", "b");
    await subscribe(desk, "a", "x/*");
    await route(desk, "x/0");
    await taken(desk, "a");
    const [, sent] = await desk.done(
      Promise.all([
        desk.use.agent_remove({ name: "a" }),
        desk.use.route({ path: "x/1", body: "hello", claims: OWNER }),
      ]),
    );
    expect(sent.unmatched).toBe(true);
  });

  it("leave nothing to an agent that went while it subscribed", async () => {
    const desk = await deskWith("a");
    const [, subscribing] = await desk.done(
      Promise.allSettled([
        desk.use.agent_remove({ name: "a" }),
        desk.use.sub_add({ agent: "a", pattern: "x/*", claims: OWNER }),
      ]),
    );
    expect(subscribing).toMatchObject({ status: "rejected", reason: { code: "agent.unknown" } });
    expect(desk.store.read.subscriptions()).toEqual([]);
  });

  it("that could not be committed were never there", async () => {
    const desk = await deskWith("a");
    const failing: Store = {
      ...desk.store,
      write: (change) =>
        desk.store.write((tx) => {
          change(tx);
          // As late as a failing commit: a message may have been routed meanwhile.
          [...subscriptions.subscribersOf(parsePattern("x/1"), tx, () => true)];
          throw new Error("the disk is full");
        }),
    };
    const context = { store: failing, clock: desk.clock, log: { error: () => {} } };
    const subscriptions = new Subscriptions(context as unknown as OfficeContext);
    const hearing = () => [...subscriptions.subscribersOf(parsePattern("x/1"), desk.store.read, () => true)];
    for (const index of ["not built", "built"]) {
      await expect(subscriptions.add({ kind: "agent", agent: "a" }, "x/*", "a"), index).rejects.toThrow();
      expect(hearing()).toEqual([]);
    }
    await subscribe(desk, "a", "x/*");
    subscriptions.reload();
    expect(hearing()).toHaveLength(1);
    await expect(subscriptions.remove({ kind: "agent", agent: "a" }, "x/*", "a")).rejects.toThrow();
    expect(hearing()).toHaveLength(1);
    await expect(subscriptions.rewriting((tx) => tx.removeAgent("a"))).rejects.toThrow();
    expect(hearing()).toHaveLength(1);
  });

  /** Unlike the desk's own, this store runs a change twice only when another throws. */
  async function unrehearsed() {
    const store = await openStore({ path: ":memory:" });
    await store.write((tx) =>
      tx.putAgent({ name: "a", createdAt: 1, origin: "added", chosen: true, paused: false }),
    );
    const context = { store, clock: { now: () => 1 }, log: { error: () => {} } };
    const subscriptions = new Subscriptions(context as unknown as OfficeContext);
    const hearing = (read: StoreReader = store.read) => [
      ...subscriptions.subscribersOf(parsePattern("x/1"), read, () => true),
    ];
    return { store, subscriptions, hearing, owner: { kind: "agent", agent: "a" } as const };
  }

  it("count for a message that came before they were given up, though both ran twice", async () => {
    const { store, subscriptions, hearing, owner } = await unrehearsed();
    await subscriptions.add(owner, "x/*", "a");
    hearing();
    const before = store.write((tx) => hearing(tx));
    const removed = subscriptions.remove(owner, "x/*", "a");
    const after = store.write((tx) => hearing(tx));
    const failed = store.write(() => {
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    await removed;
    expect([await before, await after]).toEqual([[{ kind: "agent", name: "a" }], []]);
    await store.close();
  });

  it.each(["not built", "built", "built meanwhile"])(
    "are given up for good, though a change beside them made their own run twice: the index was %s",
    async (index) => {
      const { store, subscriptions, hearing, owner } = await unrehearsed();
      if (index === "built") hearing();
      const added = subscriptions.add(owner, "x/*", "a");
      const routed = index === "built meanwhile" ? store.write((tx) => hearing(tx)) : undefined;
      const failed = store.write(() => {
        throw new Error("no");
      });
      await expect(failed).rejects.toThrow("no");
      await Promise.all([added, routed]);
      expect(hearing()).toHaveLength(1);
      await subscriptions.remove(owner, "x/*", "a");
      expect(hearing()).toEqual([]);
      await store.close();
    },
  );

  it("are not stopped by a row that no Bellhop wrote", async () => {
    const desk = await deskWith("a");
    await desk.store.write((tx) => {
      const owner = { kind: "agent", agent: "a" } as const;
      tx.putSubscription({ owner, pattern: "x//y", addedAt: 1, origin: "asked" });
      tx.putSubscription({ owner, pattern: "x/*", addedAt: 1, origin: "asked" });
    });
    await desk.open();
    expect((await route(desk, "x/y")).deliveredTo).toEqual(["a"]);
    desk.expectFailures("subscription.unreadable");
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
