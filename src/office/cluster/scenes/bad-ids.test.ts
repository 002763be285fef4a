import { expect, it } from "vitest";
import { FORGED_ID as ID, letter } from "../../../../tests/desk/forged-letters.ts";
import { openHosts } from "../../../../tests/desk/host-desks.ts";

const NEWS = { kind: "news", number: 1, state: "queued", taken: true };

/** Nothing that the store takes. */
it.each([
  ["an enquiry", { kind: "enquiry", deliveries: ["\0"] }],
  ["an enquiry for one more", { kind: "enquiry", deliveries: [`${ID}.1`, `${ID}\0.1`] }],
  ["news", { ...NEWS, delivery: "x\0.1" }],
  ["that one is missing", { kind: "missing", delivery: "x\0.1" }],
  ["that one is wanted back", { kind: "withdrawal", delivery: "x\0.1", because: "" }],
  ["a letter", letter({ delivery: "\0" })],
  ["the message of a letter", letter({ id: "\0" })],
  ["what a letter answers", letter({ message: { replyTo: "\0" } })],
  ["the letter before", letter({ after: { delivery: "x\0.1", attempt: 1 } })],
])("%s with a NUL in an id keeps nothing else from coming, whoever sends it", async (_, parcel) => {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b] = desks;
  const alice = a.agent("alice");
  const bob = b.agent("bob");
  await cluster.ready();
  b.admits("c", []);
  cluster.forges("c", "b", [parcel]);
  const sent = await a.sendAs(alice, "b:bob", "hello");
  await cluster.advance(3_000);
  expect(a.state(sent)).toBe("delivered");
  expect(bob.program.submitted).toHaveLength(1);
});
