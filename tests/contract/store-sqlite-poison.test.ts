import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import { connectionOver, MOST_POISON_REPORTS, type PoisonRow } from "../../src/store/sqlite/connection.ts";
import { IN_MEMORY, openDatabase } from "../../src/store/sqlite/open.ts";
import { storeOver } from "../../src/store/sqlite/store.ts";
import type { Database } from "../../src/system/sqlite-driver.ts";
import {
  AN_ATTEMPT,
  AN_IDENTITY,
  aDraft,
  aHookEvent,
  aMessage,
  anAgent,
  aReceipt,
  aReminder,
  aSession,
  post,
} from "./store-samples.ts";
import { aLogged, aTurn } from "./store-turns.ts";

let database: Database;
let store: Store;
let reports: PoisonRow[];
let bad: { readonly messageId: string; readonly deliveryId: string };
let good: { readonly messageId: string; readonly deliveryId: string };

beforeEach(async () => {
  reports = [];
  database = await openDatabase(IN_MEMORY);
  store = storeOver(
    database,
    connectionOver(database, (row) => reports.push(row)),
  );
  await store.write((tx) => {
    const delivery = {
      hold: { reason: "busy", since: 1, release: "idle" },
      attempt: AN_ATTEMPT,
    } as const;
    bad = post(tx, { message: { payload: { a: 1 } }, delivery });
    good = post(tx, { delivery });
    tx.appendReceipt(good.deliveryId, aReceipt({ state: "delivering" }));
    tx.putSession(aSession("00000001", { identity: AN_IDENTITY }));
    tx.putSession(aSession("00000002", { identity: AN_IDENTITY }));
    tx.putAgent(anAgent("a"));
    tx.putAgent(anAgent("b"));
    tx.putKeptDraft(aDraft("k1"));
    tx.putKeptDraft(aDraft("k2"));
    tx.putTimer(aReminder("t1"));
    tx.putTimer(aReminder("t2"));
    tx.appendHookEvent(aHookEvent({ event: "first" }));
    tx.appendHookEvent(aHookEvent({ event: "second" }));
  });
});
afterEach(() => store.close());

const queued = () => store.read.deliveries({}).map(({ delivery }) => delivery.id);

describe("a row that cannot be understood", () => {
  it.each([
    ["messages", "payload", "{"],
    ["messages", "payload", "[".repeat(100_000) + "]".repeat(100_000)],
    ["messages", "form", '{"kind":"raw","keys":[1]}'],
    ["messages", "priority", "highest"],
    ["messages", "source", "moon"],
    ["deliveries", "hold", "null"],
    ["deliveries", "hold", '{"reason":"mood","since":1,"release":""}'],
    ["deliveries", "attempt", '{"sessionId":7}'],
    ["deliveries", "owes", '{"afterMs":5}'],
    ["deliveries", "owes", '{"onDelivery":true,"afterMs":"soon"}'],
    ["deliveries", "release_rule", "perhaps"],
    ["deliveries", "evidence", "hearsay"],
  ])("in %s (%s) is left out of the queue and reported once", (table, column, value) => {
    const id = table === "messages" ? bad.messageId : bad.deliveryId;
    const key = table === "messages" ? "number = 1" : "sequence = (SELECT min(sequence) FROM deliveries)";
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key}`).run(value);
    expect(queued()).toEqual([good.deliveryId]);
    expect(queued()).toEqual([good.deliveryId]);
    expect(reports).toEqual([{ table, key: id, cause: expect.stringContaining("") }]);
  });

  it.each([
    ["kind", "errand"],
    ["counts", "moons"],
    ["mailbox", 999_999],
    ["text", null],
  ])("in timers (%s) keeps no other from its time", (column, value) => {
    database.prepare(`UPDATE timers SET ${column} = ? WHERE id = 't1'`).run(value);
    expect(store.read.timers({}).map(({ id }) => id)).toEqual(["t2"]);
    expect(store.read.timer("t1")).toBeUndefined();
    expect(reports).toEqual([{ table: "timers", key: "t1", cause: expect.stringContaining("") }]);
  });

  it("stops neither sessions, agents, drafts, hook events nor receipts", () => {
    database.exec(`
      UPDATE sessions SET identity = '{"kind":"tmux"}' WHERE id = '00000001';
      UPDATE agents SET origin = 'stork' WHERE name = 'a';
      UPDATE kept_drafts SET how = 'magic' WHERE id = 'k1';
      UPDATE hook_events SET tokens = '[1]' WHERE event = 'first';
      UPDATE receipts SET state = 'lost';`);
    expect(store.read.sessions().map(({ id }) => id)).toEqual(["00000002"]);
    expect(store.read.agents().map(({ name }) => name)).toEqual(["b"]);
    expect(store.read.keptDrafts({}).map(({ id }) => id)).toEqual(["k2"]);
    expect(store.read.hookEvents("08bc57cf", 0).map(({ event }) => event)).toEqual(["second"]);
    expect(store.read.receiptsOf(good.deliveryId).map(({ state }) => state)).toEqual(["queued"]);
    expect(reports.map(({ table }) => table)).toEqual([
      "sessions",
      "agents",
      "kept_drafts",
      "hook_events",
      "receipts",
    ]);
  });

  it("stops no turn and no log, and what was said about turns is then a no", async () => {
    const owner = { kind: "agent", agent: "a" } as const;
    await store.write((tx) => {
      for (const id of ["u1", "u2"]) {
        tx.putTurn(aTurn(id));
        tx.logTurn(aLogged(id));
      }
      tx.sayAutoRun(owner, { enabled: true });
    });
    database.exec(`
      UPDATE turns SET process = '{"pid":"7"}' WHERE id = 'u1';
      UPDATE conversation_log SET kind = 'rumour' WHERE turn_id = 'u1';
      UPDATE auto_runs SET words = '[]';`);
    expect(store.read.turns({}).map(({ id }) => id)).toEqual(["u2"]);
    expect(store.read.loggedTurns("08bc57cf", { limit: 9 }).map(({ turnId }) => turnId)).toEqual(["u2"]);
    expect(store.read.autoRun(owner)).toEqual({ enabled: false });
    expect(store.read.autoRuns()).toEqual([{ owner, words: { enabled: false } }]);
    expect(reports.map(({ table }) => table)).toEqual(["turns", "conversation_log", "auto_runs"]);
  });

  it("is healed by a change that replaces what was wrong", async () => {
    database.exec("UPDATE deliveries SET hold = 'x'");
    expect(queued()).toEqual([]);
    await store.write((tx) => tx.updateDelivery(bad.deliveryId, { hold: null }));
    expect(queued()).toEqual([bad.deliveryId]);
  });

  it("is reported no more often than the maximum", async () => {
    await store.write((tx) => {
      for (let count = 0; count <= MOST_POISON_REPORTS; count += 1) tx.insertMessage(aMessage());
    });
    database.exec("UPDATE messages SET form = ''");
    const ids = database.prepare("SELECT id FROM messages").all() as { readonly id: string }[];
    for (const { id } of ids) expect(store.read.message(id)).toBeUndefined();
    expect(reports).toHaveLength(MOST_POISON_REPORTS);
  });
});
