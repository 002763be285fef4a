import { expect, it } from "vitest";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { OPEN_TURN_STATES, type Turn } from "../../../core/turns/turn.ts";
import { openStore } from "../store.ts";

const turn: Turn = {
  id: "t1",
  agent: "api",
  sessionId: "725fe7bb",
  runner: "claude",
  deliveries: ["m.1"],
  state: "running",
  triggered: false,
  again: false,
  startedAt: 5,
  process: { pid: 7, startedAt: "99" },
};

it("adds automatic turns to a database that has none, and finds what runs after a restart", async () => {
  const path = await databaseBefore(
    18,
    "INSERT INTO agents (name, created_at, origin, chosen, paused) VALUES ('api', 1, 'added', 0, 0)",
  );
  const store = await openStore({ path });
  expect(store.read.turns({})).toEqual([]);
  expect(store.read.autoRuns()).toEqual([]);
  expect(store.read.turnSwitch()).toBeUndefined();
  const said = { kind: "agent", agent: "api" } as const;
  await store.write((tx) => {
    tx.putTurn(turn);
    tx.putTurn({ ...turn, id: "t2", deliveries: [], state: "done", endedAt: 6 });
    tx.sayAutoRun(said, { enabled: true });
    tx.putTurnSwitch({ off: true, since: 5, by: "dev" });
    tx.logTurn({
      sessionId: "725fe7bb",
      turnId: "t1",
      at: 5,
      kind: "auto-turn",
      text: "hi",
      messages: ["m"],
    });
  });
  await store.close();
  const again = await openStore({ path });
  expect(again.read.agent("api")?.origin).toBe("added");
  expect(again.read.turns({ states: OPEN_TURN_STATES })).toEqual([turn]);
  expect(again.read.turnOf("m.1")).toEqual(turn);
  expect(again.read.autoRun(said)).toEqual({ enabled: true });
  expect(again.read.turnSwitch()).toEqual({ off: true, since: 5, by: "dev" });
  expect(again.read.loggedTurns("725fe7bb", { limit: 9 })).toMatchObject([{ turnId: "t1", messages: ["m"] }]);
  await again.close();
});
