import { describe, expect, it } from "vitest";
import { taken } from "../../../../tests/desk/broker-verbs.ts";
import { aliceAndBob, keyOf } from "../../../../tests/desk/host-desks.ts";
import { DEFAULT_HOST_RIGHTS } from "../../../core/cluster/admission.ts";

/** What was heard of is asked for now and then. */
const UNTIL_ASKED_MS = 3 * 3_600_000;

/** Alice wrote to a box on `b`, where it waits; `b` has told so several times. */
async function toldOften() {
  const hosts = await aliceAndBob();
  const { cluster, a, b, alice } = hosts;
  await b.use.agent_add({ name: "box" });
  const sent = await a.sendAs(alice, "agent/box@b", "hello");
  await cluster.advance();
  const { id } = a.delivery(sent);
  const first = b.store.read.takenLetter("a", id);
  if (first === undefined) throw new Error("it never came");
  for (let times = 0; times < 3; times += 1) {
    cluster.forges("a", "b", [{ kind: "enquiry", deliveries: [id] }]);
    await cluster.advance();
  }
  return { ...hosts, sent, id, first };
}

describe("a host whose home was restored from a copy", () => {
  it("is heeded, although it counts its news from where the copy was", async () => {
    const { cluster, a, b, sent, first } = await toldOften();
    b.crash();
    await b.store.write((tx) => tx.putTakenLetter(first));
    await b.open();
    expect(await taken(b, "box")).toEqual(["hello"]);
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("delivered");
  });

  it("whose clock is behind as well is asked at once, and heeded: it learns how far its news had come", async () => {
    const { cluster, a, b, sent, id, first } = await toldOften();
    b.crash();
    b.skewMs = -3_600_000;
    await b.store.write((tx) => tx.putTakenLetter(first));
    await b.open();
    expect(await taken(b, "box")).toEqual(["hello"]);
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("delivered");
    expect(a.store.read.sentLetter(id)).toMatchObject({ isOver: false });
    await b.done(b.use.ack({ id: sent.messageId, agent: "box", claims: { user: "dev" } }));
    await cluster.advance();
    expect(a.state(sent)).toBe("read");
  });

  it("whose clock stays behind is asked no more once it is heeded", async () => {
    const { cluster, b, first } = await toldOften();
    b.crash();
    b.skewMs = -3_600_000;
    await b.store.write((tx) => tx.putTakenLetter(first));
    await b.open();
    await taken(b, "box");
    await cluster.advance(10_000);
    const before = cluster.hub.stored;
    await cluster.advance(600_000);
    expect(cluster.hub.stored).toBe(before);
  });

  it("from before it took a letter is asked for it although it was heard of, and gets it", async () => {
    const { cluster, a, b, sent } = await toldOften();
    b.crash();
    const restored = await cluster.host("b");
    restored.admits("a");
    await restored.open();
    await restored.use.agent_add({ name: "box" });
    await cluster.advance(60_000);
    expect(a.delivery(sent).hold?.release).toMatch(/^b has it/u);
    await cluster.advance(UNTIL_ASKED_MS);
    expect(await taken(restored, "box")).toEqual(["hello"]);
    await cluster.advance();
    expect(a.state(sent)).toBe("delivered");
    // It may have been taken there before the copy was put back.
    expect(a.delivery(sent).possibleDuplicate).toBe(true);
    expect(restored.byBody("hello")).toMatchObject([{ possibleDuplicate: true }]);
  });

  it("or set up anew with another key gets what was not heard of marked, and nothing at most once", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "hello");
    const once = await a.sendAs(alice, "b:bob", "only once", { atMostOnce: true });
    await cluster.advance(1);
    cluster.hub.cutOff("a");
    bob.program.becomes({ busy: false });
    await cluster.advance(20_000);
    expect(bob.program.submitted.join()).toContain("hello");
    b.crash();
    const anew = await cluster.host("b-anew");
    anew.host = "b";
    const again = anew.agent("bob");
    anew.admits("a");
    await anew.open();
    a.expels("b");
    a.admits("b", DEFAULT_HOST_RIGHTS, keyOf("b-anew"));
    cluster.hub.rejoin("a");
    await cluster.advance(UNTIL_ASKED_MS);
    expect(a.delivery(sent).possibleDuplicate).toBe(true);
    expect(a.state(once)).toBe("failed");
    expect(again.program.submitted.join()).toContain("hello");
    expect(again.program.submitted.join()).not.toContain("only once");
  });

  it("from before it took a letter does not get it again if it was to go at most once", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "hello", { atMostOnce: true });
    await cluster.advance();
    cluster.hub.cutOff("a");
    bob.program.becomes({ busy: false });
    await cluster.advance(20_000);
    expect(bob.program.submitted).toHaveLength(1);
    b.crash();
    cluster.hub.wipe("a");
    const restored = await cluster.host("b");
    const again = restored.agent("bob");
    restored.admits("a");
    await restored.open();
    cluster.hub.rejoin("a");
    await cluster.advance(UNTIL_ASKED_MS);
    expect(again.program.submitted).toEqual([]);
    expect(a.state(sent)).toBe("failed");
    expect(a.lastNote(sent)).toBe("b may have had it and forgotten that, and it was to go at most once");
  });
});
