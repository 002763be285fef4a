import { describe, expect, it } from "vitest";
import { aliceAndBob, type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";
import type { StoreReader } from "../../../ports/store.ts";

const claims = { user: "dev" } as const;

const hostsOf = async (desk: HostDesk) => (await desk.use.cluster_hosts({})).hosts;
const stateOn = async (desk: HostDesk, host: string) =>
  (await hostsOf(desk)).find((one) => one.host === host);

async function hosts() {
  const { cluster, desks } = await openHosts("a", "b");
  const [a, b] = desks;
  const configured = () => ({ host: "a", servers: [], stream: "", since: 0, hosts: a.admitted });
  a.clusterSetting = { ...a.clusterSetting, configured };
  await cluster.ready();
  return { cluster, a, b };
}

describe("while NATS cannot be reached", () => {
  it("a message for another host says so at once", async () => {
    const { cluster, a } = await aliceAndBob();
    cluster.hub.goDown();
    const { deliveries } = await a.use.send({ to: "b:bob", body: "hello", claims });
    const release = "when NATS can be reached: cannot reach nats://127.0.0.1:4222: connection refused";
    expect(deliveries).toMatchObject([{ state: "queued", hold: { reason: "offline", release } }]);
    cluster.hub.comeUp();
    await cluster.advance();
    expect(a.byBody("hello")).toMatchObject([{ state: "delivered" }]);
  });

  it("a message goes once it can, also if what went to others cannot be read then", async () => {
    const { cluster, a, alice } = await aliceAndBob();
    cluster.hub.goDown();
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance();
    a.admits("c");
    const { read } = a.store as { read: { sentLetters: StoreReader["sentLetters"] } };
    const before = read.sentLetters;
    read.sentLetters = () => {
      throw new Error("the database cannot be read");
    };
    cluster.hub.comeUp();
    read.sentLetters = before;
    await cluster.advance();
    expect(a.state(sent)).toBe("delivered");
    expect(a.warnings).toContain("cluster.letters_unread");
    a.expectFailures("cluster.dispatch_failed");
  });

  it("no other host is said to be up", async () => {
    const { cluster, a } = await hosts();
    expect(await stateOn(a, "b")).toMatchObject({ state: "up" });
    cluster.hub.goDown();
    expect(await stateOn(a, "b")).toMatchObject({ state: "silent" });
    cluster.hub.comeUp();
    await cluster.advance();
    expect(await stateOn(a, "b")).toMatchObject({ state: "up" });
  });
});

describe("a host that stops", () => {
  it("says goodbye: the others need not wait until they have not heard of it for long", async () => {
    const { a, b } = await hosts();
    await b.done(b.office.closeCluster());
    expect(await stateOn(a, "b")).toMatchObject({ state: "silent" });
  });

  it("knows afterwards when it last heard of the others", async () => {
    const { cluster, a, b } = await hosts();
    await cluster.advance(600_000);
    const before = (await stateOn(a, "b"))?.heardAt ?? 0;
    expect(cluster.clock.now() - before).toBeLessThan(60_000);
    await a.done(a.office.closeCluster());
    b.crash();
    await cluster.advance(200_000);
    await a.open();
    expect(await stateOn(a, "b")).toMatchObject({ state: "silent", heardAt: before });
  });
});
