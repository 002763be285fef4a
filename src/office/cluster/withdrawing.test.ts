import { describe, expect, it } from "vitest";
import { aliceAndBob } from "../../../tests/desk/host-desks.ts";

const ASKED = "b was asked to give it back, and says what became of it";
const OUT_OF_REACH = "when NATS can be reached: cannot reach nats://127.0.0.1:4222: timed out";

describe("cancelling what is for another host", () => {
  it("is done at once while it is still here", async () => {
    const { cluster, a, alice, bob } = await aliceAndBob();
    cluster.hub.goDown();
    const sent = await a.sendAs(alice, "b:bob", "never mind");
    const { deliveries } = await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
    expect(deliveries).toMatchObject([{ state: "cancelled" }]);
    cluster.hub.comeUp();
    await cluster.advance();
    expect(bob.program.submitted).toEqual([]);
  });

  it("is asked for while it waits there, and then says so on both sides", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "never mind");
    await cluster.advance();
    const { deliveries } = await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
    expect(deliveries).toMatchObject([{ state: "delivering", hold: { release: ASKED } }]);
    await cluster.advance();
    expect(a.history(sent)).toEqual(["queued", "delivering", "delivering", "queued", "cancelled"]);
    expect(a.lastNote(sent)).toBe('on b: "withdrawn on a: ’by hand’"');
    expect(b.store.read.deliveriesOf(sent.messageId)).toMatchObject([{ state: "cancelled" }]);
    bob.program.becomes({ busy: false });
    await cluster.advance(10_000);
    expect(bob.program.submitted).toEqual([]);
  });

  it("comes too late for what is delivered: then that is what both say", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    b.crash();
    const sent = await a.sendAs(alice, "b:bob", "too late");
    await cluster.advance();
    cluster.hub.cutOff("a");
    await b.ready();
    await cluster.advance();
    expect(b.byBody("too late")).toMatchObject([{ state: "delivered" }]);
    const { deliveries } = await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
    const release = `b is asked to give it back ${OUT_OF_REACH}`;
    expect(deliveries).toMatchObject([{ state: "delivering", hold: { release } }]);
    cluster.hub.rejoin("a");
    await cluster.advance(30_000);
    expect(a.state(sent)).toBe("delivered");
    await expect(a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }))).rejects.toMatchObject({
      code: "delivery.not_queued",
    });
    expect(b.byBody("too late")).toMatchObject([{ state: "delivered" }]);
    expect(bob.program.submitted).toHaveLength(1);
  });

  it("is asked for when that is possible again, and says so then", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    b.crash();
    const sent = await a.sendAs(alice, "b:bob", "never mind");
    await cluster.advance();
    cluster.hub.cutOff("a");
    await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
    expect(a.delivery(sent).hold?.release).toBe(`b is asked to give it back ${OUT_OF_REACH}`);
    cluster.hub.rejoin("a");
    await cluster.advance();
    expect(a.delivery(sent).hold?.release).toBe(ASKED);
  });

  it("holds while the other host is away: it is never typed there", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    b.crash();
    const sent = await a.sendAs(alice, "b:bob", "never mind");
    await cluster.advance();
    await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
    await cluster.advance();
    expect(a.delivery(sent)).toMatchObject({ state: "delivering", hold: { release: ASKED } });
    bob.program.becomes({ busy: true });
    await b.open();
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("cancelled");
    bob.program.becomes({ busy: false });
    await cluster.advance(10_000);
    expect(bob.program.submitted).toEqual([]);
  });

  it("of what never came stays in force if it comes after all", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    cluster.hub.loseBags();
    const sent = await a.sendAs(alice, "b:bob", "never mind");
    await cluster.advance(100);
    expect(a.state(sent)).toBe("delivering");
    await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
    await cluster.advance(30_000);
    expect(a.state(sent)).toBe("cancelled");
    expect(a.lastNote(sent)).toBe('on b: "withdrawn before it came"');
    cluster.forges("a", "b", [letter(sent)]);
    await cluster.advance();
    expect(b.store.read.message(sent.messageId)).toBeUndefined();
    expect(bob.program.submitted).toEqual([]);
  });

  it("gives up what a host may have that is not heard any more, and says so", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    b.crash();
    const sent = await a.sendAs(alice, "b:bob", "never mind");
    await cluster.advance();
    a.expels("b");
    const { deliveries } = await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
    expect(deliveries).toMatchObject([{ state: "unconfirmed" }]);
    expect(a.lastNote(sent)).toBe("given up by hand: b may have it");
  });

  it("survives a crash before the other host was asked", async () => {
    const { cluster, a, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "never mind");
    await cluster.advance();
    cluster.hub.goDown();
    await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
    await a.open();
    cluster.hub.comeUp();
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("cancelled");
  });
});

function letter({ messageId, shortId }: { readonly messageId: string; readonly shortId: string }) {
  const message = { id: messageId, shortId, from: "agent/alice@a", to: "agent/bob", body: "never mind" };
  return {
    ...{ kind: "letter", delivery: `${messageId}.1` },
    message: { ...message, form: { kind: "text" }, priority: "normal", source: "agent", hops: 0 },
  };
}
