import { describe, expect, it } from "vitest";
import { taken } from "../../../../tests/desk/broker-verbs.ts";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const claims = { user: "dev" };

/** Alice wrote to a box on `b`, somebody took it out there, and `a` knows that. */
async function takenThere() {
  const hosts = await aliceAndBob();
  const { cluster, a, b, alice } = hosts;
  await b.use.agent_add({ name: "box" });
  const sent = await a.sendAs(alice, "agent/box@b", "hello");
  await cluster.advance();
  expect(await taken(b, "box")).toEqual(["hello"]);
  await cluster.advance();
  expect(a.state(sent)).toBe("delivered");
  const { id } = a.delivery(sent);
  const acknowledge = () => b.done(b.use.ack({ id: sent.messageId, agent: "box", claims }));
  const letter = () => a.store.read.sentLetter(id);
  return { ...hosts, sent, id, letter, acknowledge };
}

/** Nobody but these hosts uses it, and what one says of itself is no bag. */
async function bagsWithin(hosts: Awaited<ReturnType<typeof takenThere>>, ms: number): Promise<number> {
  const before = hosts.cluster.hub.stored;
  await hosts.cluster.advance(ms);
  return hosts.cluster.hub.stored - before;
}

describe("news of what is delivered", () => {
  it("that are lost with what the engine had are asked for", async () => {
    const { cluster, a, sent, acknowledge } = await takenThere();
    cluster.hub.cutOff("a");
    await acknowledge();
    await cluster.advance();
    cluster.hub.wipe("a");
    cluster.hub.rejoin("a");
    await cluster.advance(60_000);
    expect(a.state(sent)).toBe("delivered");
    await cluster.advance(3 * HOUR_MS);
    expect(a.state(sent)).toBe("read");
  });

  it("are asked for again soon, if the question itself did not leave", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance();
    cluster.hub.cutOff("a");
    bob.program.becomes({ busy: false });
    await cluster.advance(30_000);
    expect(b.byBody("hello")).toMatchObject([{ state: "delivered" }]);
    cluster.hub.wipe("a");
    cluster.hub.loseBags();
    cluster.hub.rejoin("a");
    await cluster.advance(30_000);
    expect(a.state(sent)).toBe("delivered");
    a.warnings.length = 0;
  });

  it("are asked for less and less often while there are none, and no more once it is read", async () => {
    const hosts = await takenThere();
    const firstDay = await bagsWithin(hosts, DAY_MS);
    expect(firstDay).toBeGreaterThan(2);
    expect(firstDay).toBeLessThanOrEqual(12);
    // One question and its answer.
    expect(await bagsWithin(hosts, DAY_MS)).toBeLessThanOrEqual(2);
    await hosts.acknowledge();
    await hosts.cluster.advance();
    expect(hosts.a.state(hosts.sent)).toBe("read");
    expect(await bagsWithin(hosts, DAY_MS)).toBe(0);
  });

  /** Alice wrote to a box on `b`, which waits there, and `a` knows that. */
  const waitsThere = async () => {
    const hosts = await aliceAndBob();
    await hosts.b.use.agent_add({ name: "box" });
    const sent = await hosts.a.sendAs(hosts.alice, "agent/box@b", "hello");
    await hosts.cluster.advance();
    return { ...hosts, sent };
  };

  it("of what waits there are asked for, too, without a restart", async () => {
    const { cluster, a, b, sent } = await waitsThere();
    cluster.hub.swallow(1);
    await taken(b, "box");
    await cluster.advance(60_000);
    expect(a.state(sent)).toBe("delivering");
    await cluster.advance(3 * HOUR_MS);
    expect(a.state(sent)).toBe("delivered");
  });

  it("and of what is on its way at once, if the engine was away", async () => {
    const { cluster, a, b, sent } = await waitsThere();
    cluster.hub.cutOff("a");
    await taken(b, "box");
    await cluster.advance();
    cluster.hub.wipe("a");
    cluster.hub.rejoin("a");
    await cluster.advance(20_000);
    expect(a.state(sent)).toBe("delivered");
  });

  it("are asked for soon after a start, if they are older than that", async () => {
    const { cluster, a, sent, acknowledge } = await takenThere();
    a.crash();
    await acknowledge();
    await cluster.advance(2 * HOUR_MS);
    cluster.hub.wipe("a");
    await a.open();
    await cluster.advance(300_000);
    expect(a.state(sent)).toBe("read");
  });
});

describe("a host that has forgotten a message", () => {
  const forgotten = async () => {
    const hosts = await takenThere();
    const { cluster, b } = hosts;
    cluster.hub.cutOff("a");
    await hosts.acknowledge();
    await cluster.advance();
    await b.store.write((tx) => tx.forgetFinishedBefore(cluster.clock.now() + 1, 100));
    expect(b.byBody("hello")).toEqual([]);
    cluster.hub.wipe("a");
    cluster.hub.rejoin("a");
    return hosts;
  };

  it("says what became of it, and that no more will be heard of it", async () => {
    const hosts = await forgotten();
    const { cluster, a, b, sent, letter } = hosts;
    await cluster.advance(3 * HOUR_MS);
    expect(a.state(sent)).toBe("read");
    expect(letter()).toMatchObject({ isOver: true });
    expect(await bagsWithin(hosts, DAY_MS)).toBe(0);
    expect(b.byBody("hello")).toEqual([]);
  });

  it("and that it had it knows nothing of it: what was delivered does not go again, and is not asked for", async () => {
    const hosts = await takenThere();
    const { cluster, a, b, sent, id, letter } = hosts;
    await b.store.write((tx) => {
      tx.forgetFinishedBefore(cluster.clock.now() + 1, 100);
      tx.forgetFinishedBefore(cluster.clock.now() + 40 * DAY_MS, 100);
    });
    expect(b.store.read.takenLetter("a", id)).toBeUndefined();
    await cluster.advance(3 * HOUR_MS);
    expect(a.state(sent)).toBe("delivered");
    expect(letter()).toMatchObject({ isOver: true, attempts: 1 });
    expect(b.byBody("hello")).toEqual([]);
    expect(await bagsWithin(hosts, DAY_MS)).toBe(0);
  });
});
