import { describe, expect, it } from "vitest";
import { aliceAndBob, keyOf } from "../../../../tests/desk/host-desks.ts";
import { DEFAULT_HOST_RIGHTS } from "../../../core/cluster/admission.ts";

/** Alice's machine leaves, and joins again under another name. */
async function renamed({ a, b, cluster }: Awaited<ReturnType<typeof aliceAndBob>>): Promise<void> {
  await a.done(a.office.leaveCluster());
  a.host = "a2";
  b.expels("a");
  b.admits("a2", DEFAULT_HOST_RIGHTS, keyOf("a"));
  await a.join();
  await cluster.advance(200_000);
}

describe("a host that gets another name", () => {
  it("is told of what was taken under its old one, and nothing is taken again", async () => {
    const hosts = await aliceAndBob();
    const { cluster, a, b, alice, bob } = hosts;
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance();
    await renamed(hosts);
    expect(a.state(sent)).toBe("delivering");
    bob.program.becomes({ busy: false });
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("delivered");
    expect(b.byBody("hello")).toMatchObject([{ state: "delivered" }]);
    expect(bob.program.submitted).toHaveLength(1);
  });

  it("can take back what it sent under its old one", async () => {
    const hosts = await aliceAndBob();
    const { cluster, a, b, alice, bob } = hosts;
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "never mind");
    await cluster.advance();
    await renamed(hosts);
    await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
    await cluster.advance();
    expect(a.state(sent)).toBe("cancelled");
    expect(b.byBody("never mind")).toMatchObject([{ state: "cancelled" }]);
  });

  it("has nothing to say of what came from a host with another key", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance();
    b.expels("a");
    b.admits("c");
    cluster.forges("c", "b", [{ kind: "withdrawal", delivery: `${sent.messageId}.1`, because: "mine" }]);
    await cluster.advance();
    expect(b.byBody("hello")).toMatchObject([{ state: "queued" }]);
  });
});
