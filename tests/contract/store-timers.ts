import { describe, expect, it } from "vitest";
import type { KeyedReminder, Store, Timer } from "../../src/ports/store.ts";
import { aFollowUp, anAgent, aReminder, post } from "./store-samples.ts";
import { type OpenStore, storeStage } from "./store-stage.ts";

/** The store's contract for timers and for the idempotency keys of reminders. */
export function storeTimersContract(name: string, open: OpenStore): void {
  describe(`${name} as a store of time`, () => {
    const stage = storeStage(open);

    const put = (...timers: readonly Timer[]) =>
      stage.store.write((tx) => {
        for (const timer of timers) tx.putTimer(timer);
      });

    describe("timers", () => {
      it("come back with every field", async () => {
        const all: readonly Timer[] = [
          aReminder("m00001"),
          aReminder("m00002", {
            dueAt: 8.64e15,
            createdAt: 7,
            fired: 3,
            counts: "wall",
            repeat: { kind: "cron", line: "0 9 * * 1-5" },
            work: {
              kind: "reminder",
              to: "agent/coder",
              sessionId: "08bc57cf",
              setBy: "person/dev",
              setBySession: "11111111",
              text: "zwei\nZeilen \u{1f469}\u200d\u{1f4bb} 漢字\t\0",
              lastMessage: "aaaaaaaa-0000-4000-8000-000000000000",
            },
          }),
          aReminder("m00003", { repeat: { kind: "every", ms: 1_800_000 } }),
          aFollowUp("0000", { dueAt: 5 }),
        ];
        await put(...all);
        await stage.reopen();
        for (const timer of all) expect(stage.store.read.timer(timer.id)).toEqual(timer);
        expect(stage.store.read.timer("nobody")).toBeUndefined();
      });

      it("are listed by their time, then in the order they were set, that moment included", async () => {
        await put(
          aReminder("late", { dueAt: 30 }),
          aReminder("b", { dueAt: 20 }),
          aReminder("a", { dueAt: 20 }),
          aFollowUp("soon", { dueAt: 10 }),
        );
        const listed = (filter: Parameters<Store["read"]["timers"]>[0]) =>
          stage.store.read.timers(filter).map(({ id }) => id);
        expect(listed({})).toEqual(["soon", "b", "a", "late"]);
        expect(listed({ dueBy: 20 })).toEqual(["soon", "b", "a"]);
        expect(listed({ dueBy: 19 })).toEqual(["soon"]);
        expect(listed({ limit: 2 })).toEqual(["soon", "b"]);
        expect(listed({ dueBy: 9 })).toEqual([]);
        expect(stage.store.read.nextTimer()).toBe(10);
      });

      it("move to a new time, and go", async () => {
        const timer = aReminder("one", { dueAt: 10, repeat: { kind: "every", ms: 1_000 } });
        await put(timer);
        const moved = { ...timer, dueAt: 1_010, fired: 1, work: { ...timer.work, lastMessage: "m" } };
        await put(moved);
        expect(stage.store.read.timers({})).toEqual([moved]);
        await stage.store.write((tx) => {
          tx.removeTimer("one");
          tx.removeTimer("nobody");
        });
        expect(stage.store.read.timers({})).toEqual([]);
        expect(stage.store.read.nextTimer()).toBeUndefined();
      });

      it("are not there when the change that set them was undone", async () => {
        await put(aReminder("kept", { dueAt: 10 }));
        const undone = stage.store.write((tx) => {
          tx.putTimer(aReminder("new"));
          tx.removeTimer("kept");
          throw new Error("no");
        });
        await expect(undone).rejects.toThrow("no");
        expect(stage.store.read.timers({}).map(({ id }) => id)).toEqual(["kept"]);
      });

      it("refuse a time beyond all clocks", async () => {
        for (const dueAt of [Number.NaN, 1e18])
          await expect(put(aReminder("one", { dueAt }))).rejects.toMatchObject({ code: "request.malformed" });
      });

      it("follow their agent when it is renamed, also into a name that was somebody's, and go over to another", async () => {
        const work = (to: string, setBy: string) => ({ kind: "reminder", to, setBy, text: "x" }) as const;
        await stage.store.write((tx) => {
          tx.putAgent(anAgent("old"));
          post(tx, { delivery: { to: "agent/gone", state: "read" } });
          tx.putTimer(aReminder("for", { work: work("agent/old", "person/dev") }));
          tx.putTimer(aReminder("by", { work: work("person/dev", "agent/old") }));
          tx.putTimer(aReminder("other", { work: work("agent/peer", "agent/peer") }));
        });
        const places = () =>
          stage.store.read
            .timers({})
            .map(({ work }) => (work.kind === "reminder" ? `${work.to} ${work.setBy}` : ""));
        await stage.store.write((tx) => tx.renameAgent("old", "new"));
        expect(places()).toEqual(["agent/new person/dev", "person/dev agent/new", "agent/peer agent/peer"]);
        await stage.store.write((tx) => tx.renameAgent("new", "gone"));
        expect(places()).toEqual(["agent/gone person/dev", "person/dev agent/gone", "agent/peer agent/peer"]);
        await stage.store.write((tx) => tx.moveReminders("agent/gone", "agent/never-seen"));
        expect(places()).toEqual([
          "agent/never-seen person/dev",
          "person/dev agent/never-seen",
          "agent/peer agent/peer",
        ]);
        await stage.store.write((tx) => tx.moveReminders("agent/unheard-of", "agent/peer"));
        expect(places()).toHaveLength(3);
      });
    });

    describe("the key of a reminder", () => {
      const aKey = (key: string, told: Partial<KeyedReminder> = {}): KeyedReminder => ({
        key,
        contentDigest: "d",
        id: "aaaaaa",
        to: "agent/reader",
        dueAt: 9_000,
        setAt: 4_000,
        ...told,
      });

      it("is found as it was put, and put once", async () => {
        const keys = [aKey("person/dev ü\u{1f600}"), aKey("agent/coder k", { sessionId: "08bc57cf" })];
        await stage.store.write((tx) => {
          for (const one of keys) tx.putReminderKey(one);
        });
        await stage.reopen();
        expect(keys.map(({ key }) => stage.store.read.reminderByKey(key))).toEqual(keys);
        expect(stage.store.read.reminderByKey("k")).toBeUndefined();
        await expect(
          stage.store.write((tx) => tx.putReminderKey(aKey("agent/coder k", { id: "other" }))),
        ).rejects.toThrow();
        expect(stage.store.read.reminderByKey("agent/coder k")?.id).toBe("aaaaaa");
      });

      it("is forgotten when it is old, and not while its reminder is still to come", async () => {
        await put(aReminder("coming"));
        await stage.store.write((tx) => {
          tx.putReminderKey(aKey("coming", { id: "coming", setAt: 1 }));
          tx.putReminderKey(aKey("first", { setAt: 2 }));
          tx.putReminderKey(aKey("second", { setAt: 3 }));
          tx.putReminderKey(aKey("young", { setAt: 500 }));
        });
        const known = () =>
          ["coming", "first", "second", "young"].filter(
            (key) => stage.store.read.reminderByKey(key) !== undefined,
          );
        await stage.store.write((tx) => tx.forgetFinishedBefore(500, 1));
        expect(known()).toEqual(["coming", "second", "young"]);
        await stage.store.write((tx) => tx.forgetFinishedBefore(500, 10));
        expect(known()).toEqual(["coming", "young"]);
        await stage.store.write((tx) => {
          tx.removeTimer("coming");
          tx.forgetFinishedBefore(500, 10);
        });
        expect(known()).toEqual(["young"]);
      });
    });
  });
}
