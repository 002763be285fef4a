import { describe, expect, it } from "vitest";
import type { StoreWriter } from "../../src/ports/store.ts";
import { AN_IDENTITY, aMessage, anAgent, aSession, asRead, post } from "./store-samples.ts";
import type { StoreStage } from "./store-stage.ts";

/** The store's contract for agents and sessions, on disk and in memory. */
export function storedAgents(stage: StoreStage): void {
  describe("agents and sessions", () => {
    it("puts, replaces and removes agents", async () => {
      await stage.store.write((tx) => {
        tx.putAgent(anAgent("b"));
        tx.putAgent(anAgent("a"));
        tx.putAgent(anAgent("b", { paused: true, chosen: true, origin: "added" }));
      });
      await stage.reopen();
      expect(stage.store.read.agents()).toEqual([
        anAgent("a"),
        anAgent("b", { paused: true, chosen: true, origin: "added" }),
      ]);
      await stage.store.write((tx) => tx.removeAgent("a"));
      expect(stage.store.read.agent("a")).toBeUndefined();
      expect(stage.store.read.agent("b")?.paused).toBe(true);
    });

    it("removes one session and no other", async () => {
      await stage.store.write((tx) => {
        tx.putAgent(anAgent("a"));
        tx.putSession(aSession("00000001", { agent: "a" }));
        tx.putSession(aSession("00000002", { agent: "a", exitedAt: 7 }));
        tx.putSession(aSession("00000003", { agent: "a" }));
      });
      const ids = () => stage.store.read.sessions({ exitedSince: 0 }).map(({ id }) => id);
      expect(ids()).toHaveLength(3);
      await stage.store.write((tx) => {
        tx.removeSession("00000001");
        tx.removeSession("00000002");
      });
      expect(ids()).toEqual(["00000003"]);
      await stage.reopen();
      expect(stage.store.read.session("00000001")).toBeUndefined();
      expect(ids()).toEqual(["00000003"]);
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
        window: { command: ["claude", "--model", "opus"], server: "/tmp/work.sock" },
      });
      await stage.store.write((tx) => {
        tx.putSession(bare);
        tx.putSession(full);
      });
      await stage.reopen();
      expect(stage.store.read.session(bare.id)).toEqual(bare);
      expect(stage.store.read.session(full.id)).toEqual(full);
      const { exitedAt: _, identity: __, ...revived } = full;
      await stage.store.write((tx) => tx.putSession(revived));
      expect(stage.store.read.session(full.id)).toEqual(revived);
    });

    it("lists the live ones, and those that ended after a moment", async () => {
      await stage.store.write((tx) => {
        tx.putSession(aSession("00000001", { startedAt: 2 }));
        tx.putSession(aSession("00000002", { startedAt: 1 }));
        tx.putSession(aSession("00000003", { exitedAt: 10 }));
        tx.putSession(aSession("00000004", { exitedAt: 20 }));
      });
      const ids = (exitedSince?: number) =>
        stage.store.read
          .sessions(exitedSince === undefined ? undefined : { exitedSince })
          .map(({ id }) => id);
      expect(ids()).toEqual(["00000002", "00000001"]);
      expect(ids(10)).toEqual(["00000002", "00000001", "00000004"]);
    });

    it("finds a session by the program's own id, the most recently active first", async () => {
      await stage.store.write((tx) => {
        tx.putSession(aSession("00000001", { programSessionId: "p", lastActiveAt: 5 }));
        tx.putSession(aSession("00000002", { programSessionId: "p", lastActiveAt: 9 }));
        tx.putSession(aSession("00000003", { programSessionId: "p", program: "codex", lastActiveAt: 99 }));
      });
      expect(stage.store.read.sessionByProgramId("claude", "p")?.id).toBe("00000002");
      expect(stage.store.read.sessionByProgramId("claude", "q")).toBeUndefined();
    });

    it("finds the sessions of an agent, of a conversation and of a process, also after each has changed", async () => {
      const ids = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id);
      const { read } = stage.store;
      await stage.store.write((tx) => {
        tx.putSession(aSession("00000001", { agent: "a", exitedAt: 20, programSessionId: "p" }));
        tx.putSession(aSession("00000002", { agent: "a", exitedAt: 10, identity: AN_IDENTITY }));
        tx.putSession(aSession("00000003", { agent: "a", startedAt: 5 }));
        tx.putSession(aSession("00000004", { agent: "b", programSessionId: "p", program: "codex" }));
      });
      expect(ids(read.sessionsOf("a"))).toEqual(["00000003", "00000002", "00000001"]);
      expect(ids(read.sessionsOf("nobody"))).toEqual([]);
      expect(ids(read.sessionsOfConversation("claude", "p"))).toEqual(["00000001"]);
      expect(ids(read.sessionsOfProcess(AN_IDENTITY.agentPid))).toEqual(["00000002"]);
      await stage.store.write((tx) => {
        tx.putSession(aSession("00000001", { agent: "b", programSessionId: "q" }));
        tx.putSession(aSession("00000002", { agent: "a", exitedAt: 10 }));
        tx.removeSession("00000003");
        expect(ids(tx.sessionsOf("a"))).toEqual(["00000002"]);
        expect(ids(tx.sessionsOf("b"))).toEqual(["00000001", "00000004"]);
        expect(tx.sessionsOfConversation("claude", "p")).toEqual([]);
        expect(ids(tx.sessionsOfConversation("claude", "q"))).toEqual(["00000001"]);
        expect(tx.sessionsOfProcess(AN_IDENTITY.agentPid)).toEqual([]);
      });
      await stage.store.write((tx) => tx.renameAgent("b", "c")).catch(() => undefined);
      await stage.reopen();
      expect(ids(stage.store.read.sessionsOf("b"))).toEqual(["00000001", "00000004"]);
    });

    it("leaves out those that ended long ago, but none that runs or was made by name", async () => {
      await stage.store.write((tx) => {
        tx.putSession(aSession("00000001", { agent: "a", exitedAt: 1, name: "monitor" }));
        for (const end of [2, 3, 4]) tx.putSession(aSession(`0000000${end}`, { agent: "a", exitedAt: end }));
        tx.putSession(aSession("00000005", { agent: "a" }));
      });
      const latest = (most: number) => stage.store.read.sessionsOf("a", most).map(({ id }) => id);
      expect(latest(1)).toEqual(["00000005", "00000001", "00000004"]);
      expect(latest(2)).toEqual(["00000005", "00000001", "00000003", "00000004"]);
      expect(latest(9)).toHaveLength(5);
    });

    it("finds sessions by the beginning of their id", async () => {
      await stage.store.write((tx) => {
        for (const id of ["beef0001", "beef0002", "beefffff", "bee00001"]) tx.putSession(aSession(id));
      });
      const starting = (prefix: string) => stage.store.read.sessionsStarting(prefix).map(({ id }) => id);
      expect(starting("beef")).toEqual(["beef0001", "beef0002", "beefffff"]);
      expect(starting("beef0002")).toEqual(["beef0002"]);
      expect(starting("dead")).toEqual([]);
    });

    it("renames an agent with its mailbox and sessions, and leaves messages alone", async () => {
      const old = await stage.store.write((tx) => {
        tx.putAgent(anAgent("old"));
        tx.putSession(aSession("00000001", { agent: "old" }));
        tx.putSession(aSession("00000002", { agent: "other" }));
        post(tx, {
          message: { from: "agent/old", to: "agent/peer" },
          delivery: { to: "agent/peer", state: "read" },
        });
        return post(tx, { message: { to: "agent/old" }, delivery: { to: "agent/old" } });
      });
      await stage.store.write((tx) => tx.renameAgent("old", "new"));
      expect(stage.store.read.agents().map(({ name }) => name)).toEqual(["new"]);
      expect(stage.store.read.session("00000001")?.agent).toBe("new");
      expect(stage.store.read.session("00000002")?.agent).toBe("other");
      expect(stage.store.read.findDelivery(old.deliveryId)?.to).toBe("agent/new");
      expect(stage.store.read.message(old.messageId)?.to).toBe("agent/old");
      expect(stage.store.read.countQueued(["agent/old"])).toBe(0);
      expect(stage.store.read.deliveries({ mailboxes: ["agent/new"] })).toHaveLength(1);
      // What it sent under its old name still waits for its answer under the new one.
      expect(stage.store.read.newestUnanswered(["agent/new"], ["agent/peer"])?.message.from).toBe(
        "agent/old",
      );
    });

    it("renames into a name whose removed owner left deliveries behind", async () => {
      const [first, second] = await stage.store.write((tx) => {
        tx.putAgent(anAgent("a"));
        const left = post(tx, { delivery: { to: "agent/b", state: "read" } });
        return [left, post(tx, { delivery: { to: "agent/a" } })];
      });
      await stage.store.write((tx) => tx.renameAgent("a", "b"));
      const held = stage.store.read.deliveries({ mailboxes: ["agent/b"] }).map(({ delivery }) => delivery.id);
      expect(held).toEqual([first?.deliveryId, second?.deliveryId]);
    });

    it("knows who waits for an answer from whoever takes over such a name", async () => {
      const { read } = stage.store;
      const [, sent] = await stage.store.write((tx) => {
        tx.putAgent(anAgent("a"));
        const left = post(tx, { delivery: { to: "agent/b", state: "queued" } });
        return [left, post(tx, { delivery: { to: "agent/a", state: "read" } })];
      });
      expect(read.newestUnanswered(["agent/writer"], ["agent/b"])).toBeUndefined();
      await stage.store.write((tx) => tx.renameAgent("a", "b"));
      expect(read.newestUnanswered(["agent/writer"], ["agent/b"])?.delivery.id).toBe(sent?.deliveryId);
    });

    it("renames an agent with its keys, in whose place those of a removed agent of this name go", async () => {
      const aKey = (key: string, id: string, to = "agent/peer") => {
        return { key, contentDigest: "d", id, to, dueAt: 9, setAt: 4 };
      };
      const keyed = (idempotencyKey: string) => aMessage({ idempotencyKey, contentDigest: "d" });
      const [own, others, left] = [keyed("agent/a\nk"), keyed("agent/a-b\nk"), keyed("agent/b\nk")];
      await stage.store.write((tx) => {
        tx.putAgent(anAgent("a"));
        for (const message of [own, others, left, keyed("agent/b\nl")]) tx.insertMessage(message);
        tx.putReminderKey(aKey("agent/a\nk", "own", "agent/a"));
        tx.putReminderKey(aKey("agent/a-b\nk", "others"));
        tx.putReminderKey(aKey("agent/b\nk", "left"));
        tx.putReminderKey(aKey("agent/b\nl", "left"));
      });
      await stage.store.write((tx) => tx.renameAgent("a", "b"));
      await stage.reopen();
      const { read } = stage.store;
      const keys = ["agent/a\nk", "agent/a-b\nk", "agent/b\nk", "agent/b\nl"];
      expect(keys.map((key) => read.byIdempotencyKey(key)?.message.id)).toEqual([
        undefined,
        others.id,
        own.id,
        undefined,
      ]);
      expect(read.message(left.id)).toEqual(asRead(left));
      expect(keys.map((key) => read.reminderByKey(key)?.id)).toEqual([undefined, "others", "own", undefined]);
      expect(read.reminderByKey("agent/b\nk")?.to).toBe("agent/b");
    });

    it("refuses to rename over another agent, or one that is not there", async () => {
      await stage.store.write((tx) => {
        tx.putAgent(anAgent("a"));
        tx.putAgent(anAgent("b"));
      });
      await expect(stage.store.write((tx) => tx.renameAgent("a", "b"))).rejects.toMatchObject({
        code: "agent.exists",
      });
      await expect(stage.store.write((tx) => tx.renameAgent("c", "d"))).rejects.toMatchObject({
        code: "agent.unknown",
      });
      await stage.store.write((tx) => tx.renameAgent("a", "a"));
      expect(stage.store.read.agents()).toHaveLength(2);
    });
  });

  describe("what it remembers of agents, sessions and addresses", () => {
    const everyone = () => ({
      agents: stage.store.read.agents().map(({ name }) => name),
      sessions: stage.store.read.sessions({ exitedSince: 0 }).map(({ id, label }) => `${id} ${label}`),
    });

    it("is what the file holds, after every change", async () => {
      await stage.store.write((tx) => {
        tx.putAgent(anAgent("a"));
        tx.putSession(aSession("00000001", { agent: "a", label: "one" }));
        tx.putSession(aSession("00000002", { agent: "b", label: "two", startedAt: 2 }));
      });
      expect(everyone()).toEqual({ agents: ["a"], sessions: ["00000001 one", "00000002 two"] });
      await stage.store.write((tx) => {
        tx.putSession(aSession("00000002", { agent: "b", label: "new", startedAt: 2 }));
        tx.putSession(aSession("00000003", { agent: "b", label: "three", startedAt: 0 }));
        tx.putSession(aSession("00000001", { agent: "a", label: "one", exitedAt: 9 }));
      });
      const listed = ["00000003 three", "00000002 new", "00000001 one"];
      expect(everyone()).toEqual({ agents: ["a"], sessions: listed });
      expect(stage.store.read.session("00000002")?.label).toBe("new");
      await stage.store.write((tx) => tx.renameAgent("a", "z"));
      expect(stage.store.read.session("00000001")?.agent).toBe("z");
      await stage.store.write((tx) => tx.removeAgent("z"));
      const before = everyone();
      expect(before).toEqual({ agents: [], sessions: listed.slice(0, 2) });
      await stage.reopen();
      expect(everyone()).toEqual(before);
    });

    it("is forgotten with a change that is undone", async () => {
      await stage.store.write((tx) => {
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
        const alone = stage.store.write((tx) => {
          change(tx);
          everyone();
          tx.countQueued(["agent/new"]);
          throw new Error("no");
        });
        await expect(alone).rejects.toThrow("no");
        expect(everyone()).toEqual(before);
        const [failed] = await Promise.allSettled([
          stage.store.write((tx) => {
            change(tx);
            everyone();
            throw new Error("no");
          }),
          stage.store.write(() => everyone()),
        ]);
        expect(failed.status).toBe("rejected");
        expect(everyone()).toEqual(before);
      }
      // The number of an address that was rolled back goes to the next one.
      await stage.store.write((tx) => post(tx, { delivery: { to: "agent/other" } }));
      const kept = await stage.store.write((tx) => post(tx, { delivery: { to: "agent/new" } }));
      expect(stage.store.read.findDelivery(kept.deliveryId)?.to).toBe("agent/new");
      expect(stage.store.read.countQueued(["agent/new"])).toBe(1);
    });
  });
}
