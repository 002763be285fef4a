import { describe, expect, it } from "vitest";
import type { DeliveryState } from "../../src/core/message.ts";
import type { AskedBack, DialogKey, Echo, Origin, Relay, Spoken } from "../../src/ports/outside-store.ts";
import type { StoreWriter } from "../../src/ports/store.ts";
import { aMessage, post } from "./store-samples.ts";
import { type OpenStore, storeStage } from "./store-stage.ts";

const CHAT = "telegram/42";
const WORDS = "zwei\nZeilen \u{1f469}\u200d\u{1f4bb} 漢字\t";

export function anOrigin(messageId: string, told: Partial<Origin> = {}): Origin {
  const externalId = `u-${messageId}`;
  return {
    messageId,
    bridge: "telegram",
    path: CHAT,
    externalId,
    answerable: externalId,
    answers: [],
    ...told,
  };
}

export function aSpoken(externalId: string, told: Partial<Spoken> = {}): Spoken {
  return { bridge: "telegram", externalId, messageId: "m", path: CHAT, at: 1_000, ...told };
}

export function anEcho(id: string, told: Partial<Echo> = {}): Echo {
  return { id, path: CHAT, digest: "d", at: 1_000, eatenBy: [], ...told };
}

export function aRelay(messageId: string, told: Partial<Relay> = {}): Relay {
  return {
    messageId,
    at: 1_000,
    path: CHAT,
    considered: [],
    outcome: "relayed",
    owesConfirmation: false,
    ...told,
  };
}

export function anAskedBack(messageId: string, told: Partial<AskedBack> = {}): AskedBack {
  return { messageId, path: CHAT, at: 1_000, text: "who?", choices: [], ...told };
}

export function aDialogKey(nonce: string, told: Partial<DialogKey> = {}): DialogKey {
  return { nonce, session: "08bc57cf", dialog: "f", answer: "approve", madeAt: 1_000, ...told };
}

/** The store's contract for what comes from outside and goes there. */
export function outsideStoreContract(name: string, open: OpenStore): void {
  describe(`${name} as a store of the world outside`, () => {
    const stage = storeStage(open);
    const write = <T>(work: (tx: StoreWriter) => T) => stage.store.write(work);

    describe("what a bridge keeps", () => {
      it("is its own, is there after a restart, and can be removed", async () => {
        await write((tx) => {
          tx.keepForBridge("telegram", { offset: "7", topic: WORDS });
          tx.keepForBridge("slack", { offset: "9" });
          tx.keepForBridge("desk", { mode: "on" });
        });
        await write((tx) => tx.keepForBridge("telegram", { offset: "8", topic: null, never: null }));
        await stage.reopen();
        const { read } = stage.store;
        expect([read.bridgeKept("telegram", "offset"), read.bridgeKept("slack", "offset")]).toEqual([
          "8",
          "9",
        ]);
        expect([read.bridgeKept("telegram", "topic"), read.bridgeKept("desk", "mode")]).toEqual([
          undefined,
          "on",
        ]);
      });

      it("is any key, also one that objects have anyway", async () => {
        await write((tx) => tx.keepForBridge("email", JSON.parse('{"__proto__": "1", "constructor": "2"}')));
        const { read } = stage.store;
        expect([read.bridgeKept("email", "__proto__"), read.bridgeKept("email", "constructor")]).toEqual([
          "1",
          "2",
        ]);
        expect(read.bridgeKept("email", "toString")).toBeUndefined();
      });

      it("is not written if the arrival beside it is not", async () => {
        await write((tx) => tx.putOrigin(anOrigin("m1", { externalId: "same" })));
        const twice = write((tx) => {
          tx.keepForBridge("telegram", { offset: "2" });
          tx.putOrigin(anOrigin("m2", { externalId: "same" }));
        });
        await expect(twice).rejects.toThrow();
        expect(stage.store.read.bridgeKept("telegram", "offset")).toBeUndefined();
        expect(stage.store.read.arrivedAs("telegram", "same")).toBe("m1");
      });
    });

    describe("where a message came from", () => {
      it("comes back with every field", async () => {
        const all = [
          anOrigin("m1"),
          anOrigin("m2", {
            bridge: "email",
            path: "email/a@b/c@d",
            externalId: `<${WORDS}>`,
            answerable: "<x>",
            thread: "t",
            topic: "coder",
            button: "nonce",
            answers: ["<y>", WORDS],
          }),
        ];
        await write((tx) => {
          for (const origin of all) tx.putOrigin(origin);
        });
        await stage.reopen();
        for (const origin of all) {
          expect(stage.store.read.origin(origin.messageId)).toEqual(origin);
          expect(stage.store.read.arrivedAs(origin.bridge, origin.externalId)).toBe(origin.messageId);
        }
        expect(stage.store.read.origin("nobody")).toBeUndefined();
      });

      it("is one message for each id of a platform, and another platform may use the same id", async () => {
        await write((tx) => tx.putOrigin(anOrigin("m1", { externalId: "1" })));
        await write((tx) => tx.putOrigin(anOrigin("m2", { externalId: "1", bridge: "slack" })));
        await expect(write((tx) => tx.putOrigin(anOrigin("m3", { externalId: "1" })))).rejects.toThrow();
        const { read } = stage.store;
        expect([read.arrivedAs("telegram", "1"), read.arrivedAs("slack", "1")]).toEqual(["m1", "m2"]);
        expect(read.arrivedAs("email", "1")).toBeUndefined();
      });
    });

    describe("what was said outside", () => {
      it("is found by its id there, by its message in order, and by its place newest first", async () => {
        const parts = [
          aSpoken("1", { agent: "coder", session: "08bc57cf" }),
          aSpoken("2"),
          aSpoken("3", { at: 2_000, messageId: "other" }),
          aSpoken("4", { at: 2_000, path: "telegram/7", messageId: "elsewhere" }),
        ];
        await write((tx) => {
          for (const part of parts) tx.putSpoken(part);
        });
        await stage.reopen();
        const { read } = stage.store;
        expect(read.spoken("telegram", "1")).toEqual(parts[0]);
        expect([read.spoken("slack", "1"), read.spoken("telegram", "9")]).toEqual([undefined, undefined]);
        expect(read.spokenParts("m")).toEqual(parts.slice(0, 2));
        expect(read.spokenSince(CHAT, 1_000).map(({ externalId }) => externalId)).toEqual(["3", "2", "1"]);
        expect(read.spokenSince(CHAT, 1_001).map(({ externalId }) => externalId)).toEqual(["3"]);
      });

      it("keeps its first meaning if a platform uses an id again", async () => {
        await write((tx) => tx.putSpoken(aSpoken("1")));
        await write((tx) => tx.putSpoken(aSpoken("1", { messageId: "other" })));
        expect(stage.store.read.spoken("telegram", "1")?.messageId).toBe("m");
      });
    });

    describe("the ledger of echoes", () => {
      const eat = (cursor: string, told: { readonly digest?: string; readonly since?: number } = {}) =>
        write((tx) => tx.eatEcho(CHAT, told.digest ?? "d", cursor, told.since ?? 0));

      it("eats what was said once for each cursor, the oldest first", async () => {
        await write((tx) => {
          tx.putEcho(anEcho("1"));
          tx.putEcho(anEcho("2", { at: 2_000 }));
        });
        await stage.reopen();
        expect([await eat("sent"), await eat("received"), await eat("sent")]).toEqual([true, true, true]);
        await stage.reopen();
        expect([await eat("sent"), await eat("received"), await eat("received")]).toEqual([
          false,
          true,
          false,
        ]);
      });

      it("eats nothing that was said elsewhere, otherwise, or too long ago", async () => {
        await write((tx) => tx.putEcho(anEcho("1", { path: "telegram/7" })));
        await write((tx) => tx.putEcho(anEcho("2")));
        expect(await eat("sent", { digest: "other" })).toBe(false);
        expect(await eat("sent", { since: 1_001 })).toBe(false);
        expect(await eat("sent")).toBe(true);
        expect(await eat("sent")).toBe(false);
      });
    });

    describe("what the desk did", () => {
      it("comes back with every field, and by what it sent", async () => {
        const relay = aRelay("m1", {
          considered: [{ rule: "tag", why: WORDS }] as Relay["considered"],
          rule: "tag",
          relayed: "r1",
          label: "work:1.0",
          despite: "web",
          owesConfirmation: true,
        });
        await write((tx) => tx.putRelay(relay));
        await stage.reopen();
        const { read } = stage.store;
        expect([read.relayOf("m1"), read.relayedAs("r1")]).toEqual([relay, relay]);
        expect([read.relayOf("r1"), read.relayedAs("m1")]).toEqual([undefined, undefined]);
      });

      it("is owed to the person once it is decided until it is settled, the oldest first", async () => {
        await write((tx) => {
          const owed = (at: number, state: DeliveryState) => ({
            at,
            relayed: post(tx, { delivery: { state } }).messageId,
            owesConfirmation: true,
          });
          for (let index = 0; index < 20; index += 1) tx.putRelay(aRelay(`waits${index}`, owed(0, "queued")));
          tx.putRelay(aRelay("under way", owed(0, "delivering")));
          tx.putRelay(aRelay("late", owed(3, "read")));
          tx.putRelay(aRelay("early", owed(1, "failed")));
          tx.putRelay(aRelay("told", { at: 2 }));
        });
        const owing = (limit = 10) => stage.store.read.owingConfirmation(limit).map((one) => one.messageId);
        expect([owing(), owing(1)]).toEqual([["early", "late"], ["early"]]);
        await write((tx) => tx.putRelay(aRelay("early", { at: 1 })));
        await stage.reopen();
        expect(owing()).toEqual(["late"]);
      });

      it("has a last one in each place, which is undone only once", async () => {
        await write((tx) => {
          tx.putRelay(aRelay("first", { at: 1 }));
          tx.putRelay(aRelay("second", { at: 1 }));
          tx.putRelay(aRelay("asked", { at: 2, outcome: "asked" }));
          tx.putRelay(aRelay("elsewhere", { at: 3, path: "telegram/7" }));
        });
        expect(stage.store.read.lastRelay(CHAT)?.messageId).toBe("second");
        await write((tx) => tx.putRelay(aRelay("second", { at: 1, outcome: "undone" })));
        expect(stage.store.read.lastRelay(CHAT)?.messageId).toBe("first");
        await write((tx) => tx.putRelay(aRelay("pressed", { at: 4, outcome: "answered-dialog" })));
        expect(stage.store.read.lastRelay(CHAT)?.messageId).toBe("pressed");
        expect(stage.store.read.lastRelay("telegram/8")).toBeUndefined();
      });
    });

    it("keeps each question until it is answered, and those of a place since a time, the newest first", async () => {
      const choices = [{ session: "08bc57cf", agent: "coder", label: "work:1.0" }];
      const [first, second] = [anAskedBack("q1"), anAskedBack("q2", { text: WORDS, choices })];
      await write((tx) => {
        for (const one of [first, second, anAskedBack("q3", { path: "telegram/8" })]) tx.putAskedBack(one);
        tx.putAskedBack(anAskedBack("q0", { at: 999 }));
      });
      await stage.reopen();
      expect(stage.store.read.askedBack(CHAT, 1_000)).toEqual([second, first]);
      await write((tx) => tx.removeAskedBack("q2"));
      expect(stage.store.read.askedBack(CHAT, 1_000)).toEqual([first]);
    });

    it("keeps the keys to a dialog, and which are still open", async () => {
      const [yes, no] = [aDialogKey("y"), aDialogKey("n", { answer: "deny" })];
      await write((tx) => {
        for (const key of [yes, no, aDialogKey("o", { session: "other" })]) tx.putDialogKey(key);
      });
      expect(stage.store.read.openDialogKeys("08bc57cf")).toEqual([yes, no]);
      const used = { ...yes, usedAt: 2_000, usedBy: CHAT };
      await write((tx) => tx.putDialogKey(used));
      await stage.reopen();
      expect(stage.store.read.dialogKey("y")).toEqual(used);
      expect(stage.store.read.openDialogKeys("08bc57cf")).toEqual([no]);
      expect(stage.store.read.dialogKey("never")).toBeUndefined();
    });

    describe("retention", () => {
      const forget = (limit = 100) => write((tx) => tx.forgetFinishedBefore(1e6, limit));

      it("forgets what is old, and keeps where a message came from as long as the message", async () => {
        const [done, waits] = await write((tx) => {
          const old = post(tx, { message: { createdAt: 10 }, delivery: { state: "read", queuedAt: 10 } });
          const waiting = post(tx, { message: { createdAt: 10 }, delivery: { state: "queued" } });
          for (const { messageId } of [old, waiting]) tx.putOrigin(anOrigin(messageId));
          for (const at of [10, 2e6]) {
            tx.putSpoken(aSpoken(`s${at}`, { at }));
            tx.putEcho(anEcho(`e${at}`, { at, digest: `d${at}` }));
            tx.putRelay(aRelay(`r${at}`, { at }));
            tx.putAskedBack(anAskedBack(`q${at}`, { at, path: `telegram/${at}` }));
            tx.putDialogKey(aDialogKey(`k${at}`, { madeAt: at }));
          }
          tx.keepForBridge("telegram", { offset: "7" });
          return [old.messageId, waiting.messageId];
        });
        await forget();
        const { read } = stage.store;
        expect([read.origin(done), read.origin(waits)?.messageId]).toEqual([undefined, waits]);
        expect(read.arrivedAs("telegram", `u-${done}`)).toBeUndefined();
        const left = (at: number) => [
          read.spoken("telegram", `s${at}`) !== undefined,
          read.relayOf(`r${at}`) !== undefined,
          read.askedBack(`telegram/${at}`, 0).length > 0,
          read.dialogKey(`k${at}`) !== undefined,
        ];
        expect([left(10), left(2e6)]).toEqual([
          [false, false, false, false],
          [true, true, true, true],
        ]);
        expect(await write((tx) => tx.eatEcho(CHAT, "d10", "sent", 0))).toBe(false);
        expect(await write((tx) => tx.eatEcho(CHAT, "d2000000", "sent", 0))).toBe(true);
        expect(read.bridgeKept("telegram", "offset")).toBe("7");
      });

      it("keeps what a person is still owed, however old it is", async () => {
        await write((tx) => tx.putRelay(aRelay("owed", { at: 10, owesConfirmation: true })));
        await forget();
        expect(stage.store.read.relayOf("owed")).toMatchObject({ owesConfirmation: true });
      });

      it("takes no more than it is told to, oldest first", async () => {
        await write((tx) => {
          for (const at of [3, 1, 2]) {
            tx.putSpoken(aSpoken(`s${at}`, { at }));
            tx.putRelay(aRelay(`r${at}`, { at }));
          }
          tx.insertMessage(aMessage());
        });
        await forget(2);
        const { read } = stage.store;
        expect(read.spokenSince(CHAT, 0).map(({ externalId }) => externalId)).toEqual(["s3"]);
        expect([1, 2, 3].map((at) => read.relayOf(`r${at}`)?.at)).toEqual([undefined, undefined, 3]);
      });
    });
  });
}
