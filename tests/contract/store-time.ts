import { describe, expect, it } from "vitest";
import { DELIVERY_STATES } from "../../src/core/message.ts";
import type { Store, StoreWriter, Timer } from "../../src/ports/store.ts";
import { aFollowUp, aReceipt, aReminder, post } from "./store-samples.ts";
import { type OpenStore, storeStage } from "./store-stage.ts";

/** The store's contract for timed events. */
export function storeTimeContract(name: string, open: OpenStore): void {
  describe(`${name} as a store of time`, () => {
    const stage = storeStage(open);

    const put = (...timers: readonly Timer[]) =>
      stage.store.write((tx) => {
        for (const timer of timers) tx.putTimer(timer);
      });

    const timeoutOf = (id: string) => stage.store.read.findDelivery(id)?.timeoutAt;
    const dueOf = (id: string) => stage.store.read.timer(id)?.dueAt;

    describe("what is owed", () => {
      it("stands on the delivery as it was asked for, until it is taken away", async () => {
        const both = { onDelivery: true, afterMs: 300_000 };
        const [first, second, third] = await stage.store.write((tx) => [
          post(tx, { delivery: { owes: both } }),
          post(tx, { delivery: { owes: { onDelivery: false, afterMs: 0 } } }),
          post(tx, { delivery: { owes: { onDelivery: true } } }),
        ]);
        await stage.reopen();
        const owes = (one: typeof first) => stage.store.read.findDelivery(one?.deliveryId ?? "")?.owes;
        expect([first, second, third].map(owes)).toEqual([
          both,
          { onDelivery: false, afterMs: 0 },
          { onDelivery: true },
        ]);
        await stage.store.write((tx) => tx.updateDelivery(first?.deliveryId ?? "", { hold: null }));
        expect(owes(first)).toEqual(both);
        const told = await stage.store.write((tx) =>
          tx.updateDelivery(first?.deliveryId ?? "", { owes: null }),
        );
        expect(told).not.toHaveProperty("owes");
        expect(owes(second)).toEqual({ onDelivery: false, afterMs: 0 });
      });

      it("is listed once its delivery has come to an end, whichever, the oldest first", async () => {
        const ids = await stage.store.write((tx) =>
          DELIVERY_STATES.map(
            (state) => post(tx, { delivery: { state, owes: { onDelivery: true } } }).deliveryId,
          ),
        );
        await stage.store.write((tx) => post(tx, { delivery: { state: "delivered" } }));
        const listed = (limit: number) => stage.store.read.owing(limit).map(({ delivery }) => delivery.id);
        const open = ["queued", "delivering", "unconfirmed"];
        const ended = ids.filter((_, at) => !open.includes(DELIVERY_STATES[at] ?? ""));
        expect(listed(100)).toEqual(ended);
        expect(listed(2)).toEqual(ended.slice(0, 2));
        expect(stage.store.read.owing(1)[0]?.message).toEqual(
          stage.store.read.message(stage.store.read.owing(1)[0]?.delivery.messageId ?? ""),
        );
        await stage.store.write((tx) => {
          for (const id of ended) tx.updateDelivery(id, { owes: null });
        });
        expect(listed(100)).toEqual([]);
        const late = ids[DELIVERY_STATES.indexOf("unconfirmed")] ?? "";
        await stage.store.write((tx) => tx.moveDelivery(late, aReceipt({ state: "delivered" })));
        expect(listed(100)).toEqual([late]);
      });
    });

    describe("what expires", () => {
      it("is the earliest of what is queued", async () => {
        expect(stage.store.read.nextExpiry()).toBeUndefined();
        const [first] = await stage.store.write((tx) => [
          post(tx, { delivery: { timeoutAt: 50 } }),
          post(tx, { delivery: { timeoutAt: 70 } }),
          post(tx, { delivery: { timeoutAt: 10, state: "delivering" } }),
          post(tx, { delivery: { timeoutAt: 20, state: "expired" } }),
          post(tx),
        ]);
        expect(stage.store.read.nextExpiry()).toBe(50);
        await stage.store.write((tx) =>
          tx.moveDelivery(first?.deliveryId ?? "", aReceipt({ state: "delivering" })),
        );
        expect(stage.store.read.nextExpiry()).toBe(70);
        await stage.store.write((tx) =>
          tx.moveDelivery(first?.deliveryId ?? "", aReceipt({ state: "queued" })),
        );
        expect(stage.store.read.nextExpiry()).toBe(50);
      });

      it("is listed by its time, that moment included, and no more than asked for", async () => {
        const times = [30, 10, 20, 40];
        const ids = await stage.store.write((tx) =>
          times.map((timeoutAt) => post(tx, { delivery: { timeoutAt } }).deliveryId),
        );
        await stage.store.write((tx) => {
          post(tx);
          post(tx, { delivery: { timeoutAt: 1, state: "cancelled" } });
          post(tx, { delivery: { timeoutAt: 1, state: "delivering" } });
        });
        const listed = (by: number, limit = 100) =>
          stage.store.read.expiring(by, limit).map(({ delivery }) => times[ids.indexOf(delivery.id)]);
        expect(listed(9)).toEqual([]);
        expect(listed(30)).toEqual([10, 20, 30]);
        expect(listed(29)).toEqual([10, 20]);
        expect(listed(1_000, 2)).toEqual([10, 20]);
      });
    });

    describe("a clock that was set", () => {
      const some = (tx: StoreWriter, prefix: string) => {
        const letter = (state: "queued" | "delivering" | "expired" | "unconfirmed") =>
          post(tx, { delivery: { state, timeoutAt: 1_000 } }).deliveryId;
        const ids = [
          letter("queued"),
          letter("delivering"),
          letter("expired"),
          letter("unconfirmed"),
        ] as const;
        const never = post(tx).deliveryId;
        tx.putTimer(aReminder(`${prefix}-delay`, { dueAt: 1_000, counts: "elapsed" }));
        tx.putTimer(aReminder(`${prefix}-date`, { dueAt: 1_000, counts: "wall" }));
        tx.putTimer(aFollowUp(`${prefix}-follow-up`, { dueAt: 1_000 }));
        return { ids, never };
      };
      const shown = ({ ids, never }: ReturnType<typeof some>) => [...ids, never].map(timeoutOf);

      it.each([3_600_000, -3_600_000, 1, -900])(
        "moves delays that were set since the mark by %i, and no date",
        async (byMs) => {
          const before = await stage.store.write((tx) => some(tx, "before"));
          const mark = stage.store.read.deadlineMark();
          const after = await stage.store.write((tx) => some(tx, "after"));
          await stage.store.write((tx) => tx.shiftDeadlines(byMs, mark));
          expect(shown(before)).toEqual([1_000, 1_000, 1_000, 1_000, undefined]);
          // In progress: it may be queued again. A delivery that has ended keeps its deadline.
          expect(shown(after)).toEqual([1_000 + byMs, 1_000 + byMs, 1_000, 1_000, undefined]);
          expect(["delay", "date", "follow-up"].map((name) => dueOf(`before-${name}`))).toEqual([
            1_000, 1_000, 1_000,
          ]);
          expect(["delay", "date", "follow-up"].map((name) => dueOf(`after-${name}`))).toEqual([
            1_000 + byMs,
            1_000,
            1_000 + byMs,
          ]);
        },
      );

      it("moves everything since a mark in an empty store, and nothing for a mark after it", async () => {
        const first = stage.store.read.deadlineMark();
        const all = await stage.store.write((tx) => some(tx, "all"));
        await stage.store.write((tx) => tx.shiftDeadlines(500, stage.store.read.deadlineMark()));
        expect(shown(all)[0]).toBe(1_000);
        await stage.store.write((tx) => tx.shiftDeadlines(500, first));
        expect(shown(all)[0]).toBe(1_500);
        expect(dueOf("all-delay")).toBe(1_500);
      });

      it("takes a timer that was moved for what it is: set when it was first set; written anew, it is new", async () => {
        const timer = aReminder("one", { dueAt: 1_000, counts: "elapsed" });
        await put(timer);
        const mark = stage.store.read.deadlineMark();
        await put({ ...timer, dueAt: 2_000 });
        await stage.store.write((tx) => tx.shiftDeadlines(500, mark));
        expect(dueOf("one")).toBe(2_000);
        await stage.store.write((tx) => {
          tx.removeTimer("one");
          tx.putTimer({ ...timer, dueAt: 3_000 });
        });
        await stage.store.write((tx) => tx.shiftDeadlines(500, mark));
        expect(dueOf("one")).toBe(3_500);
      });

      it("never takes a new timer for one that was there before, though the newest went", async () => {
        await put(aReminder("first"), aReminder("second"));
        await stage.store.write((tx) => tx.removeTimer("second"));
        await stage.reopen();
        const mark = stage.store.read.deadlineMark();
        await put(aReminder("third", { dueAt: 1_000, counts: "elapsed" }));
        await stage.store.write((tx) => tx.shiftDeadlines(500, mark));
        expect(dueOf("third")).toBe(1_500);
      });
    });

    describe("retention", () => {
      it("keeps a message as long as something is to be said about it", async () => {
        const [one, two] = await stage.store.write((tx) =>
          ["one.md", "two.md"].map((file) =>
            post(tx, { message: { createdAt: 10, file }, delivery: { state: "read", queuedAt: 10 } }),
          ),
        );
        await put(
          aFollowUp("later", { work: { kind: "follow-up", deliveryId: one?.deliveryId ?? "", afterMs: 5 } }),
        );
        const forget = () => stage.store.write((tx) => tx.forgetFinishedBefore(1e6, 100));
        expect(await forget()).toEqual(["two.md"]);
        expect(stage.store.read.findDelivery(two?.deliveryId ?? "")).toBeUndefined();
        expect(stage.store.read.findDelivery(one?.deliveryId ?? "")).toBeDefined();
        await stage.store.write((tx) => tx.removeTimer("later"));
        expect(await forget()).toEqual(["one.md"]);
      });

      it("tells the messages apart whose ids begin alike", async () => {
        const messages = ["aaaa", "aaaa1", "aaa"].map((id) => ({ id, createdAt: 10, file: `${id}.md` }));
        await stage.store.write((tx) => {
          for (const message of messages) post(tx, { message, delivery: { state: "read", queuedAt: 10 } });
        });
        await put(aFollowUp("later", { work: { kind: "follow-up", deliveryId: "aaaa.1", afterMs: 5 } }));
        const gone = await stage.store.write((tx) => tx.forgetFinishedBefore(1e6, 100));
        expect(gone.toSorted()).toEqual(["aaa.md", "aaaa1.md"]);
      });
    });

    describe("history", () => {
      it("shows what was queued from one moment until before another, the newest first", async () => {
        await stage.store.write((tx) => {
          for (const queuedAt of [10, 20, 30, 40]) {
            const state = queuedAt === 20 ? "read" : "queued";
            const { deliveryId } = post(tx, {
              delivery: { queuedAt, state, to: queuedAt < 40 ? "agent/a" : "agent/b" },
            });
            tx.appendReceipt(deliveryId, aReceipt({ at: 99 }));
          }
        });
        const times = (filter: Parameters<Store["read"]["deliveries"]>[0]) =>
          stage.store.read.deliveries(filter).map(({ delivery }) => delivery.queuedAt);
        expect(times({ newestFirst: true })).toEqual([40, 30, 20, 10]);
        expect(times({ newestFirst: true, from: 20, until: 40 })).toEqual([30, 20]);
        expect(times({ from: 20 })).toEqual([20, 30, 40]);
        expect(times({ until: 20 })).toEqual([10]);
        expect(times({ newestFirst: true, limit: 2, until: 40 })).toEqual([30, 20]);
        expect(times({ newestFirst: true, mailboxes: ["agent/a"], from: 15 })).toEqual([30, 20]);
        expect(times({ states: ["read"], from: 15, until: 15 })).toEqual([]);
      });
    });
  });
}
