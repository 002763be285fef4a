import { describe, expect, it } from "vitest";
import { openHosts } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;

/** `b` is off, and NATS has the letter with which `coder` moves there. */
async function movingToNobody() {
  const { cluster, desks } = await openHosts("a", "b");
  const [a, b] = desks;
  const alice = a.agent("alice");
  await cluster.ready(["send", "hear", "move"]);
  await a.done(a.use.agent_add({ name: "coder" }));
  await a.done(a.use.sub_add({ agent: "coder", pattern: "team/*", claims }));
  await a.sendAs(alice, "coder", "waits for it");
  b.crash();
  const moving = a.use.agent_move({ name: "coder", host: "b", timeoutMs: 5_000 }).then(
    () => "moved",
    (error: { readonly code?: string }) => error.code,
  );
  await cluster.advance(1_000);
  const has = (desk: typeof a) => [
    desk.store.read.agent("coder") !== undefined,
    desk.store.read.subscriptions().length,
  ];
  return { cluster, a, b, moving, has };
}

describe("an agent that moves to a host that answers late", () => {
  it("stays, and the other host does not take it after all", async () => {
    const { cluster, a, b, moving, has } = await movingToNobody();
    await cluster.advance(15_000);
    expect(await moving).toBe("wait.timed_out");
    await b.open();
    await cluster.advance(200_000);
    expect([has(a), has(b)]).toEqual([
      [true, 1],
      [false, 0],
    ]);
    expect(a.byBody("waits for it")).toMatchObject([{ to: "agent/coder", state: "queued" }]);
  });

  it("is there alone once that host says that it had taken it in time", async () => {
    const { cluster, a, b, moving, has } = await movingToNobody();
    cluster.hub.cutOff("a");
    await b.open();
    await cluster.advance(15_000);
    expect(await moving).toBe("wait.timed_out");
    expect([has(a), has(b)]).toEqual([
      [true, 1],
      [true, 1],
    ]);
    cluster.hub.rejoin("a");
    await cluster.advance(30_000);
    expect([has(a), has(b)]).toEqual([
      [false, 0],
      [true, 1],
    ]);
    expect(b.byBody("waits for it")).toMatchObject([{ to: "agent/coder", state: "queued" }]);
    await cluster.advance(30 * 60_000);
    expect(b.store.read.deliveries({ states: ["queued"] })).toHaveLength(2);
  });

  it("leaves as soon as the disk has room again, if it was full when that was heard", async () => {
    const { cluster, a, b, moving, has } = await movingToNobody();
    cluster.hub.cutOff("a");
    await b.open();
    await cluster.advance(15_000);
    expect(await moving).toBe("wait.timed_out");
    a.onStep((step) => {
      if (step === "cluster.heeded") a.disk.state = "full";
    });
    cluster.hub.rejoin("a");
    await cluster.advance(10_000);
    a.onStep(() => {});
    expect([a.disk.state, has(a)]).toEqual(["full", [true, 1]]);
    expect(a.warnings).toContain("agent.move_unsettled");
    a.warnings.length = 0;
    await cluster.advance(60_000);
    expect(has(a)).toEqual([true, 1]);
    a.disk.state = "works";
    await cluster.advance(60_000);
    expect([has(a), has(b)]).toEqual([
      [false, 0],
      [true, 1],
    ]);
    a.warnings.length = 0;
    a.expectFailures("cluster.dispatch_failed");
  });

  it("is told of its move whenever it is started there", async () => {
    const { cluster, a, b, moving, has } = await movingToNobody();
    await b.open();
    await cluster.advance(3_000);
    expect([await moving, has(a)]).toEqual(["moved", [false, 0]]);
    await cluster.advance(30 * 60_000);
    const words = b.store.read.deliveries({ states: ["queued"] });
    expect(words.map(({ message }) => message.from)).toContain("bellhop/moves@a");
    expect(a.store.read.deliveries({ states: ["unconfirmed"] })).toEqual([]);
  });

  it("goes when it is moved again, if its program was started here meanwhile", async () => {
    const { cluster, a, b, moving, has } = await movingToNobody();
    cluster.hub.cutOff("a");
    await b.open();
    await cluster.advance(15_000);
    expect(await moving).toBe("wait.timed_out");
    const coder = a.agent("work");
    await a.done(a.use.ls({}));
    await a.done(a.use.name({ who: "work", name: "coder", claims }));
    cluster.hub.rejoin("a");
    await cluster.advance(30_000);
    expect(a.warnings).toEqual(["agent.move_unsettled"]);
    a.warnings.length = 0;
    expect([has(a), has(b)]).toEqual([
      [true, 1],
      [true, 1],
    ]);
    a.ends(coder);
    await a.done(a.use.ls({}));
    await a.done(a.use.agent_move({ name: "coder", host: "b" }));
    expect([has(a), has(b)]).toEqual([
      [false, 0],
      [true, 1],
    ]);
    expect(b.store.read.deliveries({ states: ["queued"] })).toHaveLength(1);
  });
});
