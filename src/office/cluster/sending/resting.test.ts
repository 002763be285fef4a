import { describe, expect, it } from "vitest";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";

const ANY_BYTES = 1_048_576;

/** NATS is connected, and stores nothing: it has no leader, say. */
async function withoutLeader() {
  const hosts = await aliceAndBob();
  const { cluster, a, alice } = hosts;
  cluster.hub.largestBytes = 0;
  const send = (body: string) => a.sendAs(alice, "b:bob", body, { priority: "idle" });
  const tries = () => a.warnings.filter((event) => event === "cluster.not_stored").length;
  return { ...hosts, send, tries };
}

describe("after the engine has stored nothing", () => {
  it("new messages wait for the next try, which is later each time", async () => {
    const { cluster, a, bob, send, tries } = await withoutLeader();
    const sent = [];
    for (let tenth = 0; tenth < 70; tenth += 1) {
      sent.push(await send(`number ${tenth}`));
      await cluster.advance(100);
    }
    // At once, and after 1, 2 and 4 seconds.
    expect(tries()).toBe(4);
    cluster.hub.largestBytes = ANY_BYTES;
    await cluster.advance(60_000);
    for (const one of sent) expect(a.state(one)).toBe("delivered");
    const words = bob.program.submitted.join("\n").match(/number \d+/gu);
    expect(words).toEqual(sent.map((_, at) => `number ${at}`));
    a.warnings.length = 0;
  });

  it("it is tried at once when the engine is connected anew, and not twice", async () => {
    const { cluster, a, send, tries } = await withoutLeader();
    const sent = await send("hello");
    await cluster.advance(20_000);
    expect(tries()).toBe(5);
    cluster.hub.goDown();
    await cluster.advance(100);
    cluster.hub.comeUp();
    await cluster.advance(100);
    expect(tries()).toBe(6);
    cluster.hub.goDown();
    cluster.hub.largestBytes = ANY_BYTES;
    cluster.hub.comeUp();
    await cluster.advance(5_000);
    expect(a.state(sent)).toBe("delivered");
    a.warnings.length = 0;
  });

  it("a daemon that stops does not wait for the next try", async () => {
    const { cluster, a, send } = await withoutLeader();
    await send("hello");
    await cluster.advance(20_000);
    const before = cluster.clock.now();
    await a.done(a.office.closeCluster());
    expect(cluster.clock.now() - before).toBeLessThan(1_000);
    a.warnings.length = 0;
  });
});
