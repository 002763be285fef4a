import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ARRIVED_STATES, type DeliveryState } from "../../src/core/message.ts";
import type { Store, StoreReader, StoreWriter } from "../../src/ports/store.ts";
import { MOST_ARRIVED } from "../../src/store/sqlite/messages/arrived.ts";
import { AN_ATTEMPT, aReceipt, post } from "./store-samples.ts";
import type { StoreStage } from "./store-stage.ts";

type Generated<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** A move that the table does not allow, and one that was undone on purpose. */
function notExpectation(error: unknown): void {
  if (error instanceof Error && error.name === "AssertionError") throw error;
}

/** What a store owes to the queue. */
export function storedQueue(stage: StoreStage): void {
  describe("the queue", () => {
    it("lists by mailbox and state in order of position", async () => {
      const ids = await stage.store.write((tx) =>
        (
          [
            ["agent/a", "queued"],
            ["agent/b", "queued"],
            ["agent/a", "delivered"],
            ["agent/a", "queued"],
            ["agent/a", "delivering"],
          ] as const
        ).map(([to, state]) => post(tx, { delivery: { to, state } }).deliveryId),
      );
      const [a1, b1, a2, a3, a4] = ids;
      const listed = (filter: Parameters<Store["read"]["deliveries"]>[0]) =>
        stage.store.read.deliveries(filter).map(({ delivery }) => delivery.id);
      expect(listed({})).toEqual(ids);
      expect(listed({ states: ["queued"] })).toEqual([a1, b1, a3]);
      expect(listed({ states: ["queued", "delivering"], mailboxes: ["agent/a"] })).toEqual([a1, a3, a4]);
      expect(listed({ mailboxes: ["agent/b", "agent/b", "agent/nobody"] })).toEqual([b1]);
      expect(listed({ states: ["queued", "delivered"], limit: 2 })).toEqual([a1, b1]);
      expect(listed({ states: [] })).toEqual([]);
      expect(listed({ mailboxes: [] })).toEqual([]);
      await stage.store.write((tx) => tx.updateDelivery(a3 ?? "", { position: 0.25 }));
      expect(listed({ states: ["queued"] })).toEqual([a3, a1, b1]);
      expect(listed({ states: ["delivered"] })).toEqual([a2]);
    });

    it("lists what came to somebody and from them, newest first, in pages", async () => {
      const ids = await stage.store.write((tx) =>
        (
          [
            ["agent/a", "person/dev", "replied"],
            ["agent/b", "person/dev", "queued"],
            ["agent/b", "agent/a", "delivered"],
            ["agent/a", "agent/a", "cancelled"],
            ["agent/a", "person/dev", "queued"],
          ] as const
        ).map(([to, from, state]) => post(tx, { message: { from, to }, delivery: { to, state } }).deliveryId),
      );
      const [first, , out, self, last] = ids;
      const about = (before: number, limit: number) => {
        const { items, next } = stage.store.read.itemsAbout(["agent/a", "agent/nobody"], before, limit);
        return { ids: items.map(({ delivery }) => delivery.id), next };
      };
      const end = Number.MAX_SAFE_INTEGER;
      expect(about(end, 10)).toEqual({ ids: [last, self, out, first], next: undefined });
      const newest = about(end, 2);
      expect(newest.ids).toEqual([last, self]);
      expect(about(newest.next ?? 0, 10)).toEqual({ ids: [out, first], next: undefined });
      // Where it stands in the queue does not matter.
      await stage.store.write((tx) => tx.updateDelivery(last ?? "", { position: 0.25 }));
      expect(about(end, 1).ids).toEqual([last]);
      expect(stage.store.read.itemsAbout([], end, 10).items).toEqual([]);
    });

    it("lists all that waits for a terminal where that is little, and says so where it is more", async () => {
      const few = (mailboxes: readonly string[], most: number) =>
        stage.store.read
          .fewQueued(mailboxes, most)
          ?.map(({ delivery }) => delivery.id)
          .toSorted();
      expect(few(["agent/a"], 0)).toEqual([]);
      const ids = await stage.store.write((tx) =>
        (
          [
            ["agent/a", "queued", "idle"],
            ["agent/b", "queued", "interrupt"],
            ["agent/a", "queued", "normal"],
            ["agent/a", "delivered", "normal"],
          ] as const
        ).map(([to, state, priority]) => post(tx, { delivery: { to, state, priority } }).deliveryId),
      );
      await stage.store.write((tx) => post(tx, { delivery: { to: "agent/a", handledBy: [] } }));
      const [a1 = "", b1 = "", a2 = ""] = ids;
      expect(few(["agent/a"], 2)).toEqual([a1, a2].toSorted());
      expect(few(["agent/a"], 1)).toBeUndefined();
      expect(few(["agent/b", "agent/a", "agent/a", "agent/nobody"], 3)).toEqual([a1, a2, b1].toSorted());
      expect(few(["agent/b", "agent/a"], 2)).toBeUndefined();
      expect(few([], 0)).toEqual([]);
    });

    it("lists one priority alone, however many of others wait before it", async () => {
      const [, , urgent] = await stage.store.write((tx) =>
        (["normal", "idle", "interrupt", "idle-first"] as const).map(
          (priority) => post(tx, { delivery: { priority } }).deliveryId,
        ),
      );
      const found = stage.store.read.deliveries({ states: ["queued"], priority: "interrupt", limit: 1 });
      expect(found.map(({ delivery }) => delivery.id)).toEqual([urgent]);
      expect(stage.store.read.deliveries({ states: ["queued"] })).toHaveLength(4);
    });

    it("lists what nothing holds, and what came from one source, also behind much else", async () => {
      const hold = { reason: "offline", since: 1, release: "later" } as const;
      const [, ours, , held] = await stage.store.write((tx) => [
        post(tx).deliveryId,
        post(tx, { message: { source: "bellhop" } }).deliveryId,
        post(tx, { delivery: { hold } }).deliveryId,
        post(tx, { message: { source: "bellhop" }, delivery: { hold, handledBy: [] } }).deliveryId,
      ]);
      const listed = (filter: Parameters<Store["read"]["deliveries"]>[0]) =>
        stage.store.read.deliveries(filter).map(({ delivery }) => delivery.id);
      expect(listed({ source: "bellhop" })).toEqual([ours, held]);
      expect(listed({ source: "bellhop", limit: 1, newestFirst: true })).toEqual([held]);
      expect(listed({ source: "bellhop", forTerminals: true })).toEqual([ours]);
      expect(listed({ source: "bellhop", unheld: true })).toEqual([ours]);
      expect(listed({ unheld: true })).toHaveLength(2);
      await stage.store.write((tx) => tx.updateDelivery(held ?? "", { hold: null }));
      expect(listed({ unheld: true, newestFirst: true, limit: 1 })).toEqual([held]);
    });

    it("looks no further than asked for what nothing holds: so far into each mailbox and priority", async () => {
      const hold = { reason: "offline", since: 1, release: "later" } as const;
      const [, second, third, idle] = await stage.store.write((tx) => [
        post(tx, { delivery: { hold } }).deliveryId,
        post(tx).deliveryId,
        post(tx).deliveryId,
        post(tx, { delivery: { priority: "idle" } }).deliveryId,
      ]);
      const among = (most: number) =>
        stage.store.read
          .deliveries({ states: ["queued"], unheld: true, among: most })
          .map(({ delivery }) => delivery.id);
      expect(among(1)).toEqual([idle]);
      expect(among(2)).toEqual([second, idle]);
      expect(among(3)).toEqual([second, third, idle]);
    });

    it("lists what others sent than these, also behind much that they sent", async () => {
      const [, , third, , fifth] = await stage.store.write((tx) =>
        ["agent/x@a", "agent/x@a", "agent/y", "agent/z@a", "agent/y"].map(
          (from) => post(tx, { message: { from } }).deliveryId,
        ),
      );
      const listed = (exceptFrom: readonly string[], limit: number) =>
        stage.store.read
          .deliveries({ states: ["queued"], exceptFrom, limit })
          .map(({ delivery }) => delivery.id);
      const strangers = ["agent/x@a", "agent/z@a", "agent/nobody"];
      expect(listed(strangers, 9)).toEqual([third, fifth]);
      expect(listed(strangers, 1)).toEqual([third]);
      expect(listed(["agent/nobody"], 9)).toHaveLength(5);
      const { read } = stage.store;
      expect(read.deliveries({ source: "bellhop", exceptFrom: strangers })).toEqual([]);
    });

    it("names the mailboxes in which something waits", async () => {
      const [first] = await stage.store.write((tx) => [
        post(tx, { delivery: { to: "agent/a" } }).deliveryId,
        post(tx, { delivery: { to: "agent/a" } }).deliveryId,
        post(tx, { delivery: { to: "agent/b" } }).deliveryId,
        post(tx, { delivery: { to: "agent/c", state: "read" } }).deliveryId,
      ]);
      expect(stage.store.read.mailboxesWithQueued().toSorted()).toEqual(["agent/a", "agent/b"]);
      await stage.store.write((tx) => tx.moveDelivery(first ?? "", aReceipt({ state: "cancelled" })));
      expect(stage.store.read.mailboxesWithQueued().toSorted()).toEqual(["agent/a", "agent/b"]);
    });

    it("names the mailboxes from which something is being delivered", async () => {
      await stage.store.write((tx) => {
        for (const to of ["agent/a", "host/b", "agent/a"])
          post(tx, { delivery: { to, state: "delivering" } });
        post(tx, { delivery: { to: "agent/c" } });
        post(tx, { delivery: { to: "agent/d", state: "read" } });
      });
      expect(stage.store.read.mailboxesWithDelivering().toSorted()).toEqual(["agent/a", "host/b"]);
    });

    it("carries each delivery with its message", async () => {
      const { messageId } = await stage.store.write((tx) => post(tx));
      const [item] = stage.store.read.deliveries({});
      expect(item?.message).toEqual(stage.store.read.message(messageId));
    });

    it("counts what is queued, and what is being delivered", async () => {
      await stage.store.write((tx) => {
        post(tx, { delivery: { to: "agent/a", state: "delivering" } });
        for (const to of ["agent/a", "agent/a", "agent/b"]) post(tx, { delivery: { to } });
        post(tx, { delivery: { to: "agent/a", state: "read" } });
      });
      expect(stage.store.read.countQueued()).toBe(3);
      expect(stage.store.read.countQueued(["agent/a"])).toBe(2);
      expect(stage.store.read.countQueued(["agent/a", "agent/a", "agent/b"])).toBe(3);
      expect(stage.store.read.countQueued(["agent/nobody"])).toBe(0);
      expect(stage.store.read.countQueued([])).toBe(0);
      expect(stage.store.read.countDelivering("agent/a")).toBe(1);
      expect(stage.store.read.countDelivering("agent/b")).toBe(0);
      expect(stage.store.read.countDelivering("agent/nobody")).toBe(0);
    });

    it("finds the attempts in one session, newest first", async () => {
      const attempts: [string, number, DeliveryState][] = [
        ["08bc57cf", 10, "delivering"],
        ["08bc57cf", 30, "unconfirmed"],
        ["08bc57cf", 20, "delivering"],
        ["08bc57cf", 20, "delivering"],
        ["11111111", 40, "delivering"],
        ["08bc57cf", 50, "delivered"],
      ];
      const ids = await stage.store.write((tx) =>
        attempts.map(([sessionId, startedAt, state]) => {
          const { deliveryId } = post(tx);
          tx.moveDelivery(deliveryId, aReceipt({ state }), {
            attempt: { ...AN_ATTEMPT, sessionId, startedAt },
          });
          return deliveryId;
        }),
      );
      const found = (limit: number) =>
        stage.store.read
          .attemptedIn("08bc57cf", ["delivering", "unconfirmed"], limit)
          .map(({ delivery }) => ids.indexOf(delivery.id));
      expect(found(10)).toEqual([1, 3, 2, 0]);
      expect(found(2)).toEqual([1, 3]);
    });

    it("tells what has arrived in a session as its attempts do, after every change", async () => {
      const change = fc.record({
        what: fc.constantFrom("comes", "arrives", "goes", "is-attempted", "is-forgotten", "is-undone"),
        which: fc.nat(5),
        session: fc.constantFrom("08bc57cf", "08bc57d0"),
        state: fc.constantFrom("delivered", "read", "replied", "queued"),
        at: fc.nat(9),
      });
      const ids: string[] = [];
      const asAttempted = (read: StoreReader, session: string) =>
        read
          .attemptedIn(session, ARRIVED_STATES, MOST_ARRIVED)
          .map(({ message: { source, form, body } }) => ({ source, form, body }));
      const apply = (
        tx: StoreWriter,
        { what, which, session, state, at }: Generated<typeof change>,
      ): void => {
        const id = ids[ids.length - 1 - which];
        const attempt = { ...AN_ATTEMPT, sessionId: session, startedAt: at };
        if (what === "comes") {
          const { deliveryId } = post(tx, { message: { createdAt: at }, delivery: { state, attempt } });
          ids.push(deliveryId);
        } else if (what === "is-forgotten") tx.forgetFinishedBefore(at, 2);
        else if (id === undefined || tx.findDelivery(id) === undefined) return;
        else if (what === "is-attempted") tx.updateDelivery(id, { attempt });
        else tx.moveDelivery(id, aReceipt({ at, state: what === "goes" ? "cancelled" : "replied" }));
        for (const each of ["08bc57cf", "08bc57d0"])
          expect(tx.arrivedIn(each)).toEqual(asAttempted(tx, each));
        if (what === "is-undone") throw new Error("undone");
      };
      await fc.assert(
        fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
          for (const one of changes) {
            await stage.store.write((tx) => apply(tx, one)).catch((error: unknown) => notExpectation(error));
            const { read } = stage.store;
            for (const each of ["08bc57cf", "08bc57d0"])
              expect(read.arrivedIn(each)).toEqual(asAttempted(read, each));
          }
        }),
        { numRuns: 40 },
      );
    });

    it("knows who waits for an answer, whatever changed since somebody asked before", async () => {
      const names = ["agent/a", "agent/b"] as const;
      const change = fc.record({
        what: fc.constantFrom("comes", "moves", "goes-elsewhere", "is-forgotten", "is-undone"),
        which: fc.nat(5),
        from: fc.constantFrom(...names),
        to: fc.constantFrom(...names),
        state: fc.constantFrom("queued", "delivered", "read", "replied"),
      });
      const ids: string[] = [];
      const pairs = names.flatMap((from) => names.map((to) => ({ from, to })));
      const asked = (read: StoreReader) =>
        pairs.map(({ from, to }) => read.newestUnanswered([from], [to])?.delivery.id);
      const asListed = (read: StoreReader) =>
        pairs.map(({ from, to }) => {
          const open = read.deliveries({ states: ["delivered", "read"], mailboxes: [to] });
          const ofSender = open.filter(({ message }) => message.from === from);
          return ofSender.toSorted((one, two) => one.delivery.sequence - two.delivery.sequence).at(-1)
            ?.delivery.id;
        });
      const apply = (tx: StoreWriter, { what, which, from, to, state }: Generated<typeof change>): void => {
        const id = ids[ids.length - 1 - which];
        expect(asked(tx)).toEqual(asListed(tx));
        if (what === "comes" || what === "is-undone")
          ids.push(post(tx, { message: { from }, delivery: { to, state } }).deliveryId);
        else if (what === "is-forgotten") tx.forgetFinishedBefore(Number.MAX_SAFE_INTEGER, 1);
        else if (id === undefined || tx.findDelivery(id) === undefined) return;
        else if (what === "moves") tx.moveDelivery(id, aReceipt({ state }));
        else tx.readdressDelivery(id, to);
        expect(asked(tx)).toEqual(asListed(tx));
        if (what === "is-undone") throw new Error("undone");
      };
      await fc.assert(
        fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
          for (const one of changes) {
            await stage.store.write((tx) => apply(tx, one)).catch((error: unknown) => notExpectation(error));
            expect(asked(stage.store.read)).toEqual(asListed(stage.store.read));
          }
        }),
        { numRuns: 60 },
      );
    });

    it("finds the newest delivered or read message that has no answer", async () => {
      const states: DeliveryState[] = ["delivered", "read", "replied", "queued", "unconfirmed"];
      const ids = await stage.store.write((tx) =>
        states.map((state) => post(tx, { delivery: { state } }).deliveryId),
      );
      const newest = () => stage.store.read.newestUnanswered(["agent/writer"], ["agent/reader"])?.delivery.id;
      expect(newest()).toBe(ids[1]);
      await stage.store.write((tx) => tx.moveDelivery(ids[1] ?? "", aReceipt({ state: "replied" })));
      expect(newest()).toBe(ids[0]);
      await stage.store.write((tx) => tx.moveDelivery(ids[3] ?? "", aReceipt({ state: "delivered" })));
      expect(newest()).toBe(ids[3]);
      expect(
        stage.store.read.newestUnanswered(["session/1", "agent/writer"], ["session/2", "agent/reader"])
          ?.delivery.id,
      ).toBe(ids[3]);
      expect(stage.store.read.newestUnanswered(["agent/reader"], ["agent/writer"])).toBeUndefined();
      expect(stage.store.read.newestUnanswered([], [])).toBeUndefined();
    });
  });
}
