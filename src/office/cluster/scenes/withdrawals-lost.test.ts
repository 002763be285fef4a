import { expect, it } from "vitest";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";

/** Until the other host is asked, and has answered. */
const UNTIL_ASKED_MS = 300_000;

it("a letter and its withdrawal that both came before their host was admitted end as cancelled", async () => {
  const { cluster, a, b, alice, bob } = await aliceAndBob();
  b.expels("a");
  const sent = await a.sendAs(alice, "b:bob", "never mind");
  await cluster.advance();
  await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
  await cluster.advance();
  b.admits("a");
  await cluster.advance(UNTIL_ASKED_MS);
  expect(a.state(sent)).toBe("cancelled");
  expect(a.lastNote(sent)).toBe('on b: "withdrawn before it came"');
  expect(bob.program.submitted).toEqual([]);
  b.warnings.length = 0;
});

it("a withdrawal that is lost is repeated: what waits there is not typed", async () => {
  const { cluster, a, alice, bob } = await aliceAndBob();
  bob.program.becomes({ busy: true });
  const sent = await a.sendAs(alice, "b:bob", "never mind");
  await cluster.advance();
  expect(a.delivery(sent).hold?.release).toMatch(/^b has it/u);
  const bags: string[] = [];
  a.onStep((step) => {
    if (step === "cluster.marked" && bags.push(step) === 1) cluster.hub.swallow();
  });
  await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
  await cluster.advance();
  expect([bags.length, a.state(sent)]).toEqual([1, "delivering"]);
  await cluster.advance(UNTIL_ASKED_MS);
  expect(a.state(sent)).toBe("cancelled");
  bob.program.becomes({ busy: false });
  await cluster.advance(30_000);
  expect(bob.program.submitted).toEqual([]);
});

it("that is so after a restart too, and for a letter of which nobody knows whether it left", async () => {
  const { cluster, a, b, alice, bob } = await aliceAndBob();
  cluster.hub.loseAnswers();
  b.expels("a");
  const sent = await a.sendAs(alice, "b:bob", "never mind");
  await cluster.advance(0);
  await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
  // NATS has the withdrawal, and nobody there reads it.
  await cluster.advance(60_000);
  expect(a.store.read.sentLetter(a.delivery(sent).id)?.askedBackAt).toBeGreaterThan(0);
  a.crash();
  b.admits("a");
  await a.ready();
  await cluster.advance(UNTIL_ASKED_MS);
  expect(a.state(sent)).toBe("cancelled");
  expect(bob.program.submitted).toEqual([]);
  a.warnings.length = 0;
  b.warnings.length = 0;
});

it("a host from which the right to send was taken hears that its letter never came, and asks no more", async () => {
  const { cluster, a, b, alice } = await aliceAndBob();
  cluster.hub.swallow();
  const sent = await a.sendAs(alice, "b:bob", "never mind");
  await cluster.advance();
  b.admits("a", ["hear"]);
  await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
  await cluster.advance();
  expect(a.state(sent)).toBe("cancelled");
  expect(a.lastNote(sent)).toBe('on b: "withdrawn before it came"');
  const before = cluster.hub.stored;
  await cluster.advance(UNTIL_ASKED_MS);
  expect(cluster.hub.stored).toBe(before);
});
