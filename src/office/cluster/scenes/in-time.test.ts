import { describe, expect, it } from "vitest";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";

describe("a timeout across hosts", () => {
  it("expires here while it is still here", async () => {
    const { cluster, a, alice, bob } = await aliceAndBob();
    cluster.hub.goDown();
    const sent = await a.sendAs(alice, "b:bob", "quick", { timeoutMs: 5_000 });
    await cluster.advance(6_000);
    expect(a.state(sent)).toBe("expired");
    cluster.hub.comeUp();
    await cluster.advance();
    expect(bob.program.submitted).toEqual([]);
  });

  it("is the other host's business once it is there, and both say expired", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "quick", { timeoutMs: 5_000, notifyOnDelivery: true });
    await cluster.advance(8_000);
    expect(a.history(sent)).toEqual(["queued", "delivering", "delivering", "queued", "expired"]);
    expect(a.lastNote(sent)).toMatch(/^on b: "nobody took it within /u);
    expect(b.byBody("quick")).toMatchObject([{ state: "expired" }]);
    expect(alice.program.submitted).toEqual([expect.stringContaining("[bellhop] Message to b:bob expired")]);
  });

  it("counts the time in the engine: what comes too late is not accepted", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    b.crash();
    const sent = await a.sendAs(alice, "b:bob", "quick", { timeoutMs: 5_000 });
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("delivering");
    await b.ready();
    await cluster.advance();
    expect(a.state(sent)).toBe("expired");
    expect(b.store.read.message(sent.messageId)).toBeUndefined();
    expect(bob.program.submitted).toEqual([]);
  });

  it("goes by how long it waits, not by what the clocks say", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    b.skewMs = 3_600_000;
    await cluster.advance(60_000);
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "quick", { timeoutMs: 20_000 });
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("delivering");
    bob.program.becomes({ busy: false });
    await cluster.advance(5_000);
    expect(a.state(sent)).toBe("delivered");
  });

  it("of the other host does not apply to a message without one", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    b.settings = { ...b.settings, defaultTimeoutMs: 1_000 };
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "no hurry");
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("delivering");
    expect(b.byBody("no hurry")[0]?.timeoutAt).toBeUndefined();
  });
});
