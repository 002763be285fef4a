import { describe, expect, it } from "vitest";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";

const DAY_MS = 86_400_000;
const UNTIL_ASKED_MS = 300_000;

/** Stored, never taken, and so old that its host may have forgotten that it took it. */
async function forgottenLetter(options: { readonly atMostOnce?: true } = {}) {
  const hosts = await aliceAndBob();
  const { cluster, a, b, alice } = hosts;
  b.crash();
  const sent = await a.sendAs(alice, "b:bob", "hello", options);
  await cluster.advance();
  cluster.hub.wipe("b");
  const letter = a.store.read.sentLetter(a.delivery(sent).id);
  if (letter === undefined) throw new Error("it was not sent");
  await a.store.write((tx) => tx.putSentLetter({ ...letter, sentAt: letter.sentAt - 31 * DAY_MS }));
  await b.ready();
  await cluster.advance(UNTIL_ASKED_MS);
  return { ...hosts, sent };
}

describe("what may come twice", () => {
  it("is marked on the other host too", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    cluster.hub.goDown();
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await a.store.write((tx) => tx.updateDelivery(a.delivery(sent).id, { possibleDuplicate: true }));
    cluster.hub.comeUp();
    await cluster.advance();
    expect(b.byBody("hello")).toMatchObject([{ state: "delivered", possibleDuplicate: true }]);
    expect(bob.program.submitted).toEqual([expect.stringMatching(/duplicate.*hello/su)]);
  });

  it("goes again with that mark, if the other host may have forgotten that it had it", async () => {
    const { a, b, sent } = await forgottenLetter();
    expect(b.byBody("hello")).toMatchObject([{ state: "delivered", possibleDuplicate: true }]);
    expect(a.delivery(sent)).toMatchObject({ state: "delivered", possibleDuplicate: true });
  });

  it("does not go again if it was to go at most once", async () => {
    const { a, b, bob, sent } = await forgottenLetter({ atMostOnce: true });
    expect(a.state(sent)).toBe("failed");
    expect(a.lastNote(sent)).toBe("b may have had it and forgotten that, and it was to go at most once");
    expect(b.byBody("hello")).toEqual([]);
    expect(bob.program.submitted).toEqual([]);
  });
});

it("a host that has forgotten a message says what became of it, and no more", async () => {
  const { cluster, a, b, alice, bob } = await aliceAndBob();
  bob.program.becomes({ busy: true });
  const sent = await a.sendAs(alice, "b:bob", "hello");
  await cluster.advance();
  a.crash();
  bob.program.becomes({ busy: false });
  await cluster.advance(10_000);
  expect(b.byBody("hello")).toMatchObject([{ state: "delivered" }]);
  cluster.hub.wipe("a");
  await b.store.write((tx) => tx.forgetFinishedBefore(cluster.clock.now() + DAY_MS, 100));
  expect(b.byBody("hello")).toEqual([]);
  await a.open();
  await cluster.advance(UNTIL_ASKED_MS);
  expect(a.state(sent)).toBe("delivered");
  expect(a.lastNote(sent)).toBe('on b: "no more is known of it there"');
  expect(bob.program.submitted).toHaveLength(1);
});
