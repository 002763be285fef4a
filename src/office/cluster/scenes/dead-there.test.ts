import { describe, expect, it } from "vitest";
import { aliceAndBob, type HostDesk } from "../../../../tests/desk/host-desks.ts";

function limited(hops: number, desk: HostDesk): void {
  desk.settings = { ...desk.settings, loops: { ...desk.settings.loops, hops } };
}

/** Alice answers what Bob answered, on a host that stops agents sooner than hers. */
async function stoppedThere() {
  const hosts = await aliceAndBob();
  const { cluster, a, b, alice, bob } = hosts;
  limited(1, b);
  const report = await a.sendAs(alice, "b:bob", "report");
  await cluster.advance(10_000);
  const task = await b.sendAs(bob, "a:alice", "task", { re: report.messageId });
  await cluster.advance(70_000);
  return { ...hosts, task };
}

describe("a message that becomes a dead letter on the other host", () => {
  it("is known to have failed within a moment, and not only when its host asks", async () => {
    const { cluster, a, b, alice, task } = await stoppedThere();
    const sent = await a.sendAs(alice, "b:bob", "done", { re: task.messageId });
    await cluster.advance(5_000);
    expect(b.store.read.unmatchedReason(sent.messageId)).toContain("a loop");
    expect(a.state(sent)).toBe("failed");
    expect(a.lastNote(sent)).toContain("a loop");
  });

  it("is told to whoever wrote it, as at home", async () => {
    const { cluster, a, alice, task } = await stoppedThere();
    await a.sendAs(alice, "b:bob", "done", { re: task.messageId });
    await cluster.advance(20_000);
    expect(alice.program.submitted.at(-1)).toMatch(/Message to b:bob could not be delivered: on b: "a loop/u);
  });
});
