import { describe, expect, it } from "vitest";
import { post } from "../../../../tests/contract/store-samples.ts";
import { emptyStore } from "../../../../tests/desk/empty-store.ts";
import type { DeliveryId } from "../../../core/message.ts";
import type { SentLetter } from "../../../ports/cluster-store.ts";
import type { StoreWriter } from "../../../ports/store.ts";
import type { Telling } from "../taking/telling.ts";
import { wasAskedBack } from "../withdrawing.ts";
import { choose, hasLetters, MOST_LETTERS } from "./choosing.ts";

const NOW = 1_000_000;
const WAY = { from: "a", to: "b" };
const MANY = 1_200;
const WANTED = { storedAt: NOW, withdrawn: "by hand", withdrawnAt: NOW };
const telling = { news: () => [] } as unknown as Telling;

function away(tx: StoreWriter, letter: Partial<SentLetter> = {}): DeliveryId {
  const { deliveryId } = post(tx, { delivery: { to: "host/b", state: "delivering" } });
  const sent = { host: "b", sentAt: NOW, attempts: 1, heeded: -1, isOver: false };
  tx.putSentLetter({ ...sent, delivery: deliveryId, ...letter });
  return deliveryId;
}

function several(count: number, one: () => DeliveryId): readonly DeliveryId[] {
  return Array.from({ length: count }, one);
}

function chosen(tx: StoreWriter, enquiries: readonly DeliveryId[] = []) {
  return choose(tx, telling, WAY, { owed: [], missing: [], enquiries }, NOW, {
    failures: 0,
    mostNew: MOST_LETTERS,
  });
}

describe("what goes into the next bag", () => {
  it("is what is wanted back and was not asked for, and reads nothing of what was", async () => {
    const store = await emptyStore();
    const wanted = await store.write((tx) => several(MANY, () => away(tx, WANTED)));
    const asked = wanted.slice(0, MANY - 150);
    await store.write((tx) => wasAskedBack(tx, asked, NOW));
    expect(hasLetters(store.read, "b")).toBe(true);
    const read = new Set<DeliveryId>();
    const { withdrawals } = await store.write((tx) => {
      const findDelivery: StoreWriter["findDelivery"] = (id) => {
        read.add(id);
        return tx.findDelivery(id);
      };
      return chosen({ ...tx, findDelivery });
    });
    expect(withdrawals).toEqual(wanted.slice(MANY - 150, MANY - 50));
    expect(read).toEqual(new Set(withdrawals));
    await store.write((tx) => wasAskedBack(tx, wanted, NOW));
    expect(hasLetters(store.read, "b")).toBe(false);
  });

  it("is what is wanted back once more, if nothing is heard of it", async () => {
    const store = await emptyStore();
    const wanted = await store.write((tx) => several(2, () => away(tx, { ...WANTED, askedBackAt: NOW })));
    const { withdrawals } = await store.write((tx) => chosen(tx, wanted.slice(1)));
    expect(withdrawals).toEqual(wanted.slice(1));
  });

  it("is nothing that is wanted back and was delivered first, and that is looked at once", async () => {
    const store = await emptyStore();
    await store.write((tx) =>
      several(MANY, () => {
        const delivery = away(tx, WANTED);
        tx.moveDelivery(delivery, { at: NOW, state: "delivered" });
        return delivery;
      }),
    );
    const last = await store.write((tx) => away(tx, WANTED));
    const { withdrawals } = await store.write((tx) => chosen(tx));
    expect(withdrawals).toEqual([last]);
    expect(store.read.lettersToAskBack("b", 9).map(({ delivery }) => delivery)).toEqual([last]);
  });

  it("is what may not have arrived, however much before it is wanted back, and nothing newer", async () => {
    const store = await emptyStore();
    await store.write((tx) =>
      several(MANY, () => away(tx, { withdrawn: "by hand", withdrawnAt: NOW, askedBackAt: NOW })),
    );
    const first = await store.write((tx) => away(tx));
    await store.write((tx) => post(tx, { delivery: { to: "host/b" } }));
    const { letters } = await store.write((tx) => chosen(tx));
    expect(letters).toEqual([first]);
  });

  it("is read, and no more of what may not have arrived", async () => {
    const store = await emptyStore();
    const unstored = await store.write((tx) => several(3 * MOST_LETTERS, () => away(tx)));
    let bodies = 0;
    const { letters } = await store.write((tx) => {
      bodies = 0;
      const message: StoreWriter["message"] = (id) => {
        bodies += 1;
        return tx.message(id);
      };
      return chosen({ ...tx, message });
    });
    expect(letters).toEqual(unstored.slice(0, MOST_LETTERS));
    expect(bodies).toBeLessThanOrEqual(MOST_LETTERS);
  });

  it("passes over what was settled meanwhile, and what may go only once, and keeps the order", async () => {
    const store = await emptyStore();
    const settled = await store.write((tx) =>
      several(2 * MOST_LETTERS, () => {
        const { deliveryId } = post(tx, {
          delivery: { to: "host/b", state: "delivering", atMostOnce: true },
        });
        const sent = { host: "b", attempts: 1, heeded: -1, isOver: false };
        tx.putSentLetter({ ...sent, delivery: deliveryId, sentAt: NOW - 365 * 86_400_000 });
        return deliveryId;
      }),
    );
    const first = await store.write((tx) => away(tx));
    await store.write((tx) => post(tx, { delivery: { to: "host/b" } }));
    const { letters, messages } = await store.write((tx) => chosen(tx));
    expect(letters).toEqual([first]);
    expect(messages).toHaveLength(settled.length);
  });
});
