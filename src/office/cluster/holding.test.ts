import { describe, expect, it } from "vitest";
import { aliceAndBob } from "../../../tests/desk/host-desks.ts";

describe("what waits for another host", () => {
  it("says why, when this host has left its cluster, and goes when it is back", async () => {
    const { cluster, a, alice } = await aliceAndBob();
    cluster.hub.goDown();
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance();
    expect(a.delivery(sent)?.hold?.release).toMatch(/^when NATS can be reached/u);
    await a.done(a.office.leaveCluster());
    await a.done(a.office.awaitCluster("when this host is in a cluster again"));
    expect(a.delivery(sent)).toMatchObject({
      ...{ state: "queued", hold: { reason: "offline", release: "when this host is in a cluster again" } },
    });
    cluster.hub.comeUp();
    await a.join();
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("delivered");
  });
});
