import { describe, expect, it } from "vitest";
import { aliceAndBob, type HostDesk } from "../../../../tests/desk/host-desks.ts";

const MINUTE = 60_000;
const GIVEN_UP = "given up because its time was over: b may have it";

/** NATS has a letter for b, which is off. */
async function sentToNobody(timeoutMs?: number) {
  const hosts = await aliceAndBob();
  hosts.b.crash();
  const how = timeoutMs === undefined ? {} : { timeoutMs };
  const sent = await hosts.a.sendAs(hosts.alice, "b:bob", "quick", how);
  await hosts.cluster.advance();
  const cancel = () => hosts.a.done(hosts.a.use.queue_change({ id: sent.messageId, change: "cancel" }));
  return { ...hosts, sent, cancel };
}

async function listed({ use }: HostDesk) {
  const { deliveries } = await use.queue({});
  const { attention } = await use.attention({});
  return { queue: deliveries.map(({ state }) => state), attention: attention.map(({ kind }) => kind) };
}

describe("what another host may have, after its time", () => {
  it("is asked back, and given up if that host says nothing", async () => {
    const { cluster, a, sent } = await sentToNobody(MINUTE);
    await cluster.advance(1.5 * MINUTE);
    expect(a.delivery(sent)).toMatchObject({ state: "delivering" });
    expect(a.store.read.sentLetter(`${sent.messageId}.1`)?.withdrawn).toBeUndefined();
    await cluster.advance(MINUTE);
    expect(a.store.read.sentLetter(`${sent.messageId}.1`)?.withdrawn).toBe("because its time was over");
    expect(a.state(sent)).toBe("delivering");
    await cluster.advance(11 * MINUTE);
    expect(a.state(sent)).toBe("unconfirmed");
    expect(a.delivery(sent).hold).toBeUndefined();
    expect(a.lastNote(sent)).toBe(GIVEN_UP);
  });

  it("is listed as given up until a person says that they know", async () => {
    const { cluster, a, cancel } = await sentToNobody(MINUTE);
    await cluster.advance(14 * MINUTE);
    expect(await listed(a)).toEqual({ queue: ["unconfirmed"], attention: ["unconfirmed"] });
    expect(await cancel()).toMatchObject({ deliveries: [{ state: "unconfirmed" }] });
    expect(await listed(a)).toEqual({ queue: [], attention: [] });
    await expect(cancel()).rejects.toMatchObject({ code: "delivery.not_queued" });
  });

  it("says later that it was not delivered, once that host is back", async () => {
    const { cluster, a, b, bob, sent } = await sentToNobody(MINUTE);
    await cluster.advance(14 * MINUTE);
    expect(a.state(sent)).toBe("unconfirmed");
    await b.ready();
    await cluster.advance();
    expect(a.state(sent)).toBe("unconfirmed");
    expect(a.lastNote(sent)).toBe('on b it was not delivered (expired): "it came after its time"');
    expect(bob.program.submitted).toEqual([]);
    expect(a.store.read.sentLetter(`${sent.messageId}.1`)?.isOver).toBe(true);
    expect(await listed(a)).toEqual({ queue: [], attention: [] });
  });

  it("is delivered after all, if that host had done so", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    b.crash();
    const sent = await a.sendAs(alice, "b:bob", "quick", { timeoutMs: MINUTE });
    await cluster.advance();
    cluster.hub.cutOff("a");
    await b.ready();
    await cluster.advance(14 * MINUTE);
    expect(bob.program.submitted).toHaveLength(1);
    expect(a.state(sent)).toBe("unconfirmed");
    cluster.hub.rejoin("a");
    await cluster.advance(30_000);
    expect(a.state(sent)).toBe("delivered");
  });

  it("expires as at home if that host comes back in between", async () => {
    const { cluster, a, b, sent } = await sentToNobody(MINUTE);
    await cluster.advance(5 * MINUTE);
    await b.ready();
    await cluster.advance();
    expect(a.state(sent)).toBe("expired");
    expect(a.store.read.receiptsOf(a.delivery(sent).id).map(({ note }) => note)).toEqual([
      ...[undefined, undefined, "it was on its way to b"],
      'on b: "it came after its time"',
    ]);
    await cluster.advance(15 * MINUTE);
    expect(a.state(sent)).toBe("expired");
  });

  it("is not too late because somebody set the clock", async () => {
    const { cluster, a, b, sent } = await sentToNobody(10 * MINUTE);
    a.skewMs = 3_600_000;
    await cluster.advance(MINUTE);
    await b.ready();
    await cluster.advance();
    expect(a.state(sent)).toBe("delivered");
  });

  it("is remembered by a daemon that starts again", async () => {
    const { cluster, a, sent } = await sentToNobody(MINUTE);
    await a.open();
    await cluster.advance(14 * MINUTE);
    expect(a.state(sent)).toBe("unconfirmed");
  });
});

describe("what is cancelled, and never answered", () => {
  it("is given up when it is cancelled again, though not in the same moment", async () => {
    const { cluster, a, sent, cancel } = await sentToNobody();
    await cancel();
    await cluster.advance(1_000);
    expect(await cancel()).toMatchObject({ deliveries: [{ state: "delivering" }] });
    await cluster.advance(60 * MINUTE);
    expect(a.state(sent)).toBe("delivering");
    expect(await cancel()).toMatchObject({ deliveries: [{ state: "unconfirmed" }] });
    expect(a.lastNote(sent)).toBe("given up by hand: b may have it");
    expect(await listed(a)).toEqual({ queue: [], attention: [] });
  });

  it("is listed as at home if the other host has no proof either", async () => {
    const { cluster, a, sent, cancel } = await sentToNobody();
    await cancel();
    const delivery = `${sent.messageId}.1`;
    cluster.forges("b", "a", [{ kind: "news", delivery, number: 3, state: "unconfirmed", taken: true }]);
    await cluster.advance();
    expect(await listed(a)).toEqual({ queue: ["unconfirmed"], attention: ["unconfirmed"] });
    await expect(cancel()).rejects.toMatchObject({ code: "delivery.not_queued" });
  });

  it("is never typed, though it was given up before the other host was asked", async () => {
    const { cluster, a, b, bob, sent, cancel } = await sentToNobody();
    cluster.hub.cutOff("a");
    await cancel();
    await cluster.advance(MINUTE);
    await cancel();
    expect(a.state(sent)).toBe("unconfirmed");
    bob.program.becomes({ busy: true });
    await b.open();
    await cluster.advance();
    cluster.hub.rejoin("a");
    await cluster.advance(30_000);
    expect(b.store.read.deliveriesOf(sent.messageId)).toMatchObject([{ state: "cancelled" }]);
    expect(a.lastNote(sent)).toBe('on b it was not delivered (cancelled): "withdrawn on a: ’by hand’"');
  });

  it("is cleared together with what waits for that host", async () => {
    const { cluster, a, alice } = await sentToNobody();
    cluster.hub.cutOff("a");
    await cluster.advance();
    await a.sendAs(alice, "b:bob", "still here");
    const clear = async () => {
      const { deliveries } = await a.done(a.use.queue_clear({ who: "host/b" }));
      return deliveries.map(({ state, hold }) => [state, hold?.release]);
    };
    expect(await clear()).toEqual([
      ["cancelled", undefined],
      ["delivering", expect.stringMatching(/^b is asked to give it back when NATS can be reached: /u)],
    ]);
    expect(await clear()).toEqual([
      ["delivering", expect.stringMatching(/^b is asked to give it back when NATS can be reached: /u)],
    ]);
    await cluster.advance(MINUTE);
    expect(await clear()).toEqual([["unconfirmed", undefined]]);
    expect(await listed(a)).toEqual({ queue: [], attention: [] });
    expect(await clear()).toEqual([]);
  });

  it("is given up at once by a host that has left", async () => {
    const { a, sent, cancel } = await sentToNobody();
    await a.done(a.office.leaveCluster());
    expect(await cancel()).toMatchObject({ deliveries: [{ state: "unconfirmed" }] });
    expect(a.lastNote(sent)).toBe("given up by hand: b may have it");
  });
});
