import { describe, expect, it } from "vitest";
import { aliceAndBob, type HostDesk } from "../../../../tests/desk/host-desks.ts";

/** Alice writes to a box on `b`, one text after the other. */
async function aliceAndBox() {
  const hosts = await aliceAndBob();
  const { cluster, a, b, alice } = hosts;
  await b.use.agent_add({ name: "box" });
  await cluster.advance();
  const send = (body: string) => a.sendAs(alice, "agent/box@b", body);
  return { ...hosts, send };
}

/** What came, in the order in which it was taken. */
function came(b: HostDesk): readonly string[] {
  return b.store.read.itemsAfter(undefined, 0, 10_000).map(({ message }) => message.body);
}

/** Far less than until somebody asks what became of a letter. */
const SOON_MS = 10_000;

describe("the order of letters", () => {
  it("holds although the first came before its host was admitted", async () => {
    const { cluster, a, b, send } = await aliceAndBox();
    b.expels("a");
    await send("one");
    await cluster.advance();
    b.admits("a");
    await send("two");
    await cluster.advance(SOON_MS);
    await send("three");
    await cluster.advance(SOON_MS);
    expect(came(b)).toEqual(["one", "two", "three"]);
    expect(b.warnings).toEqual(["cluster.stranger"]);
    expect(a.warnings).toEqual([]);
    b.warnings.length = 0;
  });

  it("holds although the engine forgot all that it had stored, and that is not sent piece by piece", async () => {
    const { cluster, b, send } = await aliceAndBox();
    b.crash();
    const bodies = Array.from({ length: 250 }, (_, at) => `number ${at}`);
    for (const body of bodies) {
      await send(body);
      await cluster.advance(1);
    }
    await cluster.advance();
    cluster.hub.wipe("b");
    await b.open();
    await cluster.advance();
    const before = cluster.hub.stored;
    await send("and one more");
    await cluster.advance(SOON_MS);
    expect(came(b)).toEqual([...bodies, "and one more"]);
    expect(cluster.hub.stored - before).toBeLessThan(20);
  });

  it("holds although one of several bags is lost, and nothing was heard of the one before", async () => {
    const { cluster, a, b, send } = await aliceAndBox();
    cluster.hub.delayMs = 1_000;
    await send("one");
    await cluster.advance(100);
    cluster.hub.swallow();
    await send("two");
    await cluster.advance(100);
    await send("three");
    await cluster.advance(100);
    const { id } = a.byBody("two")[0] ?? { id: "" };
    expect(a.store.read.sentLetter(id)).toMatchObject({ heeded: -1, storedAt: expect.any(Number) });
    await cluster.advance(2 * SOON_MS);
    expect(came(b)).toEqual(["one", "two", "three"]);
  });

  it("holds for what is on its way while the others go back, and nobody need ask for it", async () => {
    const { cluster, a, b, send } = await aliceAndBox();
    cluster.hub.swallow();
    const one = await send("one");
    await cluster.advance(100);
    const missing = { kind: "missing", delivery: a.delivery(one).id, attempt: 1 };
    const marked: string[] = [];
    a.onStep((step) => {
      if (step === "cluster.marked" && marked.push(step) === 1) cluster.forges("b", "a", [missing]);
    });
    await send("two");
    await cluster.advance(SOON_MS);
    expect(came(b)).toEqual(["one", "two"]);
  });

  it("does not wait for what was cancelled meanwhile", async () => {
    const { cluster, a, b, send } = await aliceAndBox();
    cluster.hub.swallow();
    const one = await send("one");
    await cluster.advance(100);
    cluster.hub.swallow();
    await a.done(a.use.queue_change({ id: one.messageId, change: "cancel" }));
    await cluster.advance(100);
    await send("two");
    await cluster.advance(SOON_MS);
    expect(came(b)).toEqual(["two"]);
  });

  it("a host that says of everything that it never came is not sent the same for ever", async () => {
    const { cluster, a, b, alice } = await aliceAndBox();
    b.crash();
    const sent = await a.sendAs(alice, "agent/box@b", "one");
    await cluster.advance();
    const before = cluster.hub.stored;
    for (let attempt = 1; attempt < 50; attempt += 1) {
      cluster.forges("b", "a", [{ kind: "missing", delivery: a.delivery(sent).id, attempt }]);
      await cluster.advance();
    }
    expect(cluster.hub.stored - before - 49).toBeLessThan(10);
  });
});
