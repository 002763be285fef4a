import { describe, expect, it } from "vitest";
import { type HostDesk, keyOf, openHosts } from "../../../../tests/desk/host-desks.ts";

async function aliceAndBob() {
  const { cluster, desks } = await openHosts("a", "b");
  const [a, b] = desks;
  const configured = () => ({ host: "a", servers: [], stream: "", since: 0, hosts: a.admitted });
  a.clusterSetting = { ...a.clusterSetting, configured };
  const [alice, bob] = [a.agent("alice"), b.agent("bob")];
  await cluster.ready();
  return { cluster, a, b, alice, bob };
}

const releaseOf = (desk: HostDesk, sent: Parameters<HostDesk["delivery"]>[0]) =>
  desk.delivery(sent).hold?.release;
const shownOn = async (desk: HostDesk, host: string) =>
  (await desk.use.cluster_hosts({})).hosts.find((one) => one.host === host);

describe("a message to a host that does not admit this one", () => {
  it("says after a while that the other host says nothing, and so does the list of hosts", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    b.expels("a");
    const sent = await a.sendAs(alice, "b:bob", "hello?");
    await cluster.advance();
    expect(releaseOf(a, sent)).toBe("when b takes it: NATS has it");
    expect(await shownOn(a, "b")).not.toHaveProperty("doubt");
    await cluster.advance(45_000);
    expect(releaseOf(a, sent)).toBe(
      "when b takes it: NATS has it, and b has said nothing of it: does it admit this host? (on b: bellhop cluster hosts)",
    );
    expect(await shownOn(a, "b")).toMatchObject({
      state: "up",
      doubt: "it has said nothing of what went there: does it admit this host? (on b: bellhop cluster hosts)",
    });
    b.admits("a");
    await cluster.advance(300_000);
    expect(a.state(sent)).toBe("delivered");
    expect(bob.program.submitted).toHaveLength(1);
    expect(await shownOn(a, "b")).not.toHaveProperty("doubt");
  });

  it("says nothing of the kind while that host is away, nor when it has just come back", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    b.crash();
    const sent = await a.sendAs(alice, "b:bob", "good morning");
    await cluster.advance(300_000);
    expect(releaseOf(a, sent)).toBe("when b takes it: NATS has it");
    expect(await shownOn(a, "b")).not.toHaveProperty("doubt");
    await b.ready();
    await cluster.advance();
    expect(a.state(sent)).toBe("delivered");
  });

  it("names the key, if that host announces another one", async () => {
    const { cluster, a, alice } = await aliceAndBob();
    a.admits("b", ["send"], keyOf("another"));
    a.office.reconsider();
    expect(await shownOn(a, "b")).toMatchObject({
      state: "key-differs",
      doubt: expect.stringContaining("its key is not the one that is admitted here"),
    });
    const sent = await a.sendAs(alice, "b:bob", "hello?");
    await cluster.advance(45_000);
    expect(releaseOf(a, sent)).toBe(
      "when b can open it: its key is not the one that is admitted here (on b: bellhop cluster status)",
    );
    a.admits("b");
    expect(await shownOn(a, "b")).toMatchObject({ state: "up" });
  });

  it("waits here if what is admitted is no key at all", async () => {
    const { cluster, a, alice } = await aliceAndBob();
    a.admits("b", ["send"], "miscopied");
    a.office.reconsider();
    const sent = await a.sendAs(alice, "b:bob", "hello?");
    await cluster.advance();
    expect(a.delivery(sent)).toMatchObject({
      state: "queued",
      hold: {
        release:
          "when the right key of b is admitted: what is admitted is none (on b: bellhop cluster status)",
      },
    });
  });
});
