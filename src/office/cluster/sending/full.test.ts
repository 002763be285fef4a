import { describe, expect, it } from "vitest";
import { aliceAndBob, openHosts } from "../../../../tests/desk/host-desks.ts";

it("what NATS keeps no more of for one host waits here, says why, and holds up no other host", async () => {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b, c] = desks;
  const alice = a.agent("alice");
  const bob = b.agent("bob");
  const carol = c.agent("carol");
  await cluster.ready();
  b.crash();
  cluster.hub.mostBags = 2;
  const sent = [];
  for (const body of ["one", "two", "three", "four"]) {
    sent.push(await a.sendAs(alice, "b:bob", body, { priority: "idle" }));
    await cluster.advance(500);
  }
  const elsewhere = await a.sendAs(alice, "c:carol", "hello", { priority: "idle" });
  await cluster.advance(10_000);
  expect(a.state(elsewhere)).toBe("delivered");
  expect(carol.program.submitted).toHaveLength(1);
  expect(sent.map((one) => a.delivery(one).hold?.release)).toEqual([
    "when b takes it: NATS has it",
    "when b takes it: NATS has it",
    expect.stringContaining("NATS keeps no more for b"),
    expect.stringContaining("NATS keeps no more for b"),
  ]);
  await b.ready();
  await cluster.advance(60_000);
  expect(sent.map((one) => a.state(one))).toEqual(["delivered", "delivered", "delivered", "delivered"]);
  expect(bob.program.submitted.join("\n").match(/one|two|three|four/gu)).toEqual([
    "one",
    "two",
    "three",
    "four",
  ]);
  a.warnings.length = 0;
});

describe("what NATS has refused", () => {
  const HOUR_MS = 3_600_000;

  /** `b` is away, and NATS keeps one bag for it: the second was refused. */
  const refused = async (asked: { readonly timeoutMs?: number } = {}) => {
    const hosts = await aliceAndBob();
    const { cluster, a, b, alice } = hosts;
    b.crash();
    cluster.hub.mostBags = 1;
    await a.sendAs(alice, "b:bob", "one", { priority: "idle" });
    await cluster.advance();
    const two = await a.sendAs(alice, "b:bob", "two", { priority: "idle", ...asked });
    await cluster.advance();
    return { ...hosts, two };
  };

  it("never left: it is queued, and is cancelled at once", async () => {
    const { cluster, a, b, bob, two } = await refused();
    expect(a.delivery(two)).toMatchObject({
      ...{ state: "queued", attempts: 0 },
      hold: { reason: "offline", release: "when there is room for it: NATS keeps no more for b" },
    });
    expect(a.store.read.sentLetter(a.delivery(two).id)).toBeUndefined();
    await a.done(a.use.queue_change({ id: two.messageId, change: "cancel" }));
    expect(a.state(two)).toBe("cancelled");
    await b.ready();
    await cluster.advance(60_000);
    expect(bob.program.submitted.join("\n")).not.toContain("two");
    a.warnings.length = 0;
  });

  it("expires here, and nobody says that b may have it", async () => {
    const { cluster, a, two } = await refused({ timeoutMs: 600_000 });
    await cluster.advance(HOUR_MS);
    expect(a.state(two)).toBe("expired");
    a.warnings.length = 0;
  });

  it("is not marked again and again while there is no room", async () => {
    const { cluster, a, b, two } = await refused();
    const receipts = () => a.store.read.receiptsOf(a.delivery(two).id).length;
    const before = receipts();
    await cluster.advance(HOUR_MS);
    expect(receipts()).toBe(before);
    expect(a.state(two)).toBe("queued");
    await b.ready();
    await cluster.advance(60_000);
    expect(a.state(two)).toBe("delivered");
    expect(a.delivery(two).possibleDuplicate).toBe(false);
    a.warnings.length = 0;
  });

  it("may be on its way all the same, if nobody knows what became of an earlier try", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    b.crash();
    await a.sendAs(alice, "b:bob", "one", { priority: "idle" });
    await cluster.advance();
    cluster.hub.loseAnswers();
    const two = await a.sendAs(alice, "b:bob", "two", { priority: "idle" });
    await cluster.advance(100);
    cluster.hub.mostBags = 1;
    await cluster.advance(30_000);
    expect(a.state(two)).toBe("delivering");
    expect(a.delivery(two).hold?.release).toContain("NATS keeps no more for b");
    a.warnings.length = 0;
  });

  it("is tried with one letter first: the place that is found may be the only one", async () => {
    const { cluster, a, b, alice, bob, two } = await refused();
    const sent = [two];
    for (let at = 0; at < 40; at += 1)
      sent.push(await a.sendAs(alice, "b:bob", `number ${at}`, { priority: "idle" }));
    await cluster.advance(60_000);
    const receipts = () => sent.map((one) => a.store.read.receiptsOf(a.delivery(one).id).length);
    const before = receipts();
    cluster.hub.mostBags = 2;
    await cluster.advance(60_000);
    expect(cluster.hub.waiting("b")).toHaveLength(2);
    expect(receipts()).toEqual([(before[0] ?? 0) + 2, ...before.slice(1)]);
    await b.ready();
    await cluster.advance(120_000);
    expect(sent.map((one) => a.state(one))).toEqual(sent.map(() => "delivered"));
    expect(bob.program.submitted.join("\n").match(/number \d+/gu)).toEqual(
      sent.slice(1).map((_, at) => `number ${at}`),
    );
    a.warnings.length = 0;
  });

  it("is not marked either while NATS does not answer", async () => {
    const { cluster, a, two } = await refused();
    cluster.hub.mostBags = 9;
    cluster.hub.isFrozen = true;
    await cluster.advance(60_000);
    expect(a.state(two)).toBe("queued");
    cluster.hub.isFrozen = false;
    a.warnings.length = 0;
  });

  it("is cancelled, if somebody asked for it back meanwhile", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    b.crash();
    cluster.hub.mostBags = 0;
    const cancelling: Promise<unknown>[] = [];
    a.onStep((step) => {
      const [id] = a.byBody("never mind").map((delivery) => delivery.messageId);
      if (step !== "cluster.marked" || id === undefined || cancelling.length > 0) return;
      cancelling.push(a.use.queue_change({ id, change: "cancel" }));
    });
    const sent = await a.sendAs(alice, "b:bob", "never mind", { priority: "idle" });
    await cluster.advance();
    expect(cancelling).toHaveLength(1);
    await cancelling[0];
    expect(a.history(sent)).toEqual(["queued", "delivering", "queued", "cancelled"]);
    expect(a.lastNote(sent)).toBe("by hand");
    a.warnings.length = 0;
  });
});
