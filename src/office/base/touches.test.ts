import { expect, it, onTestFinished } from "vitest";
import { post } from "../../../tests/contract/store-samples.ts";
import { emptyStore } from "../../../tests/desk/empty-store.ts";
import type { Address, MessageId } from "../../core/message.ts";
import type { Store } from "../../ports/store.ts";
import { Touches } from "./touches.ts";

async function followed() {
  const touches = new Touches(await emptyStore());
  onTestFinished(() => touches.store.close());
  const told: { readonly touched: readonly Address[]; readonly messages: readonly MessageId[] }[] = [];
  const leave = touches.follow((touched, { messages }) => {
    told.push({ touched: [...touched], messages: [...messages] });
  });
  return { store: touches.store, told, leave };
}

/** The store rehearses every change, so the message is the same one both times. */
const posted = (store: Store) =>
  store.write((tx) => post(tx, { message: { id: "one", shortId: "aaaaaa" } }).deliveryId);

it("tells which messages changed, after the commit, until nobody follows", async () => {
  const { store, told, leave } = await followed();
  const deliveryId = await posted(store);
  expect(told).toEqual([{ touched: ["agent/reader"], messages: ["one"] }]);
  leave();
  await store.write((tx) => tx.updateDelivery(deliveryId, { attempts: 1 }));
  expect(told).toHaveLength(1);
});

it("tells which messages became dead letters, or are none any more: they have no delivery", async () => {
  const { store, told } = await followed();
  await posted(store);
  await store.write((tx) => tx.insertUnmatched("one", 1, "nobody hears it"));
  await store.write((tx) => tx.removeUnmatched("one"));
  const dead = { touched: [], messages: ["one"] };
  expect(told.slice(1)).toEqual([dead, dead]);
});

it("tells nothing of a change that was undone", async () => {
  const { store, told } = await followed();
  const undone = store.write((tx) => {
    post(tx);
    throw new Error("no");
  });
  await expect(undone).rejects.toThrow("no");
  expect(told).toEqual([]);
});

it("writes the letters between hosts too, which touch nobody by themselves", async () => {
  const { store, told } = await followed();
  const deliveryId = await posted(store);
  const sent = { delivery: deliveryId, host: "laptop", sentAt: 1, attempts: 1, heeded: -1, isOver: false };
  const taken = { host: "laptop", delivery: "m.1", takenAt: 1, messageId: "m", told: 0, isOver: false };
  await store.write((tx) => {
    tx.putSentLetter(sent);
    tx.putTakenLetter(taken);
    tx.putKnownHost({ host: "laptop", heardAt: 1, number: 1, announcement: "{}" });
  });
  expect(store.read.sentLetter(deliveryId)).toEqual(sent);
  expect(store.read.takenAs("m")).toEqual(taken);
  expect(store.read.knownHosts().map(({ host }) => host)).toEqual(["laptop"]);
  expect(told.at(-1)).toEqual({ touched: [], messages: [] });
});
