import { describe, expect, it } from "vitest";
import { aliceAndBob, type HostDesk } from "../../../../tests/desk/host-desks.ts";
import { LEASE_MS } from "../../../cluster/times.ts";

/** Another machine with b's key and name. */
async function withCopy() {
  const hosts = await aliceAndBob();
  const copy = await hosts.cluster.host("b");
  copy.admits("a");
  const bobToo = copy.agent("bob");
  const send = (body: string) => hosts.a.sendAs(hosts.alice, "b:bob", body, { priority: "idle" });
  return { ...hosts, copy, bobToo, send };
}

function numberOf(desk: HostDesk, host = desk.host): number {
  return desk.store.read.knownHosts().find((one) => one.host === host)?.number ?? 0;
}

/** As its disk is at this moment. */
async function copied(from: HostDesk, to: HostDesk): Promise<void> {
  const own = from.store.read.knownHosts().filter(({ host }) => host === from.host);
  await to.store.write((tx) => {
    for (const one of own) tx.putKnownHost(one);
  });
}

const allow = (...desks: readonly HostDesk[]): void => {
  for (const desk of desks) desk.warnings.length = 0;
};

describe("a copy of a host's home", () => {
  it("takes nothing while the other is there, and says why, also after a restart", async () => {
    const { cluster, b, copy, bob, bobToo, send } = await withCopy();
    await copy.ready();
    await cluster.advance(10_000);
    expect(copy.standing).toMatchObject({
      state: "down",
      reason: expect.stringContaining("another machine"),
    });
    await copy.open();
    await cluster.advance(10_000);
    expect(copy.standing?.state).toBe("down");
    expect(b.standing?.state).toBe("up");
    await send("for one of them");
    await cluster.advance(10_000);
    expect([bob.program.submitted.length, bobToo.program.submitted.length]).toEqual([1, 0]);
    allow(copy);
  });

  it("made just now has the name, and the other takes nothing any more", async () => {
    const { cluster, b, copy, bob, bobToo, send } = await withCopy();
    await copied(b, copy);
    await copy.ready();
    await cluster.advance(10_000);
    expect([b.standing?.state, copy.standing?.state]).toEqual(["down", "up"]);
    await b.done(b.use.agent_add({ name: "another" }));
    await cluster.advance(4 * LEASE_MS);
    expect([b.standing?.state, copy.standing?.state]).toEqual(["down", "up"]);
    await send("for one of them");
    await cluster.advance(10_000);
    expect([bob.program.submitted.length, bobToo.program.submitted.length]).toEqual([0, 1]);
    allow(b, copy);
  });

  it("goes on by itself when the other is gone, as after a backup was put back, and is heard", async () => {
    const { cluster, a, b, copy, bobToo, send } = await withCopy();
    const before = numberOf(a, "b");
    b.crash();
    copy.skewMs = -3_600_000;
    await copy.ready();
    await cluster.advance(10_000);
    expect(copy.standing?.state).toBe("down");
    await cluster.advance(LEASE_MS);
    expect(copy.standing?.state).toBe("up");
    expect(numberOf(a, "b")).toBeGreaterThan(before);
    const sent = await send("welcome back");
    await cluster.advance(10_000);
    expect(bobToo.program.submitted).toHaveLength(1);
    expect(a.state(sent)).toBe("delivered");
    allow(copy);
  });

  it("without what it counted by is silent if its clock had been ahead, until it is admitted anew", async () => {
    const { cluster, a, b, copy } = await withCopy();
    b.skewMs = 30 * 86_400_000;
    await b.done(b.use.agent_add({ name: "from-the-future" }));
    await cluster.advance(10_000);
    b.crash();
    await cluster.advance(4 * LEASE_MS);
    await copy.ready();
    await cluster.advance(4 * LEASE_MS);
    const stateOnA = async () =>
      (await a.done(a.use.ls({ all: true, allHosts: true }))).elsewhere?.find(({ host }) => host === "b")
        ?.hostState;
    expect(await stateOnA()).toBe("silent");
    expect(a.warnings.join()).toContain("cluster.announcement_older");
    a.expels("b");
    await cluster.advance(2 * LEASE_MS);
    a.admits("b");
    await cluster.advance(2 * LEASE_MS);
    expect(await stateOnA()).toBe("up");
    allow(a, copy);
  });
});
