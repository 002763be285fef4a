import { describe, expect, it } from "vitest";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";

describe("while the cluster is opened anew", () => {
  it("names stay known, and what is sent waits and says why; then it goes", async () => {
    const { cluster, a, alice, bob } = await aliceAndBob();
    await a.done(a.office.closeCluster());
    const sent = [];
    for (const to of ["b:bob", "bob", "agent/bob@b"]) sent.push(await a.sendAs(alice, to, `to ${to}`));
    await cluster.advance(0);
    for (const one of sent) {
      expect(one).toMatchObject({ unmatched: false, deliveries: [{ to: "host/b", state: "queued" }] });
      expect(a.delivery(one)).toMatchObject({
        ...{ state: "queued", hold: { reason: "offline", release: "when the cluster is open again" } },
      });
    }
    await a.join();
    await cluster.advance(10_000);
    for (const one of sent) expect(a.delivery(one)).toMatchObject({ state: "delivered" });
    expect(bob.program.submitted.join("\n").match(/to (?:b:bob|bob|agent\/bob@b)/gu)).toHaveLength(3);
  });

  it("also for as long as a bag under way takes", async () => {
    const { cluster, a, alice } = await aliceAndBob();
    cluster.hub.loseAnswers();
    const first = await a.sendAs(alice, "b:bob", "first");
    await cluster.advance(1_000);
    let isClosed = false;
    const closing = a.office.closeCluster().then(() => {
      isClosed = true;
    });
    const sent = await a.sendAs(alice, "b:bob", "meanwhile");
    await cluster.advance(0);
    expect(isClosed).toBe(false);
    expect(a.delivery(sent)).toMatchObject({ to: "host/b", state: "queued", hold: { reason: "offline" } });
    await cluster.advance(10_000);
    await closing;
    await a.join();
    await cluster.advance(10_000);
    expect([a.state(first), a.state(sent)]).toEqual(["delivered", "delivered"]);
    a.warnings.length = 0;
  });

  it("a path that is heard there goes there", async () => {
    const { cluster, a, b } = await aliceAndBob();
    const claims = { user: "dev" };
    await b.done(b.use.sub_add({ agent: "bob", pattern: "builds/**", claims }));
    await cluster.advance();
    await a.done(a.office.closeCluster());
    const sent = await a.send("builds/api", "green");
    expect(sent).toMatchObject({ unmatched: false, deliveries: [{ to: "host/b" }] });
  });

  it("who was expelled meanwhile is a stranger, and who left knows nobody", async () => {
    const { a, alice } = await aliceAndBob();
    await a.done(a.office.closeCluster());
    a.expels("b");
    await expect(a.sendAs(alice, "b:bob", "still there?")).rejects.toMatchObject({
      ...{ code: "host.unknown", message: 'The host "b" is not admitted here.' },
    });
    await a.done(a.office.leaveCluster());
    await expect(a.sendAs(alice, "b:bob", "still there?")).rejects.toMatchObject({
      message: 'There is no host "b": this Bellhop is in no cluster.',
    });
  });

  it("what comes is held with the words that were last given", async () => {
    const { cluster, a, alice } = await aliceAndBob();
    await a.done(a.office.closeCluster());
    await a.done(a.office.awaitCluster("when the cluster can be opened: no key"));
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance(0);
    expect(a.delivery(sent).hold?.release).toBe("when the cluster can be opened: no key");
  });
});
