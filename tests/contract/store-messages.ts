import { beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/message.ts";
import { aDelivery, aMessage, asRead, post } from "./store-samples.ts";
import type { StoreStage } from "./store-stage.ts";

/** The store's contract for messages and for finding them. */
export function storedMessages(stage: StoreStage): void {
  describe("messages", () => {
    it("gives back every field as it was", async () => {
      const plain = aMessage();
      const full = aMessage({
        fromSession: "08bc57cf",
        body: "line\r\n\ttab \0 nul \u{1f600} 漢字 \u202e",
        form: { kind: "raw", keys: ["Enter"] },
        priority: "interrupt",
        command: "ping",
        payload: { nested: [1, null, { __proto__: null, deep: true }] },
        source: "webhook",
        externalId: "ext\u00e9",
        replyTo: plain.id,
        bound: "implicit",
        hops: 3,
        idempotencyKey: "key",
      });
      await stage.store.write((tx) => {
        tx.insertMessage(plain);
        tx.insertMessage(full);
      });
      await stage.reopen();
      expect(stage.store.read.message(plain.id)).toEqual(asRead(plain));
      expect(stage.store.read.message(full.id)).toEqual(asRead(full));
      expect(stage.store.read.message("nobody")).toBeUndefined();
    });

    it("keeps a body of the largest size", async () => {
      const message = aMessage({ body: "x".repeat(LIMITS.bodyBytes) });
      await stage.store.write((tx) => tx.insertMessage(message));
      expect(stage.store.read.message(message.id)?.body).toBe(message.body);
    });

    it("keeps a payload null apart from none", async () => {
      const message = aMessage({ payload: null });
      await stage.store.write((tx) => tx.insertMessage(message));
      expect(stage.store.read.message(message.id)).toHaveProperty("payload", null);
    });

    it("refuses a payload that is nested too deeply, and takes one at the limit", async () => {
      const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
      const atLimit = aMessage({ payload: nested(LIMITS.jsonDepth) });
      await stage.store.write((tx) => tx.insertMessage(atLimit));
      expect(stage.store.read.message(atLimit.id)?.payload).toEqual(atLimit.payload);
      for (const levels of [LIMITS.jsonDepth + 1, 100_000]) {
        const deep = aMessage({ payload: nested(levels) });
        await expect(stage.store.write((tx) => tx.insertMessage(deep))).rejects.toMatchObject({
          code: "request.malformed",
        });
        expect(stage.store.read.message(deep.id)).toBeUndefined();
      }
    });

    it("refuses what it could not read again: a key with NUL, a time beyond all clocks", async () => {
      await expect(
        stage.store.write((tx) => tx.insertMessage(aMessage({ idempotencyKey: "a\0b" }))),
      ).rejects.toMatchObject({ code: "request.malformed" });
      await expect(
        stage.store.write((tx) => post(tx, { delivery: { timeoutAt: 1e18 } })),
      ).rejects.toMatchObject({
        code: "request.malformed",
      });
      await expect(
        stage.store.write((tx) => post(tx, { delivery: { timeoutAt: Number.NaN } })),
      ).rejects.toMatchObject({ code: "request.malformed" });
    });

    it("stores nothing under a short id that is taken, and says so", async () => {
      const first = aMessage();
      const second = aMessage({ shortId: first.shortId });
      const outcomes = await stage.store.write((tx) => [tx.insertMessage(first), tx.insertMessage(second)]);
      expect(outcomes).toEqual(["stored", "short-id-taken"]);
      expect(stage.store.read.message(second.id)).toBeUndefined();
    });

    it.each([["id"], ["idempotencyKey"]] as const)("refuses a second one with the same %s", async (field) => {
      const first = aMessage({ idempotencyKey: "once" });
      await stage.store.write((tx) => tx.insertMessage(first));
      const second = aMessage({ [field]: first[field] });
      await expect(stage.store.write((tx) => tx.insertMessage(second))).rejects.toMatchObject({
        code: "message.conflict",
      });
    });

    it("finds one by its idempotency key, with its digest", async () => {
      const message = aMessage({ idempotencyKey: "k1", contentDigest: "d1" });
      await stage.store.write((tx) => tx.insertMessage(message));
      expect(stage.store.read.byIdempotencyKey("k1")).toEqual({
        message: asRead(message),
        contentDigest: message.contentDigest,
      });
      expect(stage.store.read.byIdempotencyKey("k")).toBeUndefined();
    });

    it("finds the first answer to one, and none of what Bellhop says of it", async () => {
      const question = aMessage();
      const [notice, first, second] = [
        aMessage({ replyTo: question.id, source: "bellhop" }),
        aMessage({ replyTo: question.id }),
        aMessage({ replyTo: question.id }),
      ];
      await stage.store.write((tx) => {
        tx.insertMessage(question);
        tx.insertMessage(notice);
      });
      expect(stage.store.read.answerTo(question.id)).toBeUndefined();
      await stage.store.write((tx) => {
        tx.insertMessage(first);
        tx.insertMessage(second);
      });
      expect(stage.store.read.answerTo(question.id)?.id).toBe(first.id);
    });

    it("remembers the dead letters", async () => {
      const [dead, alive] = [aMessage(), aMessage()];
      await stage.store.write((tx) => {
        tx.insertMessage(dead);
        tx.insertMessage(alive);
        tx.insertUnmatched(dead.id, 9, "nobody subscribes");
      });
      expect(stage.store.read.isUnmatched(dead.id)).toBe(true);
      expect(stage.store.read.isUnmatched(alive.id)).toBe(false);
      const reasons = [dead.id, alive.id, "unheard-of"].map((id) => stage.store.read.unmatchedReason(id));
      expect(reasons).toEqual(["nobody subscribes", undefined, undefined]);
      await expect(stage.store.write((tx) => tx.insertUnmatched("nobody", 9, ""))).rejects.toMatchObject({
        code: "message.unknown",
      });
    });
  });

  describe("finding a message by what a person types", () => {
    const first = aMessage({ id: "abcd1111-0000-4000-8000-000000000000", shortId: "m7k2q9" });
    const second = aMessage({ id: "abcd2222-0000-4000-8000-000000000000", shortId: "abcd22" });
    const third = aMessage({ id: "ffff0000-0000-4000-8000-000000000000", shortId: "zzzz99" });

    beforeEach(() =>
      stage.store.write((tx) => {
        for (const message of [first, second, third]) tx.insertMessage(message);
        tx.insertDelivery(aDelivery(first.id));
        tx.insertDelivery(aDelivery(first.id));
        tx.insertDelivery(aDelivery(third.id));
      }),
    );

    const found = (text: string, limit = 10) =>
      stage.store.read
        .findMessages(text, limit)
        .map(({ id }) => id)
        .sort();

    it("takes the id, the short id and the id of a delivery", () => {
      expect(found(first.id)).toEqual([first.id]);
      expect(found("m7k2q9")).toEqual([first.id]);
      expect(found(`${first.id}.2`)).toEqual([first.id]);
      expect(found(`${third.id}.1`)).toEqual([third.id]);
      for (const place of ["", "0", "2", "01", "1.0", "65537", "1x"]) {
        expect(found(`${third.id}.${place}`)).toEqual([]);
      }
    });

    it("lets an exact match win over prefixes", () => {
      expect(found("abcd22")).toEqual([second.id]);
    });

    it("takes prefixes of four characters and more, each message once", () => {
      expect(found("abcd")).toEqual([first.id, second.id]);
      expect(found("m7k2")).toEqual([first.id]);
      expect(found("abcd", 1)).toHaveLength(1);
      expect(found("abc")).toEqual([]);
      expect(found("")).toEqual([]);
    });

    it("treats wildcards as plain characters", () => {
      for (const text of ["%%%%", "____", "abcd%", "[a-z]*"]) expect(found(text)).toEqual([]);
    });
  });
}
