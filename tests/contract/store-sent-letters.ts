import { describe, expect, it } from "vitest";
import type { QuietFilter, QuietLetter, SentFilter, SentLetter } from "../../src/ports/cluster-store.ts";
import type { StoreWriter } from "../../src/ports/store.ts";
import { aSentLetter } from "./store-letter-samples.ts";
import { aReceipt, post } from "./store-samples.ts";
import { type OpenStore, storeStage } from "./store-stage.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The store's contract for letters that go to other hosts. */
export function sentLettersContract(name: string, open: OpenStore): void {
  describe(`${name} as a store of letters to other hosts`, () => {
    const stage = storeStage(open);
    const write = <T>(work: (tx: StoreWriter) => T) => stage.store.write(work);
    const deliveries = (letters: readonly { readonly delivery: string }[]) =>
      letters.map(({ delivery }) => delivery);

    /** One after the other, of new deliveries; returns their ids. */
    const send = (...all: readonly Partial<SentLetter>[]) =>
      write((tx) =>
        all.map((told) => {
          const { deliveryId } = post(tx, { delivery: { to: `host/${told.host ?? "laptop"}` } });
          tx.putSentLetter(aSentLetter(deliveryId, told));
          return deliveryId;
        }),
      );

    describe("a letter that was sent", () => {
      it("comes back with every field, and is replaced as a whole", async () => {
        const full = {
          storedAt: 2_000,
          attempts: 3,
          heeded: 4,
          heardAt: 3_000,
          withdrawn: "no",
          askedBackAt: 4,
          isTaken: true,
          why: "withdrawn",
          followed: ["coder", "tester"],
        } as const;
        const [first = "", second = ""] = await send(full, { host: "box" });
        await stage.reopen();
        const { read } = stage.store;
        expect(read.sentLetter(first)).toEqual(aSentLetter(first, full));
        expect(read.sentLetter(second)).toEqual(aSentLetter(second, { host: "box" }));
        await write((tx) => tx.putSentLetter(aSentLetter(first, { isOver: true })));
        expect(stage.store.read.sentLetter(first)).toEqual(aSentLetter(first, { isOver: true }));
        expect(stage.store.read.sentLetter("nobody.1")).toBeUndefined();
        expect(stage.store.read.sentLetter("nobody")).toBeUndefined();
      });

      it("must be one of a delivery", async () => {
        await expect(write((tx) => tx.putSentLetter(aSentLetter("nobody.1")))).rejects.toMatchObject({
          code: "message.unknown",
        });
      });

      it("is undone with its write, and the others of that moment are not", async () => {
        const [one = "", other = ""] = await send({}, {});
        const bad = write((tx) => {
          tx.putSentLetter(aSentLetter(one, { storedAt: 2_000 }));
          throw new Error("no");
        });
        const good = write((tx) => tx.putSentLetter(aSentLetter(other, { storedAt: 2_000 })));
        await expect(bad).rejects.toThrow("no");
        await good;
        expect(deliveries(stage.store.read.sentLetters({ unstored: true, limit: 9 }))).toEqual([one]);
      });

      it("is listed until it is over, in the order of sending, whatever is updated", async () => {
        const ids = await write((tx) => [post(tx), post(tx), post(tx)].map(({ deliveryId }) => deliveryId));
        const order = ids.toReversed();
        await write((tx) => {
          for (const id of order) tx.putSentLetter(aSentLetter(id));
          tx.putSentLetter(aSentLetter(order[0] ?? "", { attempts: 2 }));
        });
        expect(deliveries(stage.store.read.sentLetters({ host: "laptop", limit: 9 }))).toEqual(order);
        await write((tx) => tx.putSentLetter(aSentLetter(order[1] ?? "", { isOver: true })));
        expect(deliveries(stage.store.read.sentLetters({ limit: 9 }))).toEqual([order[0], order[2]]);
        expect(stage.store.read.sentLetters({ host: "box", limit: 9 })).toEqual([]);
      });

      it("is found by what is to be done with it", async () => {
        const [unstored, stored, withdrawn, both, asked] = await send(
          {},
          { storedAt: 2_000 },
          { storedAt: 2_000, withdrawn: "" },
          { withdrawn: "no" },
          { withdrawn: "no", askedBackAt: 3_000 },
        );
        await send({ isOver: true, withdrawn: "no" }, { host: "box", withdrawn: "no" });
        const list = (filter: Omit<SentFilter, "limit">) =>
          deliveries(stage.store.read.sentLetters({ host: "laptop", limit: 9, ...filter }));
        expect(list({})).toEqual([unstored, stored, withdrawn, both, asked]);
        expect(list({ unstored: false })).toEqual([unstored, stored, withdrawn, both, asked]);
        expect(list({ unstored: true })).toEqual([unstored, both, asked]);
        expect(list({ unstored: true, notWithdrawn: true })).toEqual([unstored]);
        const { read } = stage.store;
        expect(deliveries(read.lettersToAskBack("laptop", 9))).toEqual([withdrawn, both]);
        expect(deliveries(read.lettersToAskBack("laptop", 1))).toEqual([withdrawn]);
      });

      it("is under way while its delivery is, and comes in pages", async () => {
        const sent = await write((tx) =>
          (["delivering", "delivered", "queued", "delivering", "delivering", "delivering"] as const).map(
            (state, at) => {
              const to = at === 4 ? "host/box" : "host/laptop";
              const priority = at === 0 ? "idle" : "interrupt";
              const { deliveryId } = post(tx, { delivery: { to, state, priority } });
              const host = at === 4 ? "box" : "laptop";
              tx.putSentLetter(aSentLetter(deliveryId, { host, isOver: at === 5 }));
              return deliveryId;
            },
          ),
        );
        const { read } = stage.store;
        const underWay = (limit: number, after?: string) =>
          deliveries(read.lettersUnderWay({ host: "laptop", limit, ...(after && { after }) }));
        const all = underWay(9);
        expect(new Set(all)).toEqual(new Set([sent[0], sent[3]]));
        expect(underWay(1)).toEqual(all.slice(0, 1));
        expect(underWay(9, all[0])).toEqual(all.slice(1));
        expect(underWay(9, all[1])).toEqual([]);
        expect(underWay(9, "nobody.1")).toEqual([]);
        expect(deliveries(read.lettersUnderWay({ host: "box", limit: 9 }))).toEqual([sent[4]]);
        expect(read.lettersUnderWay({ host: "nobody", limit: 9 })).toEqual([]);
      });

      it("is quiet when nothing was heard of it for as long as all before took, between an hour and a day", async () => {
        const storedAt = 2_000;
        const [hour, took, day, tie] = await send(
          { storedAt },
          { storedAt, heardAt: 1_000 + 2 * HOUR_MS },
          { storedAt, heardAt: 1_000 + 9 * DAY_MS },
          { storedAt, heardAt: 1_000 + 9 * DAY_MS },
          { heardAt: 5_000 },
          { storedAt, isOver: true },
          { storedAt, host: "box" },
        );
        const { read } = stage.store;
        const quiet = (by: number, told: Partial<QuietFilter> = {}) =>
          read.quietLetters({
            host: "laptop",
            since: 0,
            by,
            limit: 9,
            ...told,
          });
        expect(quiet(storedAt + HOUR_MS - 1)).toEqual([]);
        expect(quiet(storedAt + HOUR_MS)).toEqual([
          { delivery: hour, state: "queued", quietAt: storedAt + HOUR_MS },
        ]);
        const all = quiet(100 * DAY_MS);
        expect(deliveries(all)).toEqual([hour, took, day, tie]);
        expect(all[1]?.quietAt).toBe(1_000 + 4 * HOUR_MS);
        expect(all[2]?.quietAt).toBe(1_000 + 10 * DAY_MS);
        expect(deliveries(quiet(100 * DAY_MS, { since: storedAt + HOUR_MS, limit: 1 }))).toEqual([took]);
        expect(deliveries(quiet(100 * DAY_MS, { after: all[2] as QuietLetter }))).toEqual([tie]);
        await write((tx) => tx.moveDelivery(hour ?? "", aReceipt({ state: "read" })));
        // However much is read, a page is walked in no more steps than it has letters.
        expect(quiet(100 * DAY_MS, { limit: 1 })).toMatchObject([{ delivery: hour, state: "read" }]);
      });

      it("can be as if it had never gone", async () => {
        const [one = "", two] = await send({}, {});
        await write((tx) => {
          tx.removeSentLetter(one);
          tx.putSentLetter(aSentLetter(one));
        });
        expect(deliveries(stage.store.read.sentLetters({ limit: 9 }))).toEqual([two, one]);
      });

      it("is named while it is on its way and nothing was heard of it: the last, or the last before another", async () => {
        const [first, second, last] = await send({}, { storedAt: 2_000 }, { storedAt: 2_000 });
        const others = await send(
          { heeded: 0 },
          { withdrawn: "no" },
          { isOver: true },
          { host: "box" },
          { storedAt: 2_000 },
        );
        await write((tx) => {
          for (const id of [first, second, last, ...others.slice(0, 4)])
            tx.moveDelivery(id ?? "", aReceipt({ state: "delivering" }));
        });
        const { read } = stage.store;
        expect(read.lastUnheard("laptop")?.delivery).toBe(last);
        expect(read.lastUnheard("laptop", last)).toEqual(read.sentLetter(second ?? ""));
        expect(read.lastUnheard("laptop", others[1])?.delivery).toBe(last);
        expect(read.lastUnheard("laptop", first)).toBeUndefined();
        expect(read.lastUnheard("box")?.delivery).toBe(others[3]);
        expect(read.lastUnheard("nobody")).toBeUndefined();
      });

      it("goes again with all others of its host of which nothing was heard", async () => {
        const storedAt = 2_000;
        const [one, two, heard, withdrawn, over, box] = await send(
          { storedAt },
          {},
          { storedAt, heeded: 5 },
          { storedAt, withdrawn: "no" },
          { storedAt, isOver: true },
          { storedAt, host: "box" },
        );
        await write((tx) => tx.unstoreUnheard("laptop"));
        expect(deliveries(stage.store.read.sentLetters({ unstored: true, limit: 9 }))).toEqual([one, two]);
        for (const id of [heard, withdrawn, over, box])
          expect(stage.store.read.sentLetter(id ?? "")).toMatchObject({ storedAt });
      });

      it("is due at its time, first what was due first, unless it is over", async () => {
        const [late, soon] = await send({ dueAt: 30 }, { dueAt: 20 }, {}, { dueAt: 10, isOver: true });
        expect(deliveries(stage.store.read.lettersDue(19, 9))).toEqual([]);
        expect(deliveries(stage.store.read.lettersDue(30, 9))).toEqual([soon, late]);
        expect(deliveries(stage.store.read.lettersDue(30, 1))).toEqual([soon]);
      });

      it("comes in pages, of one host or host by host", async () => {
        const [a1, b1, a2, b2] = await send({ host: "a" }, { host: "b" }, { host: "a" }, { host: "b" });
        const page = (after?: string, host?: string) =>
          deliveries(
            stage.store.read.sentLetters({ limit: 1, ...(after && { after }), ...(host && { host }) }),
          );
        expect([page(), page(a1), page(a2), page(b1), page(b2)]).toEqual([[a1], [a2], [b1], [b2], []]);
        expect([page(b1, "b"), page(b2, "b"), page(a2, "a")]).toEqual([[b2], [], []]);
        expect(page("nobody.1")).toEqual([]);
        expect(stage.store.read.sentLetters({ limit: 0 })).toEqual([]);
      });
    });
  });
}
