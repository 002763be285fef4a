import { describe, expect, it } from "vitest";
import type { NewDelivery, StoreWriter, Subscription, SubscriptionOwner } from "../../src/ports/store.ts";
import { aDelivery, aMessage, anAgent, aReceipt, aSession, post } from "./store-samples.ts";
import { type OpenStore, storeStage } from "./store-stage.ts";

const AGENT: SubscriptionOwner = { kind: "agent", agent: "a" };
const SESSION: SubscriptionOwner = { kind: "session", sessionId: "00000001" };

function aSubscription(told: Partial<Subscription> = {}): Subscription {
  return { owner: AGENT, pattern: "slack/**", addedAt: 1, origin: "asked", ...told };
}

/** The store's contract for the broker. */
export function brokerStoreContract(name: string, open: OpenStore): void {
  describe(`${name} as the broker's store`, () => {
    const stage = storeStage(open);

    describe("who wrote to whom", () => {
      const said = (tx: StoreWriter, at: number, ...to: readonly Partial<NewDelivery>[]) => {
        const message = aMessage({ from: "agent/a", createdAt: at });
        tx.insertMessage(message);
        tx.insertDeliveries(to.map((one) => aDelivery(message.id, { queuedAt: at, ...one })));
        return message.id;
      };

      it("is counted by sender and mailbox, without copies, from a moment until another", async () => {
        await stage.store.write((tx) => {
          said(tx, 10, { to: "agent/b" });
          said(tx, 20, { to: "session/00000001" }, { to: "agent/b", handledBy: ["00000001"] });
          said(tx, 30, { to: "agent/b" }, { to: "agent/c" });
          said(tx, 40, { to: "agent/b" });
        });
        const counted = (since: number, until: number) => {
          const { pairs, before } = stage.store.read.talked({ since, until, limit: 100 });
          expect(before).toBeUndefined();
          return pairs.map(({ from, mailbox, messages }) => `${from} ${mailbox} ${messages}`).toSorted();
        };
        expect(counted(0, 100)).toEqual([
          "agent/a agent/b 3",
          "agent/a agent/c 1",
          "agent/a session/00000001 1",
        ]);
        expect(counted(10, 40)).toEqual([
          "agent/a agent/b 2",
          "agent/a agent/c 1",
          "agent/a session/00000001 1",
        ]);
        expect(counted(11, 100)).toEqual([
          "agent/a agent/b 2",
          "agent/a agent/c 1",
          "agent/a session/00000001 1",
        ]);
        expect(counted(31, 100)).toEqual(["agent/a agent/b 1"]);
        expect(counted(41, 100)).toEqual([]);
      });

      it("is counted in pages of the newest, each delivery once", async () => {
        await stage.store.write((tx) => {
          for (let at = 0; at < 10; at += 1) said(tx, at, { to: "agent/b" }, { to: "agent/c" });
        });
        const sizes: number[] = [];
        let before: number | undefined;
        do {
          const page = stage.store.read.talked({
            ...{ since: 0, until: 100, limit: 7 },
            ...(before === undefined ? {} : { before }),
          });
          sizes.push(page.pairs.reduce((sum, { messages }) => sum + messages, 0));
          expect(page.oldest).toBe([6, 3, 0][sizes.length - 1]);
          before = page.before;
        } while (before !== undefined);
        expect(sizes).toEqual([7, 7, 6]);
        expect(stage.store.read.talked({ since: 0, until: 100, before: 1, limit: 7 })).toEqual({ pairs: [] });
      });

      it("counts dead letters by their sender, in pages of the newest", async () => {
        await stage.store.write((tx) => {
          for (const at of [10, 20, 30]) {
            const id = said(tx, at);
            tx.insertUnmatched(id, at, "nobody");
          }
        });
        const page = (since: number, limit: number, before?: number) =>
          stage.store.read.unmatchedBySender({ since, limit, ...(before === undefined ? {} : { before }) });
        const letters = (messages: number) => [{ from: "agent/a", messages }];
        expect(page(0, 10)).toEqual({ senders: letters(3) });
        expect(page(20, 10)).toEqual({ senders: letters(2) });
        expect(page(31, 10)).toEqual({ senders: [] });
        const newest = page(0, 2);
        expect(newest).toEqual({ senders: letters(2), before: expect.any(Number) });
        expect(page(0, 2, newest.before)).toEqual({ senders: letters(1) });
      });
    });

    describe("subscriptions", () => {
      it("are given back as they were, of an agent and of a session, in order of their time", async () => {
        const all = [
          aSubscription({ pattern: "slack/team/#general", addedAt: 3 }),
          aSubscription({ pattern: "e-mail/ü\u{1f600}/**", addedAt: 1, origin: "declared" }),
          aSubscription({ owner: SESSION, pattern: "slack/team/#general", addedAt: 2 }),
        ];
        await stage.store.write((tx) => {
          for (const one of all) tx.putSubscription(one);
        });
        await stage.reopen();
        expect(stage.store.read.subscriptionsOf(AGENT)).toEqual([all[1], all[0]]);
        expect(stage.store.read.subscriptionsOf(SESSION)).toEqual([all[2]]);
        expect(stage.store.read.subscriptionsOf({ kind: "agent", agent: "b" })).toEqual([]);
        expect(stage.store.read.subscriptions()).toHaveLength(3);
        expect(stage.store.read.subscriptions()).toEqual(expect.arrayContaining(all));
      });

      it("are listed in pages, each once, also those of sessions", async () => {
        const owners: readonly SubscriptionOwner[] = [AGENT, { kind: "agent", agent: "b" }, SESSION];
        const all = owners.flatMap((owner) =>
          ["x/*", "y", "z/**"].map((pattern) => aSubscription({ owner, pattern })),
        );
        await stage.store.write((tx) => {
          for (const one of all) tx.putSubscription(one);
        });
        const found: Subscription[] = [];
        for (;;) {
          const page = stage.store.read.subscriptionsAfter(found.at(-1), 2);
          found.push(...page);
          if (page.length < 2) break;
        }
        expect(found).toHaveLength(all.length);
        expect(found).toEqual(expect.arrayContaining(all));
      });

      it("put twice are there once, as old as at first, by whoever said it last", async () => {
        await stage.store.write((tx) => {
          tx.putSubscription(aSubscription({ addedAt: 1, origin: "declared" }));
          tx.putSubscription(aSubscription({ addedAt: 9, origin: "asked" }));
        });
        expect(stage.store.read.subscriptions()).toEqual([aSubscription({ addedAt: 1, origin: "asked" })]);
      });

      it("are removed one by one, and say whether they were there", async () => {
        await stage.store.write((tx) => {
          tx.putSubscription(aSubscription());
          tx.putSubscription(aSubscription({ owner: SESSION }));
        });
        const removed = await stage.store.write((tx) => [
          tx.removeSubscription(AGENT, "slack/*"),
          tx.removeSubscription(AGENT, "slack/**"),
          tx.removeSubscription(AGENT, "slack/**"),
        ]);
        expect(removed).toEqual([false, true, false]);
        expect(stage.store.read.subscriptions()).toEqual([aSubscription({ owner: SESSION })]);
      });

      it("of an agent never become a session's of the same name", async () => {
        const owners: readonly SubscriptionOwner[] = [
          { kind: "agent", agent: "00000001" },
          { kind: "session", sessionId: "00000001" },
        ];
        await stage.store.write((tx) => {
          for (const owner of owners) tx.putSubscription(aSubscription({ owner }));
        });
        for (const owner of owners)
          expect(stage.store.read.subscriptionsOf(owner)).toEqual([aSubscription({ owner })]);
        await stage.store.write((tx) => tx.removeSubscription(owners[0] ?? AGENT, "slack/**"));
        expect(stage.store.read.subscriptions()).toEqual([aSubscription({ owner: SESSION })]);
      });

      it("follow an agent into its new name; a session's stay with the session", async () => {
        await stage.store.write((tx) => {
          tx.putAgent(anAgent("a"));
          tx.putAgent(anAgent("other"));
          tx.putSession(aSession("00000001", { agent: "a", name: "monitor" }));
          tx.putSubscription(aSubscription());
          tx.putSubscription(aSubscription({ owner: SESSION }));
          tx.putSubscription(aSubscription({ owner: { kind: "agent", agent: "other" } }));
          tx.renameAgent("a", "b");
        });
        const renamed = { kind: "agent", agent: "b" } as const;
        expect(stage.store.read.subscriptionsOf(AGENT)).toEqual([]);
        expect(stage.store.read.subscriptionsOf(renamed)).toEqual([aSubscription({ owner: renamed })]);
        expect(stage.store.read.subscriptionsOf(SESSION)).toHaveLength(1);
        expect(stage.store.read.subscriptions()).toHaveLength(3);
        expect(stage.store.read.sessionByName("b", "monitor")?.id).toBe("00000001");
      });

      it("go with their agent, and those of its sessions", async () => {
        await stage.store.write((tx) => {
          tx.putAgent(anAgent("a"));
          tx.putSession(aSession("00000001", { agent: "a" }));
          tx.putSession(aSession("00000002", { agent: "b" }));
          tx.putSubscription(aSubscription());
          tx.putSubscription(aSubscription({ owner: SESSION }));
          tx.putSubscription(aSubscription({ owner: { kind: "session", sessionId: "00000002" } }));
          tx.removeAgent("a");
        });
        expect(stage.store.read.subscriptions()).toEqual([
          aSubscription({ owner: { kind: "session", sessionId: "00000002" } }),
        ]);
      });

      it("of a change that is undone were never there", async () => {
        const undone = stage.store.write((tx) => {
          tx.putSubscription(aSubscription());
          throw new Error("no");
        });
        await expect(undone).rejects.toThrow("no");
        expect(stage.store.read.subscriptions()).toEqual([]);
      });
    });

    describe("sessions by name", () => {
      it("are found under their agent, and nowhere else", async () => {
        const session = aSession("00000001", { agent: "a", name: "slack-monitor" });
        await stage.store.write((tx) => {
          tx.putSession(session);
          tx.putSession(aSession("00000002", { agent: "b", name: "slack-monitor" }));
          tx.putSession(aSession("00000003", { agent: "a" }));
          tx.putSession(aSession("00000004", { agent: "a" }));
        });
        await stage.reopen();
        expect(stage.store.read.sessionByName("a", "slack-monitor")).toEqual(session);
        expect(stage.store.read.sessionByName("b", "slack-monitor")?.id).toBe("00000002");
        expect(stage.store.read.sessionByName("a", "")).toBeUndefined();
        expect(stage.store.read.sessionByName("c", "slack-monitor")).toBeUndefined();
        expect(stage.store.read.session("00000003")).not.toHaveProperty("name");
      });

      it("keep their name when they are put again, and may change it", async () => {
        const session = aSession("00000001", { agent: "a", name: "one" });
        await stage.store.write((tx) => {
          tx.putSession(session);
          tx.putSession({ ...session, label: "work:2.0" });
        });
        expect(stage.store.read.sessionByName("a", "one")?.label).toBe("work:2.0");
        await stage.store.write((tx) => tx.putSession({ ...session, name: "two" }));
        expect(stage.store.read.sessionByName("a", "one")).toBeUndefined();
        expect(stage.store.read.sessionByName("a", "two")?.id).toBe("00000001");
      });

      it("leave a name to who has it already, and take it no more than once", async () => {
        await stage.store.write((tx) => {
          tx.putSession(aSession("00000001", { agent: "a", name: "monitor" }));
          tx.putSession(aSession("00000002", { agent: "b", name: "monitor" }));
          tx.putSession(aSession("00000002", { agent: "a", name: "monitor" }));
        });
        expect(stage.store.read.sessionByName("a", "monitor")?.id).toBe("00000001");
        expect(stage.store.read.session("00000002")).toEqual(aSession("00000002", { agent: "a" }));
        expect(stage.store.read.sessionByName("b", "monitor")).toBeUndefined();
      });
    });

    describe("everything that was delivered", () => {
      it("is paged in order of acceptance, of all or of some mailboxes, in whatever state", async () => {
        const made = await stage.store.write((tx) =>
          (
            [
              ["agent/a", "read"],
              ["agent/b", "queued"],
              ["session/1", "expired"],
              ["agent/a", "queued"],
              ["agent/a", "delivering"],
            ] as const
          ).map(([to, state]) => post(tx, { delivery: { to, state } }).deliveryId),
        );
        const paged = (mailboxes: readonly string[] | undefined, limit: number) => {
          const found: string[] = [];
          for (let after = 0; ; ) {
            const page = stage.store.read.itemsAfter(mailboxes, after, limit);
            const last = page.at(-1);
            if (last === undefined) return found;
            found.push(...page.map(({ delivery }) => delivery.id));
            after = last.delivery.sequence;
          }
        };
        for (const limit of [1, 2, 10]) {
          expect(paged(undefined, limit)).toEqual(made);
          expect(paged(["agent/a", "session/1", "agent/nobody"], limit)).toEqual([
            made[0],
            made[2],
            made[3],
            made[4],
          ]);
        }
        expect(paged(["agent/nobody"], 5)).toEqual([]);
        expect(paged([], 5)).toEqual([]);
        // However a person moved it.
        await stage.store.write((tx) => tx.updateDelivery(made[3] ?? "", { position: 0.5 }));
        expect(paged(undefined, 2)).toEqual(made);
      });
    });

    describe("what a session handled", () => {
      it("is kept with its agent's copy", async () => {
        const [handled, plain] = await stage.store.write((tx) => {
          const message = aMessage();
          tx.insertMessage(message);
          return [
            tx.insertDelivery(aDelivery(message.id, { handledBy: ["00000001", "00000002"] })),
            tx.insertDelivery(aDelivery(message.id)),
          ];
        });
        await stage.reopen();
        expect(stage.store.read.findDelivery(handled?.id ?? "")).toEqual(handled);
        expect(handled?.handledBy).toEqual(["00000001", "00000002"]);
        expect(stage.store.read.findDelivery(plain?.id ?? "")).not.toHaveProperty("handledBy");
        const taken = await stage.store.write((tx) =>
          tx.moveDelivery(handled?.id ?? "", aReceipt({ state: "delivered" })),
        );
        expect(taken.handledBy).toEqual(["00000001", "00000002"]);
      });

      it("is not for terminals, and for everybody else", async () => {
        const [first, handled, last] = await stage.store.write((tx) =>
          [undefined, ["00000001"], undefined].map(
            (handledBy) => post(tx, { delivery: handledBy === undefined ? {} : { handledBy } }).deliveryId,
          ),
        );
        const waiting = (more: object) =>
          stage.store.read
            .deliveries({ mailboxes: ["agent/reader"], states: ["queued"], ...more })
            .map(({ delivery }) => delivery.id);
        expect(waiting({})).toEqual([first, handled, last]);
        expect(waiting({ forTerminals: true })).toEqual([first, last]);
        expect(waiting({ forTerminals: true, newestFirst: true, limit: 2 })).toEqual([last, first]);
        expect(waiting({ forTerminals: true, priority: "idle" })).toEqual([]);
        expect(stage.store.read.countQueued(["agent/reader"])).toBe(2);
        expect(stage.store.read.countQueued()).toBe(2);
      });
    });

    describe("a window of time", () => {
      it("takes what was queued at or after one moment and before another, newest first if told so", async () => {
        const ids = await stage.store.write((tx) =>
          [10, 20, 30, 40].map((queuedAt) => post(tx, { delivery: { queuedAt } }).deliveryId),
        );
        const found = (more: object) => stage.store.read.deliveries(more).map(({ delivery }) => delivery.id);
        expect(found({ from: 20, until: 40 })).toEqual([ids[1], ids[2]]);
        expect(found({ from: 20, newestFirst: true, limit: 2 })).toEqual([ids[3], ids[2]]);
        expect(found({ until: 10 })).toEqual([]);
      });
    });

    describe("a message from outside", () => {
      it("keeps the channel that it came by, and its id there", async () => {
        const message = aMessage({ source: "bridge", channel: "slack", externalId: "ts-1234" });
        await stage.store.write((tx) => tx.insertMessage(message));
        await stage.reopen();
        expect(stage.store.read.message(message.id)).toEqual(message);
        const plain = aMessage();
        await stage.store.write((tx) => tx.insertMessage(plain));
        expect(stage.store.read.message(plain.id)).not.toHaveProperty("channel");
      });
    });
  });
}
