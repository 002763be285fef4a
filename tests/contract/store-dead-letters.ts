import { describe, expect, it } from "vitest";
import { aDelivery, aMessage } from "./store-samples.ts";
import { type OpenStore, storeStage } from "./store-stage.ts";

/** The store's contract for messages without a recipient. */
export function deadLettersContract(name: string, open: OpenStore): void {
  describe(`${name} as the broker's store`, () => {
    const stage = storeStage(open);

    describe("dead letters", () => {
      async function bury(count: number): Promise<readonly string[]> {
        return stage.store.write((tx) =>
          Array.from({ length: count }, (_, at) => {
            const message = aMessage({ to: "x/y" });
            tx.insertMessage(message);
            tx.insertUnmatched(message.id, 100 + at, `reason ${at}`);
            return message.id;
          }),
        );
      }
      const ids = (letters: readonly { readonly message: { readonly id: string } }[]) =>
        letters.map(({ message }) => message.id);

      it("come newest first with their message, time and reason", async () => {
        const buried = await bury(3);
        await stage.reopen();
        const letters = stage.store.read.unmatched({ limit: 10 });
        expect(ids(letters)).toEqual(buried.toReversed());
        expect(letters[0]).toMatchObject({ at: 102, reason: "reason 2" });
        expect(letters[0]?.message).toEqual(stage.store.read.message(buried[2] ?? ""));
        expect(ids(stage.store.read.unmatched({ limit: 2 }))).toEqual([buried[2], buried[1]]);
        expect(stage.store.read.unmatched({ limit: 0 })).toEqual([]);
      });

      it("are cut by time: at or after one moment, before another", async () => {
        const buried = await bury(4);
        const between = (from?: number, until?: number) =>
          ids(
            stage.store.read.unmatched({
              limit: 10,
              ...(from === undefined ? {} : { from }),
              ...(until === undefined ? {} : { until }),
            }),
          );
        expect(between(102)).toEqual([buried[3], buried[2]]);
        expect(between(undefined, 102)).toEqual([buried[1], buried[0]]);
        expect(between(101, 103)).toEqual([buried[2], buried[1]]);
        expect(between(103, 103)).toEqual([]);
      });

      it("are paged from either end: nothing twice, nothing missing, whatever comes and goes", async () => {
        const buried = await bury(7);
        const backwards: string[] = [];
        let before: number | undefined;
        for (;;) {
          const page = stage.store.read.unmatched({ limit: 3, ...(before === undefined ? {} : { before }) });
          if (page.length === 0) break;
          backwards.push(...ids(page));
          before = page.at(-1)?.number;
        }
        expect(backwards).toEqual(buried.toReversed());
        const forwards: string[] = [];
        let after = 0;
        for (;;) {
          const page = stage.store.read.unmatchedAfter(after, 3);
          if (page.length === 0) break;
          forwards.push(...ids(page));
          after = page.at(-1)?.number ?? after;
          if (forwards.length === 3) await stage.store.write((tx) => tx.removeUnmatched(buried[1] ?? ""));
          if (forwards.length === 6) await bury(1);
        }
        expect(forwards.slice(0, 7)).toEqual(buried);
        expect(forwards).toHaveLength(8);
        expect(stage.store.read.unmatchedAfter(0, 1)[0]).toEqual(
          stage.store.read.unmatched({ limit: 10 }).at(-1),
        );
      });

      it("are removed once, and cleared, and their messages stay", async () => {
        const [first = "", second = ""] = await bury(3);
        expect(
          await stage.store.write((tx) => [tx.removeUnmatched(first), tx.removeUnmatched(first)]),
        ).toEqual([true, false]);
        expect(await stage.store.write((tx) => tx.removeUnmatched("nobody"))).toBe(false);
        expect(stage.store.read.isUnmatched(first)).toBe(false);
        expect(await stage.store.write((tx) => tx.clearUnmatched())).toBe(2);
        expect(await stage.store.write((tx) => tx.clearUnmatched())).toBe(0);
        expect([first, second].map((id) => stage.store.read.message(id)?.id)).toEqual([first, second]);
      });

      it("keep what their sender wanted; of what is none nothing is known", async () => {
        const wishes = {
          timeoutMs: 5_000,
          owes: { onDelivery: true, afterMs: 9 },
          require: "submitted",
          atMostOnce: true,
          anyWayIn: true,
        } as const;
        const [plain = "", wished = "", none = ""] = await stage.store.write((tx) =>
          [{}, wishes, undefined].map((wanted) => {
            const message = aMessage({ to: "x/y" });
            tx.insertMessage(message);
            if (wanted !== undefined) tx.insertUnmatched(message.id, 1, "nobody", wanted);
            return message.id;
          }),
        );
        await stage.reopen();
        expect([plain, wished, none, "no message"].map(stage.store.read.unmatchedWishes)).toEqual([
          {},
          wishes,
          undefined,
          undefined,
        ]);
      });

      it("that were removed may be delivered", async () => {
        const [id = ""] = await bury(1);
        await bury(1);
        const delivery = await stage.store.write((tx) => {
          tx.removeUnmatched(id);
          return tx.insertDelivery(aDelivery(id, { to: "agent/a" }));
        });
        expect(delivery.id).toBe(`${id}.1`);
        expect(stage.store.read.deliveries({ mailboxes: ["agent/a"] })).toHaveLength(1);
      });
    });
  });
}
