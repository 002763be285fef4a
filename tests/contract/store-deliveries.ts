import { describe, expect, it } from "vitest";
import { DELIVERY_STATES } from "../../src/core/message.ts";
import { mayFollow } from "../../src/core/transitions.ts";
import type { StoreWriter } from "../../src/ports/store.ts";
import { AN_ATTEMPT, aDelivery, aMessage, aReceipt, post } from "./store-samples.ts";
import type { StoreStage } from "./store-stage.ts";

const MOST_DELIVERIES = 65_535;

/** The store's contract for deliveries. */
export function storedDeliveries(stage: StoreStage): void {
  describe("deliveries", () => {
    it("numbers them in order of acceptance", async () => {
      const [first, second] = await Promise.all([
        stage.store.write((tx) => post(tx)),
        stage.store.write((tx) => post(tx)),
      ]);
      const [one, two] = [first, second].map(({ deliveryId }) => stage.store.read.findDelivery(deliveryId));
      expect(two?.sequence).toBeGreaterThan(one?.sequence ?? 0);
      expect(one).toMatchObject({ position: one?.sequence, attempts: 0, possibleDuplicate: false });
    });

    it("returns from an insert exactly what it reads later", async () => {
      const delivery = await stage.store.write((tx) => {
        const message = aMessage();
        tx.insertMessage(message);
        return tx.insertDelivery(
          aDelivery(message.id, {
            hold: { reason: "busy", since: 7, release: "when it is idle" },
            transport: "paste",
            evidence: "screen",
            require: "submitted",
            timeoutAt: 99,
            atMostOnce: true,
            anyWayIn: true,
            attempt: AN_ATTEMPT,
          }),
        );
      });
      await stage.reopen();
      expect(stage.store.read.findDelivery(delivery.id)).toEqual(delivery);
    });

    it("names them after their message, in order", async () => {
      const message = aMessage();
      const ids = await stage.store.write((tx) => {
        tx.insertMessage(message);
        return [1, 2].map(() => tx.insertDelivery(aDelivery(message.id)).id);
      });
      const later = await stage.store.write((tx) => {
        post(tx);
        return tx.insertDelivery(aDelivery(message.id)).id;
      });
      expect([...ids, later]).toEqual([1, 2, 3].map((place) => `${message.id}.${place}`));
      expect(stage.store.read.deliveriesOf(message.id).map(({ id }) => id)).toEqual([...ids, later]);
    });

    it("stores many of one message at once, plain ones and others, as it would one by one", async () => {
      const message = aMessage();
      const hold = { reason: "offline", since: 7, release: 'when "it" runs \\ again\n' } as const;
      const deliveries = Array.from({ length: 70 }, (_, index) => {
        const to = `agent/a${index}`;
        if (index === 3 || index === 40) return aDelivery(message.id, { to, hold, handledBy: ["00000001"] });
        if (index === 4) return aDelivery(message.id, { to, attempt: AN_ATTEMPT });
        return aDelivery(
          message.id,
          index > 60 ? { to, queuedAt: index } : index % 2 === 0 ? { to } : { to, hold },
        );
      });
      const stored = await stage.store.write((tx) => {
        tx.insertMessage(message);
        return [
          ...tx.insertDeliveries(deliveries),
          ...tx.insertDeliveries([]),
          tx.insertDelivery(aDelivery(message.id, { to: "agent/last" })),
        ];
      });
      expect(stored.map(({ to }) => to)).toEqual([...deliveries.map(({ to }) => to), "agent/last"]);
      expect(stored.slice(0, -1)).toMatchObject(deliveries);
      await stage.reopen();
      expect(stage.store.read.deliveriesOf(message.id)).toEqual(stored);
    });

    it("takes as many of one message as there are places, and no more", async () => {
      const message = aMessage();
      const made = await stage.store.write((tx) => {
        tx.insertMessage(message);
        for (let place = 1; place < MOST_DELIVERIES; place += 1) tx.insertDelivery(aDelivery(message.id));
        return tx.insertDelivery(aDelivery(message.id)).id;
      });
      expect(made).toBe(`${message.id}.${MOST_DELIVERIES}`);
      for (const before of [(_: StoreWriter) => {}, (tx: StoreWriter) => void post(tx)]) {
        const tooMany = stage.store.write((tx) => {
          before(tx);
          tx.insertDelivery(aDelivery(message.id));
        });
        await expect(tooMany).rejects.toMatchObject({ code: "store.failed" });
      }
      expect(stage.store.read.deliveriesOf(message.id)).toHaveLength(MOST_DELIVERIES);
    });

    it("accepts after everything that is still there, whatever was forgotten", async () => {
      const waiting = await stage.store.write((tx) => {
        const kept = post(tx);
        post(tx, { delivery: { state: "expired" } });
        return kept;
      });
      await stage.store.write((tx) => tx.forgetFinishedBefore(1e9, 10));
      await stage.reopen();
      const next = await stage.store.write((tx) => post(tx));
      const [first, second] = [waiting, next].map(({ deliveryId }) =>
        stage.store.read.findDelivery(deliveryId),
      );
      expect(second?.sequence).toBeGreaterThan(first?.sequence ?? Number.POSITIVE_INFINITY);
    });

    it("takes a body back with everything else when its message's delivery fails", async () => {
      const message = aMessage();
      const failed = stage.store.write((tx) => {
        tx.insertMessage(message);
        tx.insertDelivery(aDelivery(message.id, { timeoutAt: Number.NaN }));
      });
      await expect(failed).rejects.toMatchObject({ code: "request.malformed" });
      // What the store cached about the rolled-back message must not apply to the next message's deliveries.
      await stage.store.write((tx) => post(tx));
      await expect(stage.store.write((tx) => tx.insertDelivery(aDelivery(message.id)))).rejects.toMatchObject(
        {
          code: "message.unknown",
        },
      );
    });

    it("changes what a patch names, clears what it nulls, leaves the rest", async () => {
      const { deliveryId } = await stage.store.write((tx) => post(tx));
      const before = stage.store.read.findDelivery(deliveryId);
      const hold = { reason: "typing", since: 5, release: "when the line is empty" } as const;
      const held = await stage.store.write((tx) => tx.updateDelivery(deliveryId, { hold }));
      expect(held).toEqual({ ...before, hold });
      const under = await stage.store.write((tx) =>
        tx.moveDelivery(deliveryId, aReceipt({ state: "delivering" }), {
          hold: null,
          attempts: 1,
          attempt: AN_ATTEMPT,
          transport: "paste",
          position: 0.5,
          possibleDuplicate: true,
          release: "now",
        }),
      );
      expect(under).toEqual({
        ...before,
        state: "delivering",
        attempts: 1,
        attempt: AN_ATTEMPT,
        transport: "paste",
        position: 0.5,
        possibleDuplicate: true,
        release: "now",
      });
      const again = await stage.store.write((tx) =>
        tx.moveDelivery(deliveryId, aReceipt(), { attempt: null, transport: null, evidence: null }),
      );
      expect(again).not.toHaveProperty("attempt");
      expect(again).not.toHaveProperty("transport");
      expect(await stage.store.write((tx) => tx.updateDelivery(deliveryId, {}))).toEqual(again);
    });

    it("goes into another mailbox while it is queued, and keeps its place in the order", async () => {
      const [first = "", second = ""] = await stage.store.write((tx) =>
        ["agent/a", "agent/b"].map((to) => post(tx, { delivery: { to } }).deliveryId),
      );
      const before = stage.store.read.findDelivery(first);
      const moved = await stage.store.write((tx) => tx.readdressDelivery(first, "agent/b"));
      expect(moved).toEqual({ ...before, to: "agent/b" });
      const listed = stage.store.read.deliveries({ mailboxes: ["agent/b"], states: ["queued"] });
      expect(listed.map(({ delivery }) => delivery.id)).toEqual([first, second]);
      expect(stage.store.read.countQueued(["agent/a"])).toBe(0);
      await stage.store.write((tx) => tx.moveDelivery(first, aReceipt({ state: "delivering" })));
      const late = stage.store.write((tx) => tx.readdressDelivery(first, "host/box"));
      await expect(late).rejects.toMatchObject({ code: "delivery.moved_on" });
      expect(stage.store.read.findDelivery(first)?.to).toBe("agent/b");
    });

    it("moves into every state that may follow the one it is in, with the receipt that says so", async () => {
      for (const from of DELIVERY_STATES) {
        for (const to of DELIVERY_STATES.filter((state) => mayFollow(from, state))) {
          const { deliveryId } = await stage.store.write((tx) => post(tx, { delivery: { state: from } }));
          const before = stage.store.read.findDelivery(deliveryId);
          const receipt = aReceipt({ state: to, note: "so" });
          const moved = await stage.store.write((tx) =>
            tx.moveDelivery(deliveryId, receipt, { evidence: "screen" }),
          );
          expect(moved).toEqual({ ...before, state: to, evidence: "screen" });
          expect(stage.store.read.receiptsOf(deliveryId).slice(1)).toEqual([receipt]);
        }
      }
    });

    it("refuses every other state, and then changes nothing", async () => {
      for (const from of DELIVERY_STATES) {
        for (const to of DELIVERY_STATES.filter((state) => !mayFollow(from, state))) {
          const { deliveryId } = await stage.store.write((tx) => post(tx, { delivery: { state: from } }));
          const before = stage.store.read.findDelivery(deliveryId);
          const move = stage.store.write((tx) =>
            tx.moveDelivery(deliveryId, aReceipt({ state: to }), { evidence: "screen", hold: null }),
          );
          await expect(move).rejects.toMatchObject({ code: "delivery.moved_on" });
          expect(stage.store.read.findDelivery(deliveryId)).toEqual(before);
          expect(stage.store.read.receiptsOf(deliveryId)).toHaveLength(1);
        }
      }
    });

    it("knows no delivery that is not there", async () => {
      expect(stage.store.read.findDelivery("nobody")).toBeUndefined();
      for (const change of [
        () => stage.store.write((tx) => tx.updateDelivery("nobody", { hold: null })),
        () => stage.store.write((tx) => tx.moveDelivery("nobody", aReceipt({ state: "read" }))),
        () => stage.store.write((tx) => tx.appendReceipt("nobody", aReceipt())),
        () => stage.store.write((tx) => tx.insertDelivery(aDelivery("nobody"))),
      ]) {
        await expect(change()).rejects.toMatchObject({ code: "message.unknown" });
      }
    });

    it("lists the deliveries of a message and the receipts of a delivery in order", async () => {
      const message = aMessage();
      const ids = await stage.store.write((tx) => {
        tx.insertMessage(message);
        return ["agent/a", "agent/b"].map((to) => tx.insertDelivery(aDelivery(message.id, { to })).id);
      });
      const receipts = [
        aReceipt({ at: 4, state: "delivering", transport: "paste" }),
        aReceipt({ at: 5, note: "nothing was typed" }),
        aReceipt({ at: 4, state: "delivered", transport: "paste", evidence: "submitted", note: "late" }),
      ];
      await stage.store.write((tx) => {
        for (const receipt of receipts) tx.appendReceipt(ids[0] ?? "", receipt);
      });
      expect(stage.store.read.deliveriesOf(message.id).map(({ id }) => id)).toEqual(ids);
      const [first, second] = ids.map((id) => stage.store.read.findDelivery(id)?.queuedAt);
      expect(stage.store.read.receiptsOf(ids[0] ?? "")).toEqual([
        { at: first, state: "queued" },
        ...receipts,
      ]);
      expect(stage.store.read.receiptsOf(ids[1] ?? "")).toEqual([{ at: second, state: "queued" }]);
      expect(stage.store.read.receiptsOf("nobody")).toEqual([]);
      expect(stage.store.read.receiptsOf(`${message.id}.3`)).toEqual([]);
    });
  });
}
