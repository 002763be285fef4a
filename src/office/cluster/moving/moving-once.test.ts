import { describe, expect, it, vi } from "vitest";
import { type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;

/** The agent `coder` of `a` does not run; `work` does, and is older than any move. */
async function twoHosts() {
  const { cluster, desks } = await openHosts("a", "b");
  const [a, b] = desks;
  const work = a.agent("work");
  await cluster.ready(["send", "hear", "move"]);
  await a.done(a.use.agent_add({ name: "coder" }));
  const starts = async (desk: HostDesk) => {
    desk.crash();
    await desk.open();
    await cluster.advance(10_000);
  };
  return { cluster, a, b, work, starts };
}

const isOn = (...desks: readonly HostDesk[]) =>
  desks.map((desk) => desk.store.read.agent("coder") !== undefined);

/** `b` has the letter with which `coder` moves; `a` is cut off, and its owner gave the move up. */
async function givenUp({ takes }: { readonly takes: boolean }) {
  const hosts = await twoHosts();
  const { a, b, cluster } = hosts;
  b.crash();
  const moving = a.use.agent_move({ name: "coder", host: "b", timeoutMs: 5_000 }).catch(() => "stays");
  await cluster.advance(1_000);
  if (takes) {
    cluster.hub.cutOff("a");
    await b.open();
  }
  await cluster.advance(15_000);
  expect(await moving).toBe("stays");
  const [item] = a.store.read.deliveries({ mailboxes: ["host/b"], states: ["delivering"] });
  const id = item?.delivery.id ?? "";
  await cluster.advance(10_000);
  await a.done(a.use.queue_change({ id, change: "cancel" }));
  expect(a.store.read.findDelivery(id)?.state).toBe("unconfirmed");
  return { ...hosts, id };
}

describe("a move that is over", () => {
  it("is not carried out again on another agent that has the name now", async () => {
    const { a, b, cluster, work, starts } = await twoHosts();
    await a.done(a.use.agent_move({ name: "coder", host: "b" }));
    await cluster.advance();
    await a.done(a.use.name({ who: "work", name: "coder", claims }));
    a.ends(work);
    await a.done(a.use.ls({}));
    await starts(a);
    expect(isOn(a, b)).toEqual([true, true]);
  });

  it("is not carried out again on the agent that came home, if the clock was set back", async () => {
    const { a, b, cluster, starts } = await twoHosts();
    await a.done(a.use.agent_move({ name: "coder", host: "b" }));
    await cluster.advance(5_000);
    const there = b.agent("there");
    await b.done(b.use.ls({}));
    await b.done(b.use.name({ who: "there", name: "coder", claims }));
    await cluster.advance(20_000);
    b.ends(there);
    await b.done(b.use.ls({}));
    cluster.clock.setWallClock(-60_000);
    await b.done(b.use.agent_move({ name: "coder", host: "a" }));
    await cluster.advance(5_000);
    expect(isOn(a, b)).toEqual([true, false]);
    await starts(a);
    expect(isOn(a, b)).toEqual([true, false]);
  });
});

it("a move looks at its own letter, not at all that ever went to other hosts", async () => {
  const { a, b } = await twoHosts();
  const looks = vi.spyOn(a.store.read, "sentLetters");
  await a.done(a.use.agent_move({ name: "coder", host: "b" }));
  expect(isOn(a, b)).toEqual([false, true]);
  expect(looks.mock.calls.filter(([{ host }]) => host === undefined)).toEqual([]);
});

describe("a move that was given up", () => {
  for (const restarts of [false, true])
    it(`ends once the other host says that it has the agent${restarts ? ", also after a start" : ""}`, async () => {
      const { a, b, cluster, starts } = await givenUp({ takes: true });
      expect(isOn(a, b)).toEqual([true, true]);
      if (restarts) await starts(a);
      cluster.hub.rejoin("a");
      await cluster.advance(200_000);
      expect(isOn(a, b)).toEqual([false, true]);
    });

  it("leaves the agent here if the other host says that it did not take it", async () => {
    const { a, b, cluster, starts } = await givenUp({ takes: false });
    await b.open();
    await cluster.advance(200_000);
    expect(isOn(a, b)).toEqual([true, false]);
    await starts(a);
    expect(isOn(a, b)).toEqual([true, false]);
  });

  it("may have been taken: whoever moves the agent again is not told to remove it there", async () => {
    const { a, b, cluster, id } = await givenUp({ takes: true });
    const before = a.store.read.message(a.store.read.findDelivery(id)?.messageId ?? "")?.shortId ?? "";
    expect(b.store.read.findMessages(before, 2)).toHaveLength(1);
    b.crash();
    cluster.hub.wipe("a");
    cluster.hub.rejoin("a");
    const moving = a.use.agent_move({ name: "coder", host: "b", timeoutMs: 5_000 }).catch((error) => error);
    await cluster.advance(1_000);
    const delivery = a.store.read.agent("coder")?.moving?.at(-1);
    const news = { kind: "news", delivery, number: 1, state: "failed", why: "exists" };
    cluster.forges("b", "a", [news]);
    await cluster.advance(10_000);
    const { next } = await moving;
    expect(next).toContain(`on b: "bellhop show ${before}"`);
    expect(next).toMatch(/^It may be this very agent: .* remove neither/u);
    await b.open();
    await cluster.advance(200_000);
    expect(isOn(a, b)).toEqual([false, true]);
  });

  it("is no obstacle to another move", async () => {
    const { a, b, cluster } = await givenUp({ takes: false });
    await b.open();
    await cluster.advance(200_000);
    await a.done(a.use.agent_move({ name: "coder", host: "b" }));
    expect(isOn(a, b)).toEqual([false, true]);
  });
});
