import { describe, expect, it } from "vitest";
import { aDelivery, aDraft, aHookEvent, aMessage, aReceipt, post } from "./store-samples.ts";
import type { StoreStage } from "./store-stage.ts";

/** What a store keeps besides messages, and what it deletes. */
export function storedForLater(stage: StoreStage): void {
  describe("drafts and hook events", () => {
    it("keeps a person's text exactly, until it is settled", async () => {
      const draft = aDraft("k1", {
        text: "zwei\nZeilen \u{1f469}\u200d\u{1f4bb} 漢字\t\0",
        note: "by C-s",
      });
      await stage.store.write((tx) => tx.putKeptDraft(draft));
      await stage.reopen();
      expect(stage.store.read.keptDrafts({ sessionId: draft.sessionId })).toEqual([draft]);
      expect(stage.store.read.keptDrafts({ open: true })).toEqual([draft]);
      const restored = { ...draft, state: "restored", settledAt: 9 } as const;
      await stage.store.write((tx) => tx.putKeptDraft(restored));
      expect(stage.store.read.keptDrafts({ open: true })).toEqual([]);
      expect(stage.store.read.keptDrafts({ open: false })).toEqual([restored]);
      expect(stage.store.read.keptDrafts({ sessionId: draft.sessionId, open: true })).toEqual([]);
      expect(stage.store.read.keptDrafts({ sessionId: "other" })).toEqual([]);
      expect(stage.store.read.keptDrafts({})).toEqual([restored]);
    });

    it("shows a draft left to the person as open until someone settles it", async () => {
      await stage.store.write((tx) => tx.putKeptDraft(aDraft("k1", { state: "left-to-person" })));
      expect(stage.store.read.keptDrafts({ open: true })).toHaveLength(1);
    });

    it("lists hook events of one session since a moment", async () => {
      const events = [
        aHookEvent({ receivedAt: 1 }),
        aHookEvent({
          receivedAt: 5,
          event: "prompt",
          tokens: ["#m7k2q9]"],
          promptDigest: "ab",
          subAgent: "s",
          detail: "d",
        }),
        aHookEvent({ receivedAt: 5, sessionId: "other" }),
        aHookEvent({ receivedAt: 9 }),
      ];
      await stage.store.write((tx) => {
        for (const event of events) tx.appendHookEvent(event);
      });
      await stage.reopen();
      expect(stage.store.read.hookEvents("08bc57cf", 5)).toEqual([events[1], events[3]]);
    });

    it("finds the prompt that was submitted last by a moment, whichever arrived last", async () => {
      const event = "prompt-submitted";
      const events = [
        aHookEvent({ event, emittedAt: 1, receivedAt: 1 }),
        aHookEvent({ event, emittedAt: 4, receivedAt: 4, tokens: ["#m7k2q9]"] }),
        // It had waited for the daemon.
        aHookEvent({ event, emittedAt: 2, receivedAt: 5 }),
        aHookEvent({ event, emittedAt: 5, receivedAt: 5, subAgent: "s" }),
        aHookEvent({ event, emittedAt: 5, receivedAt: 5, sessionId: "other" }),
        aHookEvent({ event: "turn-ended", emittedAt: 5, receivedAt: 5 }),
        aHookEvent({ event, emittedAt: 9, receivedAt: 9 }),
      ];
      await stage.store.write((tx) => {
        for (const one of events) tx.appendHookEvent(one);
      });
      expect(stage.store.read.lastPrompt("08bc57cf", 8)).toEqual(events[1]);
      expect(stage.store.read.lastPrompt("08bc57cf", 0)).toBeUndefined();
    });
  });

  describe("retention", () => {
    it("forgets finished messages and dead letters with everything that hangs on them", async () => {
      const at = 1e6;
      const kept = await stage.store.write((tx) => {
        for (const state of [
          "delivered",
          "read",
          "replied",
          "expired",
          "cancelled",
          "failed",
          "unconfirmed",
        ] as const) {
          post(tx, { message: { createdAt: 10, file: `gone/${state}.md` }, delivery: { state } });
        }
        const dead = aMessage({ createdAt: 10, file: "gone/dead.md" });
        tx.insertMessage(dead);
        tx.insertUnmatched(dead.id, 10, "nobody");
        const half = post(tx, { message: { createdAt: 10 }, delivery: { state: "read" } });
        tx.insertDelivery(aDelivery(half.messageId, { to: "agent/other" }));
        const justArrived = post(tx, { message: { createdAt: 10 }, delivery: { state: "delivered" } });
        tx.appendReceipt(justArrived.deliveryId, aReceipt({ at, state: "delivered" }));
        return [
          half,
          justArrived,
          post(tx, { message: { createdAt: 10 }, delivery: { state: "queued" } }),
          post(tx, { message: { createdAt: 10 }, delivery: { state: "delivering" } }),
          post(tx, { message: { createdAt: at }, delivery: { state: "read" } }),
        ].map(({ messageId }) => messageId);
      });
      const files = await stage.store.write((tx) => tx.forgetFinishedBefore(at, 100));
      expect(files.toSorted()).toEqual(
        ["cancelled", "dead", "delivered", "expired", "failed", "read", "replied", "unconfirmed"].map(
          (name) => `gone/${name}.md`,
        ),
      );
      expect(new Set(stage.store.read.deliveries({}).map(({ message }) => message.id))).toEqual(
        new Set(kept),
      );
      expect(await stage.store.write((tx) => tx.forgetFinishedBefore(at, 100))).toEqual([]);
    });

    it("forgets a message whose session is done with it, whether or not the agent took its own copy", async () => {
      const kept = await stage.store.write((tx) => {
        const handledBy = ["00000001"];
        const done = post(tx, {
          message: { createdAt: 10, file: "gone/done.md" },
          delivery: { to: "session/00000001", state: "read" },
        });
        tx.insertDelivery(aDelivery(done.messageId, { to: "agent/reader", handledBy }));
        const waits = post(tx, { message: { createdAt: 10 }, delivery: { to: "session/00000001" } });
        tx.insertDelivery(aDelivery(waits.messageId, { to: "agent/reader", handledBy }));
        return waits.messageId;
      });
      expect(await stage.store.write((tx) => tx.forgetFinishedBefore(1e6, 100))).toEqual(["gone/done.md"]);
      expect(new Set(stage.store.read.deliveries({}).map(({ message }) => message.id))).toEqual(
        new Set([kept]),
      );
    });

    it("takes no more than it is told to, oldest first", async () => {
      await stage.store.write((tx) => {
        for (const createdAt of [1, 2, 3]) {
          post(tx, { message: { createdAt, file: `${createdAt}.md` }, delivery: { state: "read" } });
        }
      });
      expect(await stage.store.write((tx) => tx.forgetFinishedBefore(1e6, 2))).toEqual(["1.md", "2.md"]);
      expect(await stage.store.write((tx) => tx.forgetFinishedBefore(1e6, 2))).toEqual(["3.md"]);
    });

    it("forgets old hook events and settled drafts, never an open draft", async () => {
      await stage.store.write((tx) => {
        tx.appendHookEvent(aHookEvent({ receivedAt: 5 }));
        tx.appendHookEvent(aHookEvent({ receivedAt: 500 }));
        tx.putKeptDraft(aDraft("settled", { state: "restored", settledAt: 5 }));
        tx.putKeptDraft(aDraft("open", { keptAt: 1 }));
      });
      await stage.store.write((tx) => tx.forgetFinishedBefore(100, 10));
      expect(stage.store.read.hookEvents("08bc57cf", 0)).toHaveLength(1);
      expect(stage.store.read.keptDrafts({}).map(({ id }) => id)).toEqual(["open"]);
    });
  });
}
