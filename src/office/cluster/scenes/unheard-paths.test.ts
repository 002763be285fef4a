import { describe, expect, it } from "vitest";
import { OWNER } from "../../../../tests/desk/broker-verbs.ts";
import { type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;

/** `a` believes that somebody on each of the others hears `team/*`: what it knows of them is old. */
async function withOldSummaries() {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b, c] = desks;
  await cluster.ready();
  for (const desk of [b, c]) {
    await desk.done(desk.use.agent_add({ name: "reader" }));
    await desk.done(desk.use.sub_add({ agent: "reader", pattern: "team/*", claims }));
  }
  await cluster.advance();
  cluster.hub.cutOff("a");
  const unsubscribe = (desk: HostDesk) =>
    desk.done(desk.use.sub_remove({ agent: "reader", pattern: "team/*", claims }));
  const dead = async () => (await a.done(a.use.unmatched({ limit: 9 }))).messages.map(({ body }) => body);
  return { cluster, a, b, c, unsubscribe, dead };
}

describe("what was said to a path that nobody on the other hosts hears any more", () => {
  it("is a dead letter once each of them has said so, and can be tried again", async () => {
    const { cluster, a, b, c, unsubscribe, dead } = await withOldSummaries();
    await unsubscribe(b);
    await unsubscribe(c);
    const sent = await a.send("team/news", "for all");
    expect(sent).toMatchObject({ unmatched: false });
    cluster.hub.rejoin("a");
    await cluster.advance(10_000);
    expect(a.store.read.deliveriesOf(sent.messageId).map(({ state }) => state)).toEqual(["failed", "failed"]);
    expect(await dead()).toEqual(["for all"]);
    await b.done(b.use.sub_add({ agent: "reader", pattern: "team/*", claims }));
    await cluster.advance();
    await a.done(a.use.unmatched_reroute({}));
    await cluster.advance();
    expect(await dead()).toEqual([]);
    expect(b.byBody("for all")).toMatchObject([{ to: "agent/reader", state: "queued" }]);
  });

  /** Both refuse it for these reasons, the first of them first; whether it is a dead letter then. */
  async function isDeadAfter(...reasons: readonly [string, string]): Promise<boolean> {
    const { cluster, a, b, c, dead } = await withOldSummaries();
    for (const desk of [b, c]) desk.crash();
    const sent = await a.send("team/news", "for all");
    cluster.hub.rejoin("a");
    await cluster.advance(10_000);
    const note = "Nobody takes it: nobody hears it";
    for (const [index, { id, to }] of a.store.read.deliveriesOf(sent.messageId).entries()) {
      const news = { kind: "news", delivery: id, number: 1, state: "failed", note, why: reasons[index] };
      cluster.forges(to.replace("host/", ""), "a", [news]);
      await cluster.advance(10_000);
    }
    expect(a.store.read.deliveriesOf(sent.messageId).map(({ state }) => state)).toEqual(["failed", "failed"]);
    return (await dead()).length > 0;
  }

  it("is none because of their words", async () => {
    expect(await isDeadAfter("right", "right")).toBe(false);
  });

  it("is none if one of them refused it for another reason, whichever was heard first", async () => {
    expect(await isDeadAfter("nobody", "nobody")).toBe(true);
    expect(await isDeadAfter("nobody", "right")).toBe(false);
    expect(await isDeadAfter("right", "nobody")).toBe(false);
  });

  it("counts as delivered for whoever waits for that, if everybody who hears it has it", async () => {
    const { cluster, a, b, c, unsubscribe } = await withOldSummaries();
    await unsubscribe(b);
    const sent = await a.send("team/news", "for all");
    cluster.hub.rejoin("a");
    await cluster.advance(10_000);
    await c.done(c.use.receive({ agent: "reader", claims: OWNER, limit: 9 }));
    await cluster.advance(10_000);
    const waits = { id: sent.messageId, state: "delivered", timeoutMs: 5_000 } as const;
    expect(await a.done(a.use.wait(waits))).toMatchObject({ reached: true });
  });

  it("has failed for whoever waits for it, if nobody hears it", async () => {
    const { cluster, a, b, c, unsubscribe } = await withOldSummaries();
    await unsubscribe(b);
    await unsubscribe(c);
    const sent = await a.send("team/news", "for all");
    cluster.hub.rejoin("a");
    await cluster.advance(10_000);
    const waits = { id: sent.messageId, state: "delivered", timeoutMs: 5_000 } as const;
    expect(await a.done(a.use.wait(waits))).toEqual({ reached: false, state: "failed" });
  });

  it("is none while one of them has it", async () => {
    const { cluster, a, b, unsubscribe, dead } = await withOldSummaries();
    await unsubscribe(b);
    await a.send("team/news", "for all");
    cluster.hub.rejoin("a");
    await cluster.advance(10_000);
    expect(await dead()).toEqual([]);
  });
});
