import { describe, expect, it } from "vitest";
import { deskWith, OWNER, route, subscribe, taken } from "../../../tests/desk/broker-verbs.ts";
import { parsePattern } from "../../core/routing/pattern.ts";
import type { Store, StoreReader } from "../../ports/store.ts";
import { openStore } from "../../store/sqlite/store.ts";
import type { OfficeContext } from "../base/context.ts";
import { MOST_PLANNED, Subscriptions } from "./subscriptions.ts";

describe("subscriptions and messages of one moment", () => {
  it("are in the order in which they came, whatever was looked up before", async () => {
    for (const before of [["x/0"], [], ["x/1"]]) {
      const desk = await deskWith("a", "b");
      for (const path of before) await route(desk, path);
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
    const subscriptions = new Subscriptions(context as unknown as OfficeContext, () => {});
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
    const subscriptions = new Subscriptions(context as unknown as OfficeContext, () => {});
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

  it("are remembered for some paths only, however many there are and however many hear each", async () => {
    const store = await openStore({ path: ":memory:" });
    const agents = Array.from({ length: 500 }, (_, index) => `a${index}`);
    await store.write((tx) => {
      for (const agent of agents) {
        tx.putAgent({ name: agent, createdAt: 1, origin: "added", chosen: true, paused: false });
        tx.putSubscription({
          owner: { kind: "agent", agent },
          pattern: "x/**",
          addedAt: 1,
          origin: "asked",
        });
      }
    });
    const context = { store, clock: { now: () => 1 }, log: { error: () => {} } };
    const subscriptions = new Subscriptions(context as unknown as OfficeContext, () => {});
    for (let path = 0; path < 100; path += 1) {
      const hear = () => subscriptions.subscribersOf(parsePattern(`x/${path}`), store.read, () => true);
      expect(hear()).toHaveLength(agents.length);
      expect(hear()).toHaveLength(agents.length);
      expect(subscriptions.planned).toBeLessThanOrEqual(MOST_PLANNED.subscribers);
    }
    expect(subscriptions.planned).toBeGreaterThan(0);
    await store.close();
  });

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
