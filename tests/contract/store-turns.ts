import { describe, expect, it } from "vitest";
import { OPEN_TURN_STATES, TURN_STATES, type Turn } from "../../src/core/turns/turn.ts";
import type { StoreWriter } from "../../src/ports/store.ts";
import type { LoggedTurn, TurnOwner } from "../../src/ports/turn-store.ts";
import { anAgent, aSession } from "./store-samples.ts";
import { type OpenStore, storeStage } from "./store-stage.ts";

const WORDS = "zwei\nZeilen \u{1f469}\u200d\u{1f4bb} 漢字\t\0";
const SESSION = "08bc57cf";

export function aTurn(id: string, told: Partial<Turn> = {}): Turn {
  return {
    id,
    agent: "reader",
    sessionId: SESSION,
    runner: "claude",
    deliveries: [],
    state: "running",
    triggered: false,
    again: false,
    startedAt: 1_000,
    ...told,
  };
}

export function aLogged(
  turnId: string,
  told: Partial<Omit<LoggedTurn, "number">> = {},
): Omit<LoggedTurn, "number"> {
  return { sessionId: SESSION, turnId, at: 1_000, kind: "auto-turn", text: "hi", messages: [], ...told };
}

const agentOwner = (agent: string): TurnOwner => ({ kind: "agent", agent });
const sessionOwner = (sessionId: string): TurnOwner => ({ kind: "session", sessionId });

/** The store's contract for automatic turns. */
export function turnStoreContract(name: string, open: OpenStore): void {
  describe(`${name} as a store of automatic turns`, () => {
    const stage = storeStage(open);
    const write = <T>(work: (tx: StoreWriter) => T) => stage.store.write(work);
    const ids = (turns: readonly Turn[]) => turns.map(({ id }) => id);

    describe("a turn", () => {
      it("comes back with every field", async () => {
        const all = [
          aTurn("t1"),
          aTurn("t2", {
            startedAt: 2_000,
            deliveries: ["m.1", "m.2"],
            state: "failed",
            triggered: true,
            again: true,
            endedAt: 2_500,
            process: { pid: 7, startedAt: "99" },
            verdict: "yes",
            because: "it is asked",
            answer: WORDS,
            error: "it broke",
            usd: 0.25,
            tokensIn: 12,
            tokensOut: 3.5,
          }),
        ];
        await write((tx) => {
          for (const turn of all) tx.putTurn(turn);
        });
        await stage.reopen();
        expect(all.map(({ id }) => stage.store.read.turn(id))).toEqual(all);
        expect(stage.store.read.turns({})).toEqual(all.toReversed());
        expect(stage.store.read.turn("t3")).toBeUndefined();
      });

      it("is updated as a whole, and keeps its place", async () => {
        await write((tx) => {
          tx.putTurn(aTurn("t1", { process: { pid: 7, startedAt: "99" }, usd: 1 }));
          tx.putTurn(aTurn("t2"));
          tx.putTurn(aTurn("t1", { state: "done", endedAt: 5 }));
        });
        expect(stage.store.read.turn("t1")).toEqual(aTurn("t1", { state: "done", endedAt: 5 }));
        expect(ids(stage.store.read.turns({}))).toEqual(["t2", "t1"]);
      });

      it("is found by agent, session, state and time, newest first", async () => {
        await write((tx) => {
          for (const [index, state] of TURN_STATES.entries())
            tx.putTurn(aTurn(`${state}1`, { state, startedAt: 100 + index }));
          tx.putTurn(aTurn("other", { agent: "b", sessionId: "11111111", state: "triage", startedAt: 50 }));
        });
        const { read } = stage.store;
        expect(ids(read.turns({ states: ["done"] }))).toEqual(["done1"]);
        expect(ids(read.turns({ states: OPEN_TURN_STATES }))).toEqual([
          "telling1",
          "answering1",
          "running1",
          "triage1",
          "other",
        ]);
        expect(ids(read.turns({ states: ["triage"], agent: "reader" }))).toEqual(["triage1"]);
        expect(ids(read.turns({ states: ["triage", "done"], sessionId: SESSION }))).toEqual([
          "done1",
          "triage1",
        ]);
        expect(read.turns({ states: [] })).toEqual([]);
        expect(ids(read.turns({ agent: "b" }))).toEqual(["other"]);
        expect(ids(read.turns({ sessionId: "11111111", agent: "b", since: 50 }))).toEqual(["other"]);
        expect(read.turns({ sessionId: "11111111", agent: "reader" })).toEqual([]);
        expect(ids(read.turns({ since: 107 }))).toEqual(["stopped1", "interrupted1"]);
        expect(ids(read.turns({ limit: 2 }))).toEqual(["stopped1", "interrupted1"]);
        expect(read.turns({ limit: 0 })).toEqual([]);
      });

      it("is the newest that a delivery was part of, whichever is updated last", async () => {
        await write((tx) => {
          tx.putTurn(aTurn("t1", { deliveries: ["m.1", "m.2"] }));
          tx.putTurn(aTurn("t2", { deliveries: ["m.2", "m.3"], again: true }));
          tx.putTurn(aTurn("t1", { deliveries: ["m.1", "m.2"], state: "interrupted", endedAt: 5 }));
        });
        const { read } = stage.store;
        expect(["m.1", "m.2", "m.3", "m.4"].map((delivery) => read.turnOf(delivery)?.id)).toEqual([
          "t1",
          "t2",
          "t2",
          undefined,
        ]);
      });

      it("goes with its agent's new name", async () => {
        await write((tx) => {
          tx.putAgent(anAgent("reader"));
          tx.putTurn(aTurn("t1"));
          tx.renameAgent("reader", "writer");
        });
        expect(ids(stage.store.read.turns({ agent: "writer" }))).toEqual(["t1"]);
        expect(stage.store.read.turns({ agent: "reader" })).toEqual([]);
      });
    });

    describe("what was said about automatic turns", () => {
      it("is kept for each agent and session, replaced as a whole, and can be taken back", async () => {
        const words = { enabled: true, alwaysReject: [{ text: WORDS }], command: ["a", "b"], usdPerDay: 0.5 };
        await write((tx) => {
          tx.sayAutoRun(agentOwner("reader"), { enabled: false, debounceMs: 5 });
          tx.sayAutoRun(agentOwner("reader"), words);
          tx.sayAutoRun(sessionOwner("reader"), {});
          tx.sayAutoRun(agentOwner("gone"), words);
          tx.sayAutoRun(agentOwner("gone"), undefined);
          tx.sayAutoRun(agentOwner("never"), undefined);
        });
        await stage.reopen();
        const { read } = stage.store;
        expect(read.autoRun(agentOwner("reader"))).toEqual(words);
        expect(read.autoRun(sessionOwner("reader"))).toEqual({});
        expect(read.autoRun(agentOwner("gone"))).toBeUndefined();
        expect(read.autoRuns()).toEqual([
          { owner: agentOwner("reader"), words },
          { owner: sessionOwner("reader"), words: {} },
        ]);
      });

      it("goes with its agent's new name, and does not count for another that gets an old one", async () => {
        await write((tx) => {
          tx.sayAutoRun(agentOwner("writer"), { enabled: false });
          tx.putAgent(anAgent("reader"));
          tx.sayAutoRun(agentOwner("reader"), { enabled: true });
          tx.renameAgent("reader", "writer");
          tx.putAgent(anAgent("other"));
          tx.sayAutoRun(agentOwner("late"), { enabled: true });
          tx.renameAgent("other", "late");
        });
        expect(stage.store.read.autoRuns()).toEqual([
          { owner: agentOwner("writer"), words: { enabled: true } },
        ]);
      });

      it("ends with its agent and that one's sessions, and with a session; turns stay as history", async () => {
        const sessions = [SESSION, "11111111", "22222222"];
        await write((tx) => {
          tx.putAgent(anAgent("reader"));
          tx.putAgent(anAgent("b"));
          tx.putSession(aSession(SESSION));
          tx.putSession(aSession("11111111", { agent: "b" }));
          tx.putSession(aSession("22222222", { agent: "b" }));
          for (const agent of ["reader", "b"]) tx.sayAutoRun(agentOwner(agent), { enabled: true });
          for (const id of sessions) tx.sayAutoRun(sessionOwner(id), { enabled: true });
          tx.putTurn(aTurn("t1", { state: "done", endedAt: 5 }));
          tx.removeAgent("reader");
          tx.removeSession("22222222");
        });
        expect(stage.store.read.autoRuns().map(({ owner }) => owner)).toEqual([
          agentOwner("b"),
          sessionOwner("11111111"),
        ]);
        expect(ids(stage.store.read.turns({ agent: "reader" }))).toEqual(["t1"]);
      });
    });

    it("keeps the last position of the switch", async () => {
      expect(stage.store.read.turnSwitch()).toBeUndefined();
      await write((tx) => tx.putTurnSwitch({ off: true, since: 5, by: "person/dev" }));
      await stage.reopen();
      expect(stage.store.read.turnSwitch()).toEqual({ off: true, since: 5, by: "person/dev" });
      await write((tx) => tx.putTurnSwitch({ off: false, since: 9, by: "dev" }));
      expect(stage.store.read.turnSwitch()).toEqual({ off: false, since: 9, by: "dev" });
    });

    describe("the log of a conversation", () => {
      it("comes in pages, newest first, each session for itself", async () => {
        const entries = [
          aLogged("t1", { text: WORDS, messages: ["m1", "m2"] }),
          aLogged("t1", { kind: "auto-turn-result", at: 1_500, text: "done" }),
          aLogged("t2", { at: 900 }),
        ];
        await write((tx) => {
          for (const entry of entries) tx.logTurn(entry);
          tx.logTurn(aLogged("t3", { sessionId: "11111111" }));
        });
        await stage.reopen();
        const { read } = stage.store;
        const first = read.loggedTurns(SESSION, { limit: 2 });
        expect(first).toMatchObject([entries[2], entries[1]]);
        const before = first[1]?.number ?? 0;
        expect(read.loggedTurns(SESSION, { limit: 2, before })).toEqual([
          { number: expect.any(Number), ...entries[0] },
        ]);
        expect(read.loggedTurns("22222222", { limit: 2 })).toEqual([]);
      });

      it("never gives a number again, even if all was forgotten", async () => {
        await write((tx) => tx.logTurn(aLogged("t1", { at: 1 })));
        const [first] = stage.store.read.loggedTurns(SESSION, { limit: 1 });
        await write((tx) => tx.forgetFinishedBefore(100, 10));
        await write((tx) => tx.logTurn(aLogged("t2", { at: 200 })));
        const [second] = stage.store.read.loggedTurns(SESSION, { limit: 9 });
        expect(second?.number).toBeGreaterThan(first?.number ?? 0);
        expect(stage.store.read.loggedTurns(SESSION, { limit: 9 })).toHaveLength(1);
      });
    });

    describe("retention", () => {
      it("forgets turns that ended before, with what points to them; an open one stays, however old", async () => {
        await write((tx) => {
          tx.putTurn(aTurn("old", { deliveries: ["m.1", "m.2"], state: "done", startedAt: 1, endedAt: 99 }));
          tx.putTurn(aTurn("open", { deliveries: ["m.2"], startedAt: 1 }));
          tx.putTurn(aTurn("new", { deliveries: ["m.3"], state: "declined", startedAt: 1, endedAt: 100 }));
          tx.logTurn(aLogged("old", { at: 99 }));
          tx.logTurn(aLogged("new", { at: 100 }));
          tx.forgetFinishedBefore(100, 10);
        });
        const { read } = stage.store;
        expect(ids(read.turns({}))).toEqual(["new", "open"]);
        expect(["m.1", "m.2", "m.3"].map((delivery) => read.turnOf(delivery)?.id)).toEqual([
          undefined,
          "open",
          "new",
        ]);
        expect(read.loggedTurns(SESSION, { limit: 9 })).toMatchObject([{ turnId: "new" }]);
        // What a forgotten turn had goes to whoever takes it now.
        await write((tx) => tx.putTurn(aTurn("late", { deliveries: ["m.1"] })));
        expect(read.turnOf("m.1")?.id).toBe("late");
      });

      it("takes no more at once than it is told to, oldest first", async () => {
        await write((tx) => {
          for (const age of [3, 1, 2]) {
            tx.putTurn(aTurn(`t${age}`, { state: "done", startedAt: age, endedAt: age }));
            tx.logTurn(aLogged(`t${age}`, { at: age }));
          }
          tx.forgetFinishedBefore(100, 2);
        });
        expect(ids(stage.store.read.turns({}))).toEqual(["t3"]);
        expect(stage.store.read.loggedTurns(SESSION, { limit: 9 })).toMatchObject([{ turnId: "t3" }]);
      });
    });
  });
}
