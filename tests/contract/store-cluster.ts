import { describe, expect, it } from "vitest";
import type { TakenLetter } from "../../src/ports/cluster-store.ts";
import type { StoreWriter } from "../../src/ports/store.ts";
import { aKnownHost, aSentLetter, aTakenLetter } from "./store-letter-samples.ts";
import { aReceipt, post } from "./store-samples.ts";
import { type OpenStore, storeStage } from "./store-stage.ts";

const DAY_MS = 24 * 3_600_000;

/** The store's contract for what comes from other hosts, and for how long letters are kept. */
export function clusterStoreContract(name: string, open: OpenStore): void {
  describe(`${name} as a store of letters between hosts`, () => {
    const stage = storeStage(open);
    const write = <T>(work: (tx: StoreWriter) => T) => stage.store.write(work);

    describe("a letter that came", () => {
      it("comes back with every field, each host for itself, and is replaced as a whole", async () => {
        const moved = ["agent/coder@box"];
        const full = { messageId: "m", told: 2, toldDigest: "d", endedAs: "read", moved } as const;
        const refused = { host: "box", why: "nobody", refusal: "nobody is here", isOver: true } as const;
        await write((tx) => {
          tx.putTakenLetter(aTakenLetter("m.1", full));
          tx.putTakenLetter(aTakenLetter("m.1", refused));
        });
        await stage.reopen();
        const { read } = stage.store;
        expect(read.takenLetter("laptop", "m.1")).toEqual(aTakenLetter("m.1", full));
        expect(read.takenLetter("box", "m.1")).toEqual(aTakenLetter("m.1", refused));
        expect(read.takenLetter("third", "m.1")).toBeUndefined();
        await write((tx) => tx.putTakenLetter(aTakenLetter("m.1", { messageId: "m", isOver: true })));
        expect(stage.store.read.takenLetter("laptop", "m.1")).toEqual(
          aTakenLetter("m.1", { messageId: "m", isOver: true }),
        );
      });

      it("is found by its message: the first, if two hosts sent it", async () => {
        await write((tx) => {
          tx.putTakenLetter(aTakenLetter("m.1", { host: "late", messageId: "m" }));
          tx.putTakenLetter(aTakenLetter("m.1", { host: "box", messageId: "m" }));
          tx.putTakenLetter(aTakenLetter("n.1"));
        });
        expect(stage.store.read.takenAs("m")?.host).toBe("late");
        expect(stage.store.read.takenAs("n")).toBeUndefined();
      });

      it("belongs to its host also when that gets another name", async () => {
        await write((tx) => {
          for (const [delivery, host] of ["z.1/a", "y.1/a", "y.1/b"].map((one) => one.split("/")))
            tx.putTakenLetter({ ...aTakenLetter(delivery ?? ""), host: host ?? "" });
        });
        expect(await write((tx) => [tx.renameTaken("a", "b"), tx.renameTaken("c", "b")])).toEqual([
          true,
          false,
        ]);
        const { read } = stage.store;
        expect(read.takenLetter("b", "z.1")).toMatchObject({ host: "b" });
        expect(read.takenLetter("a", "z.1")).toBeUndefined();
        expect(read.takenLetter("b", "y.1")).toMatchObject({ host: "b" });
      });

      it("is forgotten if it was refused or withdrawn, and there are too many newer ones of its host", async () => {
        const letters = ["a.1/laptop", "b.1/laptop", "c.1/laptop", "d.1/laptop", "a.1/box"] as const;
        await write((tx) => {
          for (const [delivery = "", host = ""] of letters.map((one) => one.split("/")))
            tx.putTakenLetter(
              aTakenLetter(delivery, { host, ...(delivery === "b.1" ? { refusal: "no" } : {}) }),
            );
          tx.putTakenLetter(aTakenLetter("taken.1", { messageId: "m" }));
          tx.keepNewestRefused("laptop", 2);
        });
        const isKnown = (letter: string) => {
          const [delivery = "", host = ""] = letter.split("/");
          return stage.store.read.takenLetter(host, delivery) !== undefined;
        };
        expect(letters.map(isKnown)).toEqual([false, false, true, true, true]);
        expect(isKnown("taken.1/laptop")).toBe(true);
      });

      it("is listed until it is over, oldest first, in pages, of one host or host by host", async () => {
        await write((tx) => {
          for (const [delivery, host] of ["z.1/a", "z.1/b", "y.1/a", "x.1/b"].map((one) => one.split("/")))
            tx.putTakenLetter(aTakenLetter(delivery ?? "", { host: host ?? "" }));
          tx.putTakenLetter(aTakenLetter("w.1", { host: "a", isOver: true }));
          tx.putTakenLetter(aTakenLetter("z.1", { host: "a", told: 1 }));
        });
        const { read } = stage.store;
        const shown = (letters: readonly TakenLetter[]) =>
          letters.map(({ host, delivery }) => `${delivery}/${host}`);
        expect(shown(read.takenLetters({ limit: 9 }))).toEqual(["z.1/a", "y.1/a", "z.1/b", "x.1/b"]);
        expect(shown(read.takenLetters({ host: "b", limit: 9 }))).toEqual(["z.1/b", "x.1/b"]);
        const after = { host: "a", delivery: "y.1" };
        expect(shown(read.takenLetters({ after, limit: 1 }))).toEqual(["z.1/b"]);
        expect(read.takenLetters({ host: "a", after, limit: 9 })).toEqual([]);
        expect(read.takenLetters({ after: { host: "c", delivery: "y.1" }, limit: 9 })).toEqual([]);
      });
    });

    it("keeps what each host last said", async () => {
      await write((tx) => {
        for (const host of ["laptop", "box"]) tx.putKnownHost(aKnownHost(host));
        tx.putKnownHost(aKnownHost("laptop", { heardAt: 2_000, number: 2, announcement: "{}" }));
      });
      await stage.reopen();
      expect(stage.store.read.knownHosts()).toEqual([
        aKnownHost("box"),
        aKnownHost("laptop", { heardAt: 2_000, number: 2, announcement: "{}" }),
      ]);
    });

    describe("an agent that moved to another host", () => {
      const coder = { name: "coder", host: "laptop", leftAt: 5 };
      const agent = (name: string) =>
        ({ name, createdAt: 1, origin: "added", chosen: true, paused: false }) as const;
      const known = () => stage.store.read.departedAgent("coder");

      it("is known, also where it moved to later, and only for so long", async () => {
        await write((tx) => tx.putDepartedAgent(coder));
        await write((tx) => tx.putDepartedAgent({ ...coder, host: "box", leftAt: 6 }));
        await stage.reopen();
        expect(known()).toEqual({ ...coder, host: "box", leftAt: 6 });
        await write((tx) => tx.forgetFinishedBefore(6, 9));
        expect(known()).toBeDefined();
        await write((tx) => tx.forgetFinishedBefore(7, 9));
        expect(known()).toBeUndefined();
      });

      it("is forgotten once somebody has its name here, and not remembered when they are gone, too", async () => {
        await write((tx) => tx.putDepartedAgent(coder));
        await write((tx) => tx.putAgent(agent("coder")));
        await write((tx) => tx.removeAgent("coder"));
        expect(known()).toBeUndefined();
        await write((tx) => tx.putDepartedAgent(coder));
        await write((tx) => tx.putAgent(agent("other")));
        expect(known()).toEqual(coder);
        await write((tx) => tx.renameAgent("other", "coder"));
        expect(known()).toBeUndefined();
      });
    });

    describe("retention", () => {
      const forget = (at: number, limit = 100) => write((tx) => tx.forgetFinishedBefore(at, limit));

      it("forgets a letter that was sent with its message, and not before", async () => {
        const [gone = "", waits = ""] = await write((tx) =>
          (["delivered", "delivering"] as const).map((state) => {
            const { deliveryId } = post(tx, { message: { createdAt: 10 }, delivery: { state } });
            tx.putSentLetter(aSentLetter(deliveryId, { storedAt: 10, isOver: state === "delivered" }));
            return deliveryId;
          }),
        );
        await forget(1e6);
        expect(stage.store.read.sentLetter(gone)).toBeUndefined();
        expect(stage.store.read.sentLetter(waits)).toBeDefined();
      });

      it("knows a letter that came thirty days longer than its message", async () => {
        const at = 1e6;
        const [gone, kept] = await write((tx) =>
          (["delivered", "queued"] as const).map((state) => {
            const { messageId } = post(tx, { message: { createdAt: 10 }, delivery: { state } });
            // That the host could not be told does not keep it.
            tx.putTakenLetter(aTakenLetter(`${messageId}.1`, { messageId }));
            return messageId;
          }),
        );
        await forget(at);
        const { read } = stage.store;
        expect(read.takenLetter("laptop", `${gone}.1`)).toMatchObject({
          ...{ messageId: gone, isOver: true, endedAs: "delivered" },
        });
        expect(read.takenLetters({ limit: 9 }).map(({ delivery }) => delivery)).toEqual([`${kept}.1`]);
        await write((tx) =>
          tx.putTakenLetter(aTakenLetter(`${gone}.1`, { messageId: gone ?? "", told: 3, isOver: true })),
        );
        await forget(at + 30 * DAY_MS);
        expect(read.takenLetter("laptop", `${gone}.1`)).toBeDefined();
        await forget(at + 30 * DAY_MS + 1);
        expect(read.takenLetter("laptop", `${gone}.1`)).toBeUndefined();
        expect(read.takenLetter("laptop", `${kept}.1`)).toBeDefined();
      });

      it("knows a letter that was refused for thirty days, and takes no more at once than it is told to", async () => {
        await write((tx) => {
          for (const takenAt of [3, 1, 2])
            tx.putTakenLetter(aTakenLetter(`m${takenAt}.1`, { takenAt, refusal: "no", isOver: takenAt > 1 }));
          tx.putTakenLetter(
            aTakenLetter("old.1", { takenAt: 1, messageId: "a message that is still there" }),
          );
        });
        const known = () =>
          ["m1.1", "m2.1", "m3.1", "old.1"].filter((one) => stage.store.read.takenLetter("laptop", one));
        await forget(30 * DAY_MS + 1);
        expect(known()).toEqual(["m1.1", "m2.1", "m3.1", "old.1"]);
        await forget(30 * DAY_MS + 9, 2);
        expect(known()).toEqual(["m3.1", "old.1"]);
        await forget(30 * DAY_MS + 9);
        expect(known()).toEqual(["old.1"]);
      });

      it("counts from its message if a letter that was none becomes one", async () => {
        const messageId = await write((tx) => {
          const one = post(tx, { message: { createdAt: 10 } });
          tx.putTakenLetter(aTakenLetter("w.1", { takenAt: 1 }));
          tx.putTakenLetter(aTakenLetter("w.1", { takenAt: 1, messageId: one.messageId }));
          tx.moveDelivery(one.deliveryId, aReceipt({ state: "cancelled", at: 2 * DAY_MS }));
          return one.messageId;
        });
        await forget(31 * DAY_MS);
        expect(stage.store.read.takenAs(messageId)).toBeDefined();
      });
    });
  });
}
