/** A daemon that stops while NATS accepts what it is asked, and answers nothing. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { aliceAndBob, type HostDesk } from "../../../../tests/desk/host-desks.ts";
import { MemoryEngine } from "../../../../tests/desk/memory-engine.ts";

/** A daemon has 2.5 s for all of its office. */
const ENDS_WITHIN_MS = 1_000;

async function stops(desk: HostDesk): Promise<number> {
  const beganAt = desk.clock.monotonic();
  await desk.done(desk.office.close());
  return desk.clock.monotonic() - beganAt;
}

describe("a goodbye that nobody answers", () => {
  it("is over within a second", async () => {
    const { cluster, a } = await aliceAndBob();
    cluster.hub.isFrozen = true;
    expect(await stops(a)).toBeLessThanOrEqual(ENDS_WITHIN_MS);
  });

  it("is not begun while a bag is without an answer, which is cut off, and goes again later", async () => {
    const { cluster, a, alice, bob } = await aliceAndBob();
    cluster.hub.isFrozen = true;
    const sent = await a.sendAs(alice, "b:bob", "kept");
    await cluster.advance(100);
    expect(a.delivery(sent)).toMatchObject({ to: "host/b", state: "delivering" });
    expect(await stops(a)).toBeLessThanOrEqual(ENDS_WITHIN_MS);
    cluster.hub.isFrozen = false;
    await a.open();
    await cluster.advance(10_000);
    expect(a.delivery(sent)).toMatchObject({ state: "delivered" });
    expect(bob.program.submitted.filter((text) => text.includes("kept"))).toHaveLength(1);
  });

  it("takes no time from those who type: they have finished before", async () => {
    const { cluster, a, alice } = await aliceAndBob();
    cluster.hub.isFrozen = true;
    await a.sendAs(alice, "b:bob", "kept");
    await cluster.advance(100);
    const closing = a.office.close();
    await cluster.advance(600);
    const late = await a.send("alice", "nobody types this any more");
    await a.done(closing);
    expect(a.state(late)).toBe("queued");
  });
});

it("the engine is closed although the disk takes nothing any more: the next one would hear everything twice", async () => {
  const { cluster, a, alice } = await aliceAndBob();
  let answer = (): void => {};
  const stores = vi
    .spyOn(MemoryEngine.prototype, "store")
    .mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  const closes = vi.spyOn(MemoryEngine.prototype, "close");
  onTestFinished(() => [stores, closes].forEach((spy) => void spy.mockRestore()));
  await a.sendAs(alice, "b:bob", "kept");
  await cluster.advance(100);
  const writes = vi.spyOn(a.store, "write").mockRejectedValue(new Error("the disk is full"));
  const closing = a.office.closeCluster();
  await cluster.advance(100);
  answer();
  await expect(a.done(closing)).resolves.toBeUndefined();
  expect(closes).toHaveBeenCalledOnce();
  writes.mockRestore();
  a.expectFailures("cluster.not_stopped");
});
