import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DeliveryState, LIMITS } from "../../src/core/message.ts";
import type { Store, StoreWriter } from "../../src/ports/store.ts";
import {
  AN_ATTEMPT,
  AN_IDENTITY,
  aDelivery,
  aDraft,
  aHookEvent,
  aMessage,
  anAgent,
  aReceipt,
  aSession,
  post,
} from "./store-samples.ts";

const MOST_DELIVERIES = 65_535;

/** What every `Store` owes. `open` called twice with one folder opens the same store again. */
export function storeContract(name: string, open: (folder: string) => Promise<Store>): void {
  describe(`${name} as a store`, () => {
    let folder: string;
    let store: Store;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "bellhop-store-"));
      store = await open(folder);
    });
    afterEach(async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    });

    async function reopen(): Promise<void> {
      await store.close();
      store = await open(folder);
    }

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
        await store.write((tx) => {
          tx.insertMessage(plain);
          tx.insertMessage(full);
        });
        await reopen();
        expect(store.read.message(plain.id)).toEqual(asRead(plain));
        expect(store.read.message(full.id)).toEqual(asRead(full));
        expect(store.read.message("nobody")).toBeUndefined();
      });

      it("keeps a body of the largest size", async () => {
        const message = aMessage({ body: "x".repeat(LIMITS.bodyBytes) });
        await store.write((tx) => tx.insertMessage(message));
        expect(store.read.message(message.id)?.body).toBe(message.body);
      });

      it("keeps a payload null apart from none", async () => {
        const message = aMessage({ payload: null });
        await store.write((tx) => tx.insertMessage(message));
        expect(store.read.message(message.id)).toHaveProperty("payload", null);
      });

      it("refuses a payload that is nested too deeply, and takes one at the limit", async () => {
        const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
        const atLimit = aMessage({ payload: nested(LIMITS.jsonDepth) });
        await store.write((tx) => tx.insertMessage(atLimit));
        expect(store.read.message(atLimit.id)?.payload).toEqual(atLimit.payload);
        for (const levels of [LIMITS.jsonDepth + 1, 100_000]) {
          const deep = aMessage({ payload: nested(levels) });
          await expect(store.write((tx) => tx.insertMessage(deep))).rejects.toMatchObject({
            code: "request.malformed",
          });
          expect(store.read.message(deep.id)).toBeUndefined();
        }
      });

      it("refuses what it could not read again: a key with NUL, a time beyond all clocks", async () => {
        await expect(
          store.write((tx) => tx.insertMessage(aMessage({ idempotencyKey: "a\0b" }))),
        ).rejects.toMatchObject({ code: "request.malformed" });
        await expect(store.write((tx) => post(tx, { delivery: { timeoutAt: 1e18 } }))).rejects.toMatchObject({
          code: "request.malformed",
        });
        await expect(
          store.write((tx) => post(tx, { delivery: { timeoutAt: Number.NaN } })),
        ).rejects.toMatchObject({ code: "request.malformed" });
      });

      it("stores nothing under a short id that is taken, and says so", async () => {
        const first = aMessage();
        const second = aMessage({ shortId: first.shortId });
        const outcomes = await store.write((tx) => [tx.insertMessage(first), tx.insertMessage(second)]);
        expect(outcomes).toEqual(["stored", "short-id-taken"]);
        expect(store.read.message(second.id)).toBeUndefined();
      });

      it.each([["id"], ["idempotencyKey"]] as const)(
        "refuses a second one with the same %s",
        async (field) => {
          const first = aMessage({ idempotencyKey: "once" });
          await store.write((tx) => tx.insertMessage(first));
          const second = aMessage({ [field]: first[field] });
          await expect(store.write((tx) => tx.insertMessage(second))).rejects.toMatchObject({
            code: "message.conflict",
          });
        },
      );

      it("finds one by its idempotency key, with its digest", async () => {
        const message = aMessage({ idempotencyKey: "k1", contentDigest: "d1" });
        await store.write((tx) => tx.insertMessage(message));
        expect(store.read.byIdempotencyKey("k1")).toEqual({
          message: asRead(message),
          contentDigest: message.contentDigest,
        });
        expect(store.read.byIdempotencyKey("k")).toBeUndefined();
      });

      it("remembers the dead letters", async () => {
        const [dead, alive] = [aMessage(), aMessage()];
        await store.write((tx) => {
          tx.insertMessage(dead);
          tx.insertMessage(alive);
          tx.insertUnmatched(dead.id, 9, "nobody subscribes");
        });
        expect(store.read.isUnmatched(dead.id)).toBe(true);
        expect(store.read.isUnmatched(alive.id)).toBe(false);
        await expect(store.write((tx) => tx.insertUnmatched("nobody", 9, ""))).rejects.toMatchObject({
          code: "message.unknown",
        });
      });
    });

    describe("finding a message by what a person types", () => {
      const first = aMessage({ id: "abcd1111-0000-4000-8000-000000000000", shortId: "m7k2q9" });
      const second = aMessage({ id: "abcd2222-0000-4000-8000-000000000000", shortId: "abcd22" });
      const third = aMessage({ id: "ffff0000-0000-4000-8000-000000000000", shortId: "zzzz99" });

      beforeEach(() =>
        store.write((tx) => {
          for (const message of [first, second, third]) tx.insertMessage(message);
          tx.insertDelivery(aDelivery(first.id));
          tx.insertDelivery(aDelivery(first.id));
          tx.insertDelivery(aDelivery(third.id));
        }),
      );

      const found = (text: string, limit = 10) =>
        store.read
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

    describe("deliveries", () => {
      it("numbers them in order of acceptance", async () => {
        const [first, second] = await Promise.all([
          store.write((tx) => post(tx)),
          store.write((tx) => post(tx)),
        ]);
        const [one, two] = [first, second].map(({ deliveryId }) => store.read.findDelivery(deliveryId));
        expect(two?.sequence).toBeGreaterThan(one?.sequence ?? 0);
        expect(one).toMatchObject({ position: one?.sequence, attempts: 0, possibleDuplicate: false });
      });

      it("returns from an insert exactly what it reads later", async () => {
        const delivery = await store.write((tx) => {
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
              attempt: AN_ATTEMPT,
            }),
          );
        });
        await reopen();
        expect(store.read.findDelivery(delivery.id)).toEqual(delivery);
      });

      it("names them after their message, in order", async () => {
        const message = aMessage();
        const ids = await store.write((tx) => {
          tx.insertMessage(message);
          return [1, 2].map(() => tx.insertDelivery(aDelivery(message.id)).id);
        });
        const later = await store.write((tx) => {
          post(tx);
          return tx.insertDelivery(aDelivery(message.id)).id;
        });
        expect([...ids, later]).toEqual([1, 2, 3].map((place) => `${message.id}.${place}`));
        expect(store.read.deliveriesOf(message.id).map(({ id }) => id)).toEqual([...ids, later]);
      });

      it("takes as many of one message as there are places, and no more", async () => {
        const message = aMessage();
        const made = await store.write((tx) => {
          tx.insertMessage(message);
          for (let place = 1; place < MOST_DELIVERIES; place += 1) tx.insertDelivery(aDelivery(message.id));
          return tx.insertDelivery(aDelivery(message.id)).id;
        });
        expect(made).toBe(`${message.id}.${MOST_DELIVERIES}`);
        for (const before of [(_: StoreWriter) => {}, (tx: StoreWriter) => void post(tx)]) {
          const tooMany = store.write((tx) => {
            before(tx);
            tx.insertDelivery(aDelivery(message.id));
          });
          await expect(tooMany).rejects.toMatchObject({ code: "store.failed" });
        }
        expect(store.read.deliveriesOf(message.id)).toHaveLength(MOST_DELIVERIES);
      });

      it("accepts after everything that is still there, whatever was forgotten", async () => {
        const waiting = await store.write((tx) => {
          const kept = post(tx);
          post(tx, { delivery: { state: "expired" } });
          return kept;
        });
        await store.write((tx) => tx.forgetFinishedBefore(1e9, 10));
        await reopen();
        const next = await store.write((tx) => post(tx));
        const [first, second] = [waiting, next].map(({ deliveryId }) => store.read.findDelivery(deliveryId));
        expect(second?.sequence).toBeGreaterThan(first?.sequence ?? Number.POSITIVE_INFINITY);
      });

      it("takes a body back with everything else when its message's delivery fails", async () => {
        const message = aMessage();
        const failed = store.write((tx) => {
          tx.insertMessage(message);
          tx.insertDelivery(aDelivery(message.id, { timeoutAt: Number.NaN }));
        });
        await expect(failed).rejects.toMatchObject({ code: "request.malformed" });
        // What was remembered of the undone message must not make its successor's deliveries its own.
        await store.write((tx) => post(tx));
        await expect(store.write((tx) => tx.insertDelivery(aDelivery(message.id)))).rejects.toMatchObject({
          code: "message.unknown",
        });
      });

      it("changes what a patch names, clears what it nulls, leaves the rest", async () => {
        const { deliveryId } = await store.write((tx) => post(tx));
        const before = store.read.findDelivery(deliveryId);
        const hold = { reason: "typing", since: 5, release: "when the line is empty" } as const;
        const held = await store.write((tx) => tx.updateDelivery(deliveryId, { hold }));
        expect(held).toEqual({ ...before, hold });
        const under = await store.write((tx) =>
          tx.updateDelivery(deliveryId, {
            state: "delivering",
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
        const again = await store.write((tx) =>
          tx.updateDelivery(deliveryId, { state: "queued", attempt: null, transport: null, evidence: null }),
        );
        expect(again).not.toHaveProperty("attempt");
        expect(again).not.toHaveProperty("transport");
        expect(await store.write((tx) => tx.updateDelivery(deliveryId, {}))).toEqual(again);
      });

      it("knows no delivery that is not there", async () => {
        expect(store.read.findDelivery("nobody")).toBeUndefined();
        for (const change of [
          () => store.write((tx) => tx.updateDelivery("nobody", { state: "read" })),
          () => store.write((tx) => tx.appendReceipt("nobody", aReceipt())),
          () => store.write((tx) => tx.insertDelivery(aDelivery("nobody"))),
        ]) {
          await expect(change()).rejects.toMatchObject({ code: "message.unknown" });
        }
      });

      it("lists the deliveries of a message and the receipts of a delivery in order", async () => {
        const message = aMessage();
        const ids = await store.write((tx) => {
          tx.insertMessage(message);
          return ["agent/a", "agent/b"].map((to) => tx.insertDelivery(aDelivery(message.id, { to })).id);
        });
        const receipts = [
          aReceipt({ at: 4, state: "delivering", transport: "paste" }),
          aReceipt({ at: 5, note: "nothing was typed" }),
          aReceipt({ at: 4, state: "delivered", transport: "paste", evidence: "submitted", note: "late" }),
        ];
        await store.write((tx) => {
          for (const receipt of receipts) tx.appendReceipt(ids[0] ?? "", receipt);
        });
        expect(store.read.deliveriesOf(message.id).map(({ id }) => id)).toEqual(ids);
        const [first, second] = ids.map((id) => store.read.findDelivery(id)?.queuedAt);
        expect(store.read.receiptsOf(ids[0] ?? "")).toEqual([{ at: first, state: "queued" }, ...receipts]);
        expect(store.read.receiptsOf(ids[1] ?? "")).toEqual([{ at: second, state: "queued" }]);
        expect(store.read.receiptsOf("nobody")).toEqual([]);
        expect(store.read.receiptsOf(`${message.id}.3`)).toEqual([]);
      });
    });

    describe("the queue", () => {
      it("lists by mailbox and state in order of position", async () => {
        const ids = await store.write((tx) =>
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
          store.read.deliveries(filter).map(({ delivery }) => delivery.id);
        expect(listed({})).toEqual(ids);
        expect(listed({ states: ["queued"] })).toEqual([a1, b1, a3]);
        expect(listed({ states: ["queued", "delivering"], mailboxes: ["agent/a"] })).toEqual([a1, a3, a4]);
        expect(listed({ mailboxes: ["agent/b", "agent/b", "agent/nobody"] })).toEqual([b1]);
        expect(listed({ states: ["queued", "delivered"], limit: 2 })).toEqual([a1, b1]);
        expect(listed({ states: [] })).toEqual([]);
        expect(listed({ mailboxes: [] })).toEqual([]);
        await store.write((tx) => tx.updateDelivery(a3 ?? "", { position: 0.25 }));
        expect(listed({ states: ["queued"] })).toEqual([a3, a1, b1]);
        expect(listed({ states: ["delivered"] })).toEqual([a2]);
      });

      it("lists one priority alone, however many of others wait before it", async () => {
        const [, , urgent] = await store.write((tx) =>
          (["normal", "idle", "interrupt", "idle-first"] as const).map(
            (priority) => post(tx, { delivery: { priority } }).deliveryId,
          ),
        );
        const found = store.read.deliveries({ states: ["queued"], priority: "interrupt", limit: 1 });
        expect(found.map(({ delivery }) => delivery.id)).toEqual([urgent]);
        expect(store.read.deliveries({ states: ["queued"] })).toHaveLength(4);
      });

      it("carries each delivery with its message", async () => {
        const { messageId } = await store.write((tx) => post(tx));
        const [item] = store.read.deliveries({});
        expect(item?.message).toEqual(store.read.message(messageId));
      });

      it("counts what is queued", async () => {
        await store.write((tx) => {
          for (const to of ["agent/a", "agent/a", "agent/b"]) post(tx, { delivery: { to } });
          post(tx, { delivery: { to: "agent/a", state: "read" } });
        });
        expect(store.read.countQueued()).toBe(3);
        expect(store.read.countQueued(["agent/a"])).toBe(2);
        expect(store.read.countQueued(["agent/a", "agent/a", "agent/b"])).toBe(3);
        expect(store.read.countQueued(["agent/nobody"])).toBe(0);
        expect(store.read.countQueued([])).toBe(0);
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
        const ids = await store.write((tx) =>
          attempts.map(([sessionId, startedAt, state]) => {
            const { deliveryId } = post(tx);
            tx.updateDelivery(deliveryId, { state, attempt: { ...AN_ATTEMPT, sessionId, startedAt } });
            return deliveryId;
          }),
        );
        const found = (limit: number) =>
          store.read
            .attemptedIn("08bc57cf", ["delivering", "unconfirmed"], limit)
            .map(({ delivery }) => ids.indexOf(delivery.id));
        expect(found(10)).toEqual([1, 3, 2, 0]);
        expect(found(2)).toEqual([1, 3]);
      });

      it("finds the newest delivered or read message that has no answer", async () => {
        const states: DeliveryState[] = ["delivered", "read", "replied", "queued", "unconfirmed"];
        const ids = await store.write((tx) =>
          states.map((state) => post(tx, { delivery: { state } }).deliveryId),
        );
        const newest = () => store.read.newestUnanswered(["agent/writer"], ["agent/reader"])?.delivery.id;
        expect(newest()).toBe(ids[1]);
        await store.write((tx) => tx.updateDelivery(ids[1] ?? "", { state: "replied" }));
        expect(newest()).toBe(ids[0]);
        await store.write((tx) => tx.updateDelivery(ids[3] ?? "", { state: "delivered" }));
        expect(newest()).toBe(ids[3]);
        expect(
          store.read.newestUnanswered(["session/1", "agent/writer"], ["session/2", "agent/reader"])?.delivery
            .id,
        ).toBe(ids[3]);
        expect(store.read.newestUnanswered(["agent/reader"], ["agent/writer"])).toBeUndefined();
        expect(store.read.newestUnanswered([], [])).toBeUndefined();
      });
    });

    describe("agents and sessions", () => {
      it("puts, replaces and removes agents", async () => {
        await store.write((tx) => {
          tx.putAgent(anAgent("b"));
          tx.putAgent(anAgent("a"));
          tx.putAgent(anAgent("b", { paused: true, chosen: true, origin: "added" }));
        });
        await reopen();
        expect(store.read.agents()).toEqual([
          anAgent("a"),
          anAgent("b", { paused: true, chosen: true, origin: "added" }),
        ]);
        await store.write((tx) => tx.removeAgent("a"));
        expect(store.read.agent("a")).toBeUndefined();
        expect(store.read.agent("b")?.paused).toBe(true);
      });

      it("gives back every field of a session", async () => {
        const bare = aSession("00000001");
        const full = aSession("00000002", {
          identity: AN_IDENTITY,
          programSessionId: "p-1",
          transcriptPath: "/t.jsonl",
          version: "2.1",
          title: "fix\u{1f41b}",
          folder: "/f",
          branch: "main",
          lastPrompt: "do it",
          hooked: true,
          exitedAt: 7,
        });
        await store.write((tx) => {
          tx.putSession(bare);
          tx.putSession(full);
        });
        await reopen();
        expect(store.read.session(bare.id)).toEqual(bare);
        expect(store.read.session(full.id)).toEqual(full);
        const { exitedAt: _, identity: __, ...revived } = full;
        await store.write((tx) => tx.putSession(revived));
        expect(store.read.session(full.id)).toEqual(revived);
      });

      it("lists the live ones, and those that ended after a moment", async () => {
        await store.write((tx) => {
          tx.putSession(aSession("00000001", { startedAt: 2 }));
          tx.putSession(aSession("00000002", { startedAt: 1 }));
          tx.putSession(aSession("00000003", { exitedAt: 10 }));
          tx.putSession(aSession("00000004", { exitedAt: 20 }));
        });
        const ids = (exitedSince?: number) =>
          store.read.sessions(exitedSince === undefined ? undefined : { exitedSince }).map(({ id }) => id);
        expect(ids()).toEqual(["00000002", "00000001"]);
        expect(ids(10)).toEqual(["00000002", "00000001", "00000004"]);
      });

      it("finds a session by the program's own id, the most recently active first", async () => {
        await store.write((tx) => {
          tx.putSession(aSession("00000001", { programSessionId: "p", lastActiveAt: 5 }));
          tx.putSession(aSession("00000002", { programSessionId: "p", lastActiveAt: 9 }));
          tx.putSession(aSession("00000003", { programSessionId: "p", program: "codex", lastActiveAt: 99 }));
        });
        expect(store.read.sessionByProgramId("claude", "p")?.id).toBe("00000002");
        expect(store.read.sessionByProgramId("claude", "q")).toBeUndefined();
      });

      it("renames an agent with its mailbox and sessions, and leaves messages alone", async () => {
        const old = await store.write((tx) => {
          tx.putAgent(anAgent("old"));
          tx.putSession(aSession("00000001", { agent: "old" }));
          tx.putSession(aSession("00000002", { agent: "other" }));
          post(tx, {
            message: { from: "agent/old", to: "agent/peer" },
            delivery: { to: "agent/peer", state: "read" },
          });
          return post(tx, { message: { to: "agent/old" }, delivery: { to: "agent/old" } });
        });
        await store.write((tx) => tx.renameAgent("old", "new"));
        expect(store.read.agents().map(({ name }) => name)).toEqual(["new"]);
        expect(store.read.session("00000001")?.agent).toBe("new");
        expect(store.read.session("00000002")?.agent).toBe("other");
        expect(store.read.findDelivery(old.deliveryId)?.to).toBe("agent/new");
        expect(store.read.message(old.messageId)?.to).toBe("agent/old");
        expect(store.read.countQueued(["agent/old"])).toBe(0);
        expect(store.read.deliveries({ mailboxes: ["agent/new"] })).toHaveLength(1);
        // What it sent under its old name still waits for its answer under the new one.
        expect(store.read.newestUnanswered(["agent/new"], ["agent/peer"])?.message.from).toBe("agent/old");
      });

      it("renames into a name whose removed owner left deliveries behind", async () => {
        const [first, second] = await store.write((tx) => {
          tx.putAgent(anAgent("a"));
          const left = post(tx, { delivery: { to: "agent/b", state: "read" } });
          return [left, post(tx, { delivery: { to: "agent/a" } })];
        });
        await store.write((tx) => tx.renameAgent("a", "b"));
        const held = store.read.deliveries({ mailboxes: ["agent/b"] }).map(({ delivery }) => delivery.id);
        expect(held).toEqual([first?.deliveryId, second?.deliveryId]);
      });

      it("refuses to rename over another agent, or one that is not there", async () => {
        await store.write((tx) => {
          tx.putAgent(anAgent("a"));
          tx.putAgent(anAgent("b"));
        });
        await expect(store.write((tx) => tx.renameAgent("a", "b"))).rejects.toMatchObject({
          code: "agent.exists",
        });
        await expect(store.write((tx) => tx.renameAgent("c", "d"))).rejects.toMatchObject({
          code: "agent.unknown",
        });
        await store.write((tx) => tx.renameAgent("a", "a"));
        expect(store.read.agents()).toHaveLength(2);
      });
    });

    describe("what it remembers of agents, sessions and addresses", () => {
      const everyone = () => ({
        agents: store.read.agents().map(({ name }) => name),
        sessions: store.read.sessions({ exitedSince: 0 }).map(({ id, label }) => `${id} ${label}`),
      });

      it("is what the file holds, after every change", async () => {
        await store.write((tx) => {
          tx.putAgent(anAgent("a"));
          tx.putSession(aSession("00000001", { agent: "a", label: "one" }));
          tx.putSession(aSession("00000002", { agent: "b", label: "two", startedAt: 2 }));
        });
        expect(everyone()).toEqual({ agents: ["a"], sessions: ["00000001 one", "00000002 two"] });
        await store.write((tx) => {
          tx.putSession(aSession("00000002", { agent: "b", label: "new", startedAt: 2 }));
          tx.putSession(aSession("00000003", { agent: "b", label: "three", startedAt: 0 }));
          tx.putSession(aSession("00000001", { agent: "a", label: "one", exitedAt: 9 }));
        });
        const listed = ["00000003 three", "00000002 new", "00000001 one"];
        expect(everyone()).toEqual({ agents: ["a"], sessions: listed });
        expect(store.read.session("00000002")?.label).toBe("new");
        await store.write((tx) => tx.renameAgent("a", "z"));
        expect(store.read.session("00000001")?.agent).toBe("z");
        await store.write((tx) => tx.removeAgent("z"));
        const before = everyone();
        expect(before).toEqual({ agents: [], sessions: listed.slice(0, 2) });
        await reopen();
        expect(everyone()).toEqual(before);
      });

      it("is forgotten with a change that is undone", async () => {
        await store.write((tx) => {
          tx.putAgent(anAgent("a"));
          tx.putSession(aSession("00000001", { label: "one" }));
        });
        const before = everyone();
        const undone = [
          (tx: StoreWriter) => tx.putAgent(anAgent("b")),
          (tx: StoreWriter) => tx.putSession(aSession("00000001", { label: "two" })),
          (tx: StoreWriter) => tx.renameAgent("a", "c"),
          (tx: StoreWriter) => void post(tx, { delivery: { to: "agent/new" } }),
        ];
        for (const change of undone) {
          const alone = store.write((tx) => {
            change(tx);
            everyone();
            tx.countQueued(["agent/new"]);
            throw new Error("no");
          });
          await expect(alone).rejects.toThrow("no");
          expect(everyone()).toEqual(before);
          const [failed] = await Promise.allSettled([
            store.write((tx) => {
              change(tx);
              everyone();
              throw new Error("no");
            }),
            store.write(() => everyone()),
          ]);
          expect(failed.status).toBe("rejected");
          expect(everyone()).toEqual(before);
        }
        // The number that an undone address had goes to the next one.
        await store.write((tx) => post(tx, { delivery: { to: "agent/other" } }));
        const kept = await store.write((tx) => post(tx, { delivery: { to: "agent/new" } }));
        expect(store.read.findDelivery(kept.deliveryId)?.to).toBe("agent/new");
        expect(store.read.countQueued(["agent/new"])).toBe(1);
      });
    });

    describe("drafts and hook events", () => {
      it("keeps a person's text exactly, until it is settled", async () => {
        const draft = aDraft("k1", {
          text: "zwei\nZeilen \u{1f469}\u200d\u{1f4bb} 漢字\t\0",
          note: "by C-s",
        });
        await store.write((tx) => tx.putKeptDraft(draft));
        await reopen();
        expect(store.read.keptDrafts({ sessionId: draft.sessionId })).toEqual([draft]);
        expect(store.read.keptDrafts({ open: true })).toEqual([draft]);
        const restored = { ...draft, state: "restored", settledAt: 9 } as const;
        await store.write((tx) => tx.putKeptDraft(restored));
        expect(store.read.keptDrafts({ open: true })).toEqual([]);
        expect(store.read.keptDrafts({ open: false })).toEqual([restored]);
        expect(store.read.keptDrafts({ sessionId: draft.sessionId, open: true })).toEqual([]);
        expect(store.read.keptDrafts({ sessionId: "other" })).toEqual([]);
        expect(store.read.keptDrafts({})).toEqual([restored]);
      });

      it("shows a draft left to the person as open until someone settles it", async () => {
        await store.write((tx) => tx.putKeptDraft(aDraft("k1", { state: "left-to-person" })));
        expect(store.read.keptDrafts({ open: true })).toHaveLength(1);
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
        await store.write((tx) => {
          for (const event of events) tx.appendHookEvent(event);
        });
        await reopen();
        expect(store.read.hookEvents("08bc57cf", 5)).toEqual([events[1], events[3]]);
      });
    });

    describe("retention", () => {
      it("forgets finished messages and dead letters with everything that hangs on them", async () => {
        const at = 1e6;
        const kept = await store.write((tx) => {
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
        const files = await store.write((tx) => tx.forgetFinishedBefore(at, 100));
        expect(files.toSorted()).toEqual(
          ["cancelled", "dead", "delivered", "expired", "failed", "read", "replied", "unconfirmed"].map(
            (name) => `gone/${name}.md`,
          ),
        );
        expect(new Set(store.read.deliveries({}).map(({ message }) => message.id))).toEqual(new Set(kept));
        expect(await store.write((tx) => tx.forgetFinishedBefore(at, 100))).toEqual([]);
      });

      it("takes no more than it is told to, oldest first", async () => {
        await store.write((tx) => {
          for (const createdAt of [1, 2, 3]) {
            post(tx, { message: { createdAt, file: `${createdAt}.md` }, delivery: { state: "read" } });
          }
        });
        expect(await store.write((tx) => tx.forgetFinishedBefore(1e6, 2))).toEqual(["1.md", "2.md"]);
        expect(await store.write((tx) => tx.forgetFinishedBefore(1e6, 2))).toEqual(["3.md"]);
      });

      it("forgets old hook events and settled drafts, never an open draft", async () => {
        await store.write((tx) => {
          tx.appendHookEvent(aHookEvent({ receivedAt: 5 }));
          tx.appendHookEvent(aHookEvent({ receivedAt: 500 }));
          tx.putKeptDraft(aDraft("settled", { state: "restored", settledAt: 5 }));
          tx.putKeptDraft(aDraft("open", { keptAt: 1 }));
        });
        await store.write((tx) => tx.forgetFinishedBefore(100, 10));
        expect(store.read.hookEvents("08bc57cf", 0)).toHaveLength(1);
        expect(store.read.keptDrafts({}).map(({ id }) => id)).toEqual(["open"]);
      });
    });

    describe("writing", () => {
      it("shows nothing of a change before its promise can resolve", async () => {
        const message = aMessage();
        const written = store.write((tx) => tx.insertMessage(message));
        expect(store.read.message(message.id)).toBeUndefined();
        await written;
        expect(store.read.message(message.id)).toBeDefined();
      });

      it("lets later changes of one tick see the earlier ones, in order", async () => {
        const first = store.write((tx) => tx.putAgent(anAgent("a")));
        const second = store.write((tx) => tx.agents().map(({ name }) => name));
        await first;
        expect(await second).toEqual(["a"]);
      });

      it("rejects and undoes only the change that throws", async () => {
        const outcomes = await Promise.allSettled([
          store.write((tx) => tx.putAgent(anAgent("before"))),
          store.write((tx) => {
            tx.putAgent(anAgent("undone"));
            throw new Error("no");
          }),
          store.write((tx) => tx.putAgent(anAgent("after"))),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
        expect(outcomes[1]).toMatchObject({ reason: { message: "no" } });
        await reopen();
        expect(store.read.agents().map(({ name }) => name)).toEqual(["after", "before"]);
      });

      it("refuses a change that would go on after its transaction", async () => {
        const written = store.write(async (tx) => tx.putAgent(anAgent("late")));
        await expect(written).rejects.toMatchObject({ code: "internal.bug" });
        expect(store.read.agents()).toEqual([]);
      });

      it("commits what waits when it is closed, and takes nothing more", async () => {
        const waiting = store.write((tx) => tx.putAgent(anAgent("a")));
        const closing = store.close();
        await expect(store.write((tx) => tx.putAgent(anAgent("b")))).rejects.toMatchObject({
          code: "daemon.stopping",
        });
        await waiting;
        await closing;
        await store.close();
        store = await open(folder);
        expect(store.read.agents().map(({ name }) => name)).toEqual(["a"]);
      });
    });
  });
}

/** A message as it is read: without what only the store needs. */
function asRead(message: ReturnType<typeof aMessage>): unknown {
  const { idempotencyKey: _, contentDigest: __, ...rest } = message;
  return rest;
}
