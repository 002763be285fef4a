import { describe, expect, it } from "vitest";
import { aMessage, anAgent } from "./store-samples.ts";
import type { StoreStage } from "./store-stage.ts";

/** The store's contract for writers. */
export function storeWriting(stage: StoreStage): void {
  describe("writing", () => {
    it("shows nothing of a change before its promise can resolve", async () => {
      const message = aMessage();
      const written = stage.store.write((tx) => tx.insertMessage(message));
      expect(stage.store.read.message(message.id)).toBeUndefined();
      await written;
      expect(stage.store.read.message(message.id)).toBeDefined();
    });

    it("lets later changes of one tick see the earlier ones, in order", async () => {
      const first = stage.store.write((tx) => tx.putAgent(anAgent("a")));
      const second = stage.store.write((tx) => tx.agents().map(({ name }) => name));
      await first;
      expect(await second).toEqual(["a"]);
    });

    it("rejects and undoes only the change that throws", async () => {
      const outcomes = await Promise.allSettled([
        stage.store.write((tx) => tx.putAgent(anAgent("before"))),
        stage.store.write((tx) => {
          tx.putAgent(anAgent("undone"));
          throw new Error("no");
        }),
        stage.store.write((tx) => tx.putAgent(anAgent("after"))),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(outcomes[1]).toMatchObject({ reason: { message: "no" } });
      await stage.reopen();
      expect(stage.store.read.agents().map(({ name }) => name)).toEqual(["after", "before"]);
    });

    it("refuses a change that would go on after its transaction", async () => {
      const written = stage.store.write(async (tx) => tx.putAgent(anAgent("late")));
      await expect(written).rejects.toMatchObject({ code: "internal.bug" });
      expect(stage.store.read.agents()).toEqual([]);
    });

    it("commits what waits when it is closed, and takes nothing more", async () => {
      const waiting = stage.store.write((tx) => tx.putAgent(anAgent("a")));
      const closing = stage.store.close();
      await expect(stage.store.write((tx) => tx.putAgent(anAgent("b")))).rejects.toMatchObject({
        code: "daemon.stopping",
      });
      await waiting;
      await closing;
      await stage.reopen();
      expect(stage.store.read.agents().map(({ name }) => name)).toEqual(["a"]);
    });
  });
}
