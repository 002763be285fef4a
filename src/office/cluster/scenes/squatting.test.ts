import { describe, expect, it } from "vitest";
import { letter } from "../../../../tests/desk/forged-letters.ts";
import { openHosts } from "../../../../tests/desk/host-desks.ts";

/** Alice on `a` writes to Bob on `b`; `c`, which heard the same, is faster and sends Bob its own words under that id. */
async function squatted() {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b] = desks;
  const alice = a.agent("alice");
  const bob = b.agent("bob");
  await cluster.ready();
  cluster.hub.cutOff("a");
  const sent = await a.sendAs(alice, "b:bob", "the truth");
  const forged = letter({ id: sent.messageId, message: { from: "agent/mallory@c", body: "a lie" } });
  cluster.forges("c", "b", [forged]);
  await cluster.advance();
  cluster.hub.rejoin("a");
  await cluster.advance(10_000);
  return { cluster, a, b, alice, bob, sent };
}

describe("a host that sends something under the id of another host's message", () => {
  it("does not keep that message from coming: it gets an id of its own", async () => {
    const { a, b, bob, sent } = await squatted();
    expect(b.byBody("the truth")).toMatchObject([{ to: "agent/bob", state: "delivered" }]);
    expect(b.store.read.message(sent.messageId)).toMatchObject({ from: "agent/mallory@c", body: "a lie" });
    expect(a.state(sent)).toBe("delivered");
    expect(bob.program.submitted).toHaveLength(2);
    expect(b.store.read.takenLetter("a", a.delivery(sent).id)).not.toHaveProperty("refusal");
  });

  it("does not get its answer: both hosts know what was answered", async () => {
    const { cluster, a, b, alice, bob, sent } = await squatted();
    const answer = await b.sendAs(bob, "a:alice", "I see");
    expect(answer.replyTo).toBe(b.byBody("the truth")[0]?.messageId);
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("replied");
    expect(a.store.read.answerTo(sent.messageId)?.id).toBe(answer.messageId);
    const next = await a.sendAs(alice, "b:bob", "good");
    await cluster.advance(10_000);
    expect(b.store.read.message(next.messageId)?.replyTo).toBe(answer.messageId);
  });

  it("can be late as well: then its own gets another id", async () => {
    const { cluster, desks } = await openHosts("a", "b", "c");
    const [a, b] = desks;
    const alice = a.agent("alice");
    b.agent("bob");
    await cluster.ready();
    const sent = await a.sendAs(alice, "b:bob", "the truth");
    await cluster.advance();
    const forged = letter({ id: sent.messageId, message: { from: "agent/mallory@c", body: "a lie" } });
    cluster.forges("c", "b", [forged, forged]);
    await cluster.advance();
    expect(b.store.read.message(sent.messageId)?.body).toBe("the truth");
    expect(b.byBody("a lie")).toHaveLength(1);
  });
});
